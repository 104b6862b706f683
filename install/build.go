package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build compiles the kernel into the folder of the kernel spec. The new program appears by a rename,
// so a kernel that is running keeps the old one until it ends.
func (o *options) build(ctx context.Context) error {
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("the command go is not on the PATH; Go is at https://go.dev/dl")
	}
	if err := os.MkdirAll(o.specDir(), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of the kernel spec: %w; choose another place with -prefix", err)
	}
	os.Remove(o.program() + ".old")
	dir, err := os.MkdirTemp(o.specDir(), ".build-")
	if err != nil {
		return fmt.Errorf("cannot write there: %w; choose another place with -prefix", err)
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, filepath.Base(o.program()))
	said, err := goBuild(ctx, built)
	if err != nil && strings.Contains(said, "VCS status") { // somebody else's checkout, no git: not our concern
		said, err = goBuild(ctx, built, "-buildvcs=false")
	}
	if err != nil {
		return fmt.Errorf("go build of the kernel failed (%w):\n%s", err, strings.TrimSpace(said))
	}
	return moveOver(built, o.program())
}

func goBuild(ctx context.Context, out string, flags ...string) (said string, err error) {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-ldflags=-s -w"}, flags...), "-o", out, "trivium/kernel")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// moduleRoot is the folder of the checkout.
func moduleRoot(ctx context.Context) (string, error) {
	dir, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "trivium")
	if dir = strings.TrimSpace(dir); err != nil || dir == "" {
		return "", errors.New("this has to be run in the checkout of Trivium, as in: cd trivium && go run ./install")
	}
	return dir, nil
}

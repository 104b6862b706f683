package get

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// SourceVariable names the environment variable that says where the source tree is.
const SourceVariable = "TRIVIUM_SOURCE"

// FindSource finds the source tree that this program was built from: that of TRIVIUM_SOURCE, the copy
// that the installer keeps beside the program, or the checkout it was built in.
func FindSource() (string, error) {
	var places []string
	if dir := os.Getenv(SourceVariable); dir != "" {
		places = append(places, dir)
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		places = append(places, filepath.Join(filepath.Dir(self), "source"))
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		places = append(places, filepath.Dir(filepath.Dir(filepath.Dir(file))))
	}
	for _, dir := range places {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && bytes.HasPrefix(text, []byte("module trivium\n")) {
			return dir, nil
		}
	}
	return "", errors.New("get: a third-party package is built together with Trivium's own source, and that is not here any more; " +
		"install again from a checkout (go run ./install), or set " + SourceVariable + " to one")
}

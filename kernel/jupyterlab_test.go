//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestJupyterLabClient uses the kernel with JupyterLab's own client library. The library is in
// the node_modules folder named by TRIVIUM_NODE_MODULES, made with npm ci from the
// package-lock.json in testdata/jupyterlab.
func TestJupyterLabClient(t *testing.T) {
	needPython(t, "notebook")
	modules := os.Getenv("TRIVIUM_NODE_MODULES")
	node, err := exec.LookPath("node")
	if modules == "" || err != nil {
		missing(t, "JupyterLab's client library is not there: TRIVIUM_NODE_MODULES is %q, node: %v", modules, err)
	}
	t.Parallel()
	dir := t.TempDir()
	script, err := os.ReadFile(filepath.Join("testdata", "jupyterlab", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cells, err := json.Marshal(map[string]string{"start": startCell, "plot": plotCell, "wait": waitCell})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, "client.mjs"), startNotebookServer(t, dir, "--NotebookApp.disable_check_xsrf=True"), string(cells))
	var errs strings.Builder
	cmd.Stderr, cmd.WaitDelay = &errs, 5*time.Second
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs.String())
	}
	var got struct {
		Info    struct{ Status, Implementation, Language, Extension string }
		Execute struct {
			Status, Text string
			Types        []string
		}
		Complete struct {
			Status  string
			Matches []string
			Start   int `json:"cursor_start"`
			End     int `json:"cursor_end"`
		}
		Inspect struct {
			Found bool
			Data  map[string]string
		}
		IsComplete struct{ Status, Indent string }
		History    [][]any
		Comms      struct {
			Status string
			Comms  map[string]any
		}
		Stdin struct {
			Prompts      [][]any
			Text, Status string
		}
		Interrupt struct {
			EName, Kept string
			MS          float64
		}
		Figure struct {
			Types        []string
			IDs, Late    int
			SVG, Changed bool
		}
		Restart  struct{ Status, EValue, Text string }
		Shutdown struct {
			Disposed bool
			Status   string
		}
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check := func(what string, ok bool, v any) {
		if !ok {
			t.Errorf("%s: %+v", what, v)
		}
	}
	check("info", got.Info.Status == "ok" && got.Info.Implementation == "trivium" && got.Info.Language == "go" && got.Info.Extension == ".go", got.Info)
	check("execute", got.Execute.Status == "ok" && got.Execute.Text == "hello\n42" &&
		slices.Equal(got.Execute.Types, []string{"status", "execute_input", "stream", "execute_result", "status"}), got.Execute)
	check("complete", slices.Equal(got.Complete.Matches, []string{"ToUpper", "ToUpperSpecial"}) && got.Complete.Start == 16 && got.Complete.End == 20, got.Complete)
	check("inspect", got.Inspect.Found && strings.Contains(got.Inspect.Data["text/markdown"], "Println formats"), got.Inspect)
	check("is_complete", got.IsComplete.Status == "incomplete" && got.IsComplete.Indent != "", got.IsComplete)
	check("history", len(got.History) == 1 && got.History[0][2] == "fmt.Println(\"hello\")\n6 * 7", got.History)
	check("comm_info", got.Comms.Status == "ok", got.Comms)
	check("stdin", got.Stdin.Status == "ok" && got.Stdin.Text == "hello Ada\n" && len(got.Stdin.Prompts) == 1 &&
		got.Stdin.Prompts[0][0] == "your name: " && got.Stdin.Prompts[0][1] == false, got.Stdin)
	check("interrupt", got.Interrupt.EName == "Interrupted" && got.Interrupt.Kept == "42" && got.Interrupt.MS < 1000, got.Interrupt)
	check("live figure", len(got.Figure.Types) >= 3 && got.Figure.Types[0] == "display_data" && got.Figure.Types[1] == "update_display_data" &&
		got.Figure.IDs == 1 && got.Figure.SVG && got.Figure.Changed && got.Figure.Late > 0, got.Figure)
	check("restart", got.Restart.Status == "error" && strings.Contains(got.Restart.EValue, "undefined: keep") && got.Restart.Text == "2", got.Restart)
	check("shutdown", got.Shutdown.Disposed || got.Shutdown.Status == "dead", got.Shutdown)
}

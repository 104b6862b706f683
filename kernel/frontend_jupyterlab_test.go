//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// These tests use JupyterLab's own notebook, bundled into a page of its own (see
// testdata/jupyterlab), on Debian's server. What they call on the page as window.lab is what
// the keys and menus of JupyterLab call. Screenshots are kept with go test -artifacts.

var labBundle struct {
	sync.Mutex
	dir string // of the bundle, "" until it is made
}

// bundleLab makes the page, once for all tests.
func bundleLab(t *testing.T) string {
	t.Helper()
	labBundle.Lock()
	defer labBundle.Unlock()
	if labBundle.dir != "" {
		return labBundle.dir
	}
	modules := os.Getenv("TRIVIUM_NODE_MODULES")
	node, err := exec.LookPath("node")
	if modules == "" || err != nil {
		missing(t, "JupyterLab's notebook is not there: TRIVIUM_NODE_MODULES is %q, node: %v", modules, err)
	}
	dir, err := os.MkdirTemp("", "trivium-lab-")
	if err != nil {
		t.Fatal(err)
	}
	labBundle.dir = dir
	cleanUp = func() { os.RemoveAll(dir) }
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "jupyterlab"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "page"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "build.mjs", "page")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("bundling the page: %v\n%s", err, out)
	}
	return dir
}

// startLab serves the page and the notebooks in dir.
func startLab(t *testing.T, dir string) string {
	t.Helper()
	needPython(t, "jupyter_server")
	page := filepath.Join(bundleLab(t), "page")
	return startServer(t, "jupyter_server", "ServerApp", "--ServerApp.root_dir="+dir,
		"--ServerApp.disable_check_xsrf=True", "--ServerApp.extra_static_paths="+page)
}

// openLab opens a notebook in a tab.
func openLab(t *testing.T, ctx context.Context, base, name, theme string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/static/notebook.html?path="+name+"&theme="+theme)); err != nil {
		t.Fatal(err)
	}
	pageSays(t, ctx, 40*time.Second, "the notebook is open and its kernel idle", `failures.length > 0 || !!window.lab && lab.status() === 'idle'`)
	noFailures(t, ctx)
}

func noFailures(t *testing.T, ctx context.Context) {
	t.Helper()
	if said := ask[string](t, ctx, `failures.join("\n")`); said != "" {
		t.Errorf("errors on the page: %s", said)
	}
}

// outputs is the text of all outputs of a lab page.
const outputs = `[...document.querySelectorAll('.jp-OutputArea-output')].map(o => o.innerText).join("\n")`

// figures are the sources of the pictures on a lab page: of frames that more will follow, and of
// last ones, which stand in HTML with a PNG for viewers without SVG.
const figures = `[...document.querySelectorAll('.jp-RenderedSVG img, .jp-RenderedHTML img[srcset]')].map(i => decodeURIComponent(i.getAttribute('srcset') || i.src))`

func do(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	ask[bool](t, ctx, "("+expression+", true)")
}

func labBrowser(t *testing.T) (chrome string) {
	t.Helper()
	chrome, err := exec.LookPath("chromium")
	if err != nil {
		missing(t, "chromium is not installed: %v", err)
	}
	return chrome
}

func TestJupyterLabNotebook(t *testing.T) {
	chrome := labBrowser(t)
	t.Parallel()
	dir := t.TempDir()
	writeNotebook(t, filepath.Join(dir, "live.ipynb"), "fmt.Println(\"hello from Go\")\n6 * 7", startCell, plotCell, waitCell)
	base := startLab(t, dir)
	ctx := startBrowser(t, chrome)
	openLab(t, ctx, base, "live.ipynb", "dark")

	// A figure grows in its place while the next cell runs.
	do(t, ctx, `lab.runAll().then(ok => { window.allRan = String(ok); })`)
	pageSays(t, ctx, 40*time.Second, "the figure is there", figures+`.length > 0`)
	first := ask[[]string](t, ctx, figures)
	early := ask[bool](t, ctx, `window.allRan === undefined`) // a busy machine may show the first frame when all is over
	pageSays(t, ctx, 40*time.Second, "all cells have run", `window.allRan !== undefined`)
	if ok := ask[string](t, ctx, `window.allRan`); ok != "true" {
		t.Errorf("run all: %s\n%s", ok, ask[string](t, ctx, outputs))
	}
	time.Sleep(time.Second) // the last frame comes at most 250 ms after the run
	last := ask[[]string](t, ctx, figures)
	if len(last) != 1 || early && last[0] == first[0] {
		t.Errorf("%d figures, want one that grew in its place", len(last))
	}
	for _, want := range []string{"hello from Go", "42", "state: done"} {
		if said := ask[string](t, ctx, outputs); !strings.Contains(said, want) {
			t.Errorf("%q is not in the outputs\n%s", want, said)
		}
	}
	keepScreenshot(t, ctx, "lab-dark.png")

	// The saved file holds the last frame.
	do(t, ctx, `lab.save().then(() => { window.saved = true; })`)
	pageSays(t, ctx, 20*time.Second, "the notebook is saved", `window.saved === true`)
	saved := shown(t, readNotebook(t, filepath.Join(dir, "live.ipynb"))[3], "image/svg+xml")
	if !strings.Contains(saved, "</svg>") || len(last) > 0 && !strings.Contains(last[0], strings.TrimSpace(saved)) {
		t.Errorf("the saved figure is not the last frame: %.200s", saved)
	}

	t.Run("stdin", func(t *testing.T) {
		do(t, ctx, `lab.run('var name string\nfmt.Print("your name: ")\nfmt.Scan(&name)\nfmt.Println("hello", name)')`)
		pageSays(t, ctx, 20*time.Second, "a field for input", `!!document.querySelector('.jp-Stdin-input')`)
		if err := chromedp.Do(ctx, chromedp.SendKeys(".jp-Stdin-input", "Ada\n")); err != nil {
			t.Fatal(err)
		}
		pageSays(t, ctx, 20*time.Second, "the cell has read it", outputs+`.includes('hello Ada')`)
	})
	t.Run("interrupt", func(t *testing.T) {
		do(t, ctx, `lab.run('kept := 41\nfor { kept = 42 }')`)
		pageSays(t, ctx, 20*time.Second, "the cell runs", `lab.status() === 'busy'`)
		time.Sleep(300 * time.Millisecond)
		do(t, ctx, `lab.interrupt()`)
		pageSays(t, ctx, 10*time.Second, "the cell has ended with an error", `lab.status() === 'idle' && `+outputs+`.toLowerCase().includes('interrupted')`)
		do(t, ctx, `lab.run('fmt.Println("kept", kept)')`)
		pageSays(t, ctx, 20*time.Second, "variables are kept", outputs+`.includes('kept 42')`)
	})
	t.Run("complete", func(t *testing.T) {
		do(t, ctx, `lab.complete('strings.ToUp')`)
		const items = `[...document.querySelectorAll('.jp-Completer-match')].map(i => i.innerText.trim()).join(' ')`
		pageSays(t, ctx, 20*time.Second, "completions", items+` === 'ToUpper ToUpperSpecial'`)
		keepScreenshot(t, ctx, "lab-complete.png")
	})
	t.Run("inspect", func(t *testing.T) {
		do(t, ctx, `lab.inspect('fmt.Println')`)
		pageSays(t, ctx, 20*time.Second, "documentation", `!!document.querySelector('.jp-Tooltip') && document.querySelector('.jp-Tooltip').innerText.includes('Println formats')`)
		keepScreenshot(t, ctx, "lab-inspect.png")
	})
	t.Run("reload", func(t *testing.T) {
		do(t, ctx, `lab.save().then(() => { window.saved = 2; })`)
		pageSays(t, ctx, 20*time.Second, "the notebook is saved", `window.saved === 2`)
		openLab(t, ctx, base, "live.ipynb", "light")
		before := len(ask[[]string](t, ctx, figures))
		do(t, ctx, `lab.run('viz.Curves("loss", work)')`)
		pageSays(t, ctx, 20*time.Second, "the same run is shown again", figures+fmt.Sprintf(`.length > %d`, before))
		again := ask[[]string](t, ctx, figures)
		if before != 1 || !strings.Contains(again[1], "20 values") {
			t.Errorf("%d figures after the reload, want 1; then %.300s", before, again[len(again)-1])
		}
		keepScreenshot(t, ctx, "lab-light.png")
	})
	t.Run("restart", func(t *testing.T) {
		do(t, ctx, `lab.restart().then(() => { window.restarted = true; })`)
		pageSays(t, ctx, 40*time.Second, "the kernel is back", `window.restarted === true && lab.status() === 'idle'`)
		do(t, ctx, `lab.run('kept')`)
		pageSays(t, ctx, 20*time.Second, "variables are gone", outputs+`.includes('undefined: kept')`)
		do(t, ctx, `lab.run('fmt.Println("back", 1+1)')`)
		pageSays(t, ctx, 20*time.Second, "cells run", outputs+`.includes('back 2')`)
	})
	noFailures(t, ctx)
}

// TestJupyterLabTwoNotebooks: each page shows its own kernel's figures and nothing of the other's.
func TestJupyterLabTwoNotebooks(t *testing.T) {
	chrome := labBrowser(t)
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"left", "right"} {
		writeNotebook(t, filepath.Join(dir, name+".ipynb"), strings.ReplaceAll(startCell, `"work"`, `"`+name+`"`), plotCell, `fmt.Println("this is `+name+`")`, waitCell)
	}
	base := startLab(t, dir)
	first := startBrowser(t, chrome)
	openLab(t, first, base, "left.ipynb", "light")
	second, closeTab := chromedp.NewContext(first)
	defer closeTab()
	openLab(t, second, base, "right.ipynb", "dark")
	for _, tab := range []context.Context{first, second} {
		do(t, tab, `lab.runAll().then(ok => { window.allRan = String(ok); })`)
	}
	for i, tab := range []context.Context{first, second} {
		own, other := []string{"left", "right"}[i], []string{"right", "left"}[i]
		pageSays(t, tab, 40*time.Second, "all cells have run", `window.allRan === 'true'`)
		time.Sleep(500 * time.Millisecond)
		pictures, said := strings.Join(ask[[]string](t, tab, figures), ""), ask[string](t, tab, outputs)
		if strings.Count(pictures, "</svg>") != 1 || !strings.Contains(pictures, own) || strings.Contains(pictures, ">"+other+"<") {
			t.Errorf("%s shows %d figures: %.400s", own, strings.Count(pictures, "</svg>"), pictures)
		}
		if !strings.Contains(said, "this is "+own) || strings.Contains(said, "this is "+other) {
			t.Errorf("%s says %s", own, said)
		}
		noFailures(t, tab)
	}
}

//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The tests of this file use controls as a reader does, in a browser: figures are switched and
// sliders moved while a cell is busy, the page is loaded anew, and the picture changes.

const (
	// busyCell keeps the session busy until the run of startLongCell is stopped.
	startLongCell = `import "time"

work := run.Start(ctx, run.Options{Name: "work", Total: 100000}, func(ctx context.Context, t *run.Trace) (any, error) {
	for i := 0; i < 100000; i++ {
		if err := run.Gate(ctx); err != nil {
			return nil, err
		}
		t.Sample("loss", float64(i), 1/float64(i+1))
		time.Sleep(10 * time.Millisecond)
	}
	return nil, nil
})`
	busyCell = `for work.State().String() == "running" || work.State().String() == "paused" {
	time.Sleep(10 * time.Millisecond)
}
fmt.Println("the run is", work.State())`
	interactCell = `nb.Interact(func(keep float64, sampler string, twice bool) string {
	if twice {
		keep *= 2
	}
	return fmt.Sprintf("picture of %.2f by %s", keep, sampler)
}, nb.Slider("keep", 0, 1).Start(0.25), nb.Choice("sampler", "norm", "uniform"), nb.Checkbox("twice"))`
)

// A front is a front end with a notebook in it; its expressions are JavaScript.
type front struct {
	serve  func(t *testing.T, dir string) (base string)
	path   string // of the page of the notebook controls.ipynb
	ready  string
	runAll string
	text   string // of the notebook
}

var classicFront = front{
	serve:  func(t *testing.T, dir string) string { return startNotebookServer(t, dir) },
	path:   "/notebooks/controls.ipynb",
	ready:  `!!(window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected())`,
	runAll: `Jupyter.notebook.execute_all_cells(), true`,
	text:   `document.querySelector('#notebook').innerText`,
}

var labFront = front{
	serve:  startLab,
	path:   "/static/notebook.html?path=controls.ipynb",
	ready:  `failures.length > 0 || !!window.lab && lab.status() === 'idle'`,
	runAll: `lab.runAll(), true`,
	text:   `document.querySelector('.jp-Notebook').innerText`,
}

// openFront opens a notebook with the given cells in a browser.
func openFront(t *testing.T, p front, cells ...string) context.Context {
	t.Helper()
	chrome := labBrowser(t)
	dir := t.TempDir()
	writeNotebook(t, filepath.Join(dir, "controls.ipynb"), cells...)
	base := p.serve(t, dir)
	ctx := startBrowser(t, chrome)
	if err := chromedp.Do(ctx, chromedp.Navigate(base+p.path)); err != nil {
		t.Fatal(err)
	}
	pageSays(t, ctx, 40*time.Second, "the kernel is connected", p.ready)
	return ctx
}

// testSwitches uses the switches of a growing figure while a cell is busy.
func testSwitches(t *testing.T, p front) {
	ctx := openFront(t, p, startLongCell, `viz.Curves("loss", work)`, busyCell)
	const patience = time.Minute // a page of a busy machine is slow
	press := func(name, choice string) {
		t.Helper()
		b := fmt.Sprintf(`document.querySelector('.trivium-page button[data-name=%q][data-choice=%q]')`, name, choice)
		pressed := b + `?.getAttribute('aria-pressed') === 'true'`
		if choice == "stopped" { // which takes the buttons away, and ends the busy cell
			pressed = p.text + `.includes('the run is stopped')`
		}
		// The buttons are made anew whenever one has acted: a click may meet one that is just going.
		for deadline := time.Now().Add(patience); !ask[bool](t, ctx, pressed); {
			if time.Now().After(deadline) {
				t.Fatalf("not within %v: the button %s of %s has acted", patience, choice, name)
			}
			ask[bool](t, ctx, b+`?.click(), true`)
			for again := time.Now().Add(3 * time.Second); time.Now().Before(again) && !ask[bool](t, ctx, pressed); {
				time.Sleep(50 * time.Millisecond)
			}
		}
	}
	ask[bool](t, ctx, p.runAll)
	// JupyterLab shows SVG as an image of its own, the classic Notebook as a part of the page.
	const svg = `([...document.querySelectorAll('svg')].map(s => s.textContent).concat(` + figures + `).find(s => s.includes('loss')) || '')`
	pageSays(t, ctx, patience, "the buttons are there", `document.querySelector('.trivium-page button[data-name="run"]') !== null`)
	pageSays(t, ctx, patience, "the figure is there", svg+` !== ''`)
	linear := ask[string](t, ctx, svg)
	press("y", "log")
	pageSays(t, ctx, patience, "the axis is logarithmic", fmt.Sprintf(svg+` !== %q`, linear))
	press("x", "seconds")
	pageSays(t, ctx, patience, "the x axis counts seconds", svg+`.includes('(s)')`)
	press("smoothing", "0.9")
	press("run", "paused")
	press("run", "running")
	keepScreenshot(t, ctx, "switches.png")
	press("run", "stopped")
	pageSays(t, ctx, patience, "there is nothing to stop", `document.querySelector('.trivium-page button[data-name="y"]') !== null && document.querySelector('.trivium-page button[data-name="run"]') === null`)
	press("y", "linear") // the figure is switched still
}

// testPlainControls moves the controls that a page without a widget manager makes.
func testPlainControls(t *testing.T, p front) {
	ctx := openFront(t, p, interactCell)
	ask[bool](t, ctx, p.runAll)
	says := func(what string) {
		t.Helper()
		pageSays(t, ctx, time.Minute, "the picture of "+what, fmt.Sprintf(p.text+`.includes('picture of %s')`, what))
	}
	says("0.25 by norm")
	pageSays(t, ctx, time.Minute, "the controls are there", `document.querySelectorAll('.trivium-page label').length === 3`)
	const set = `(e => { e.%s; e.dispatchEvent(new Event(%q)); return true })(document.querySelector('.trivium-page %s'))`
	ask[bool](t, ctx, fmt.Sprintf(set, "value = 0.4", "input", "input[type=range]"))
	says("0.40 by norm")
	ask[bool](t, ctx, fmt.Sprintf(set, "value = 'uniform'", "change", "select"))
	says("0.40 by uniform")
	ask[bool](t, ctx, fmt.Sprintf(set, "checked = true", "change", "input[type=checkbox]"))
	says("0.80 by uniform")
	// Many values at once: the last one counts.
	ask[bool](t, ctx, `(e => { for (let i = 0; i <= 50; i++) { e.value = i / 100; e.dispatchEvent(new Event('input')) } return true })(document.querySelector('.trivium-page input[type=range]'))`)
	says("1.00 by uniform")
	keepScreenshot(t, ctx, "controls.png")
}

// withoutWidgets turns off the widget manager that Debian's packages bring, which is of
// before the protocol that is spoken today.
func withoutWidgets(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notebook.json"), []byte(`{"load_extensions": {"jupyter-js-widgets/extension": false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("--ConfigManager.read_config_path=[%q]", dir)
}

func TestClassicSwitches(t *testing.T) {
	needPython(t, "notebook")
	t.Parallel()
	testSwitches(t, classicFront)
}

func TestClassicControls(t *testing.T) {
	needPython(t, "notebook")
	t.Parallel()
	p := classicFront
	p.serve = func(t *testing.T, dir string) string { return startNotebookServer(t, dir, withoutWidgets(t)) }
	testPlainControls(t, p)
}

func TestJupyterLabSwitches(t *testing.T) {
	t.Parallel()
	testSwitches(t, labFront)
}

func TestJupyterLabControls(t *testing.T) {
	t.Parallel()
	p := labFront
	p.path += "&widgets=0"
	testPlainControls(t, p)
}

// TestJupyterLabWidgets moves a slider of ipywidgets, loads the page anew, and moves it again.
func TestJupyterLabWidgets(t *testing.T) {
	t.Parallel()
	ctx := openFront(t, labFront, interactCell)
	ask[bool](t, ctx, labFront.runAll)
	const widgets = `document.querySelectorAll('.widget-slider, .widget-dropdown, .widget-checkbox').length`
	says := func(what string) {
		t.Helper()
		pageSays(t, ctx, time.Minute, "the picture of "+what, fmt.Sprintf(labFront.text+`.includes('picture of %s')`, what))
	}
	says("0.25 by norm")
	pageSays(t, ctx, time.Minute, "three widgets are there", widgets+` === 3`)
	if n := ask[int](t, ctx, `document.querySelectorAll('.trivium-page').length`); n != 0 {
		t.Errorf("%d pages of our own are beside the widgets", n)
	}
	choose := func(option string) {
		ask[bool](t, ctx, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event('change', {bubbles: true})); return true })(document.querySelector('.widget-dropdown select'))`, option))
	}
	choose("uniform")
	says("0.25 by uniform")
	ask[bool](t, ctx, `document.querySelector('.widget-checkbox input').click(), true`)
	says("0.50 by uniform")
	ask[bool](t, ctx, `document.querySelector('.noUi-target').noUiSlider.set(0.4), true`)
	says("0.80 by uniform")
	keepScreenshot(t, ctx, "widgets.png")
	ask[bool](t, ctx, `lab.save().then(() => { window.saved = true }), true`)
	pageSays(t, ctx, time.Minute, "the notebook is saved", `window.saved === true`)
	if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
		t.Fatal(err)
	}
	pageSays(t, ctx, time.Minute, "the kernel is connected again", labFront.ready)
	pageSays(t, ctx, time.Minute, "three widgets are there again", widgets+` === 3`)
	if got := ask[string](t, ctx, `document.querySelector('.widget-dropdown select').value`); got != "uniform" {
		t.Errorf("after loading the page anew the choice is %q, want uniform", got)
	}
	choose("norm")
	says("0.80 by norm")
	noFailures(t, ctx)
}

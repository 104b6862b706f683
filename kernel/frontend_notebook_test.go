//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestClassicNotebook opens a notebook in a browser, runs all cells, and looks at the page while a
// plot grows there. The screenshot is kept with go test -artifacts.
func TestClassicNotebook(t *testing.T) {
	needPython(t, "notebook")
	chrome, err := exec.LookPath("chromium")
	if err != nil {
		missing(t, "chromium is not installed: %v", err)
	}
	t.Parallel()
	dir := t.TempDir()
	writeNotebook(t, filepath.Join(dir, "live.ipynb"), "fmt.Println(\"hello from Go\")\n6 * 7", startCell, plotCell, waitCell)
	base := startNotebookServer(t, dir)

	ctx := startBrowser(t, chrome)
	openClassic(t, ctx, base, "live.ipynb")
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`Jupyter.notebook.execute_all_cells(), true`)); err != nil {
		t.Fatal(err)
	}
	// A frame that more will follow stands in the page, the last one is an image.
	const plots = `[...document.querySelectorAll('.output svg, .output img[srcset]')].map(e => e.tagName === 'IMG' ? decodeURIComponent(e.getAttribute('srcset')) : e.outerHTML)`
	const svg = `(` + plots + `[0] || '')`
	pageSays(t, ctx, 20*time.Second, "the plot is there", svg+` !== ''`)
	first := ask[string](t, ctx, svg)
	early := ask[bool](t, ctx, `Jupyter.notebook.get_cells().some(c => c.element.hasClass('running'))`) // a busy machine may show the first frame when all is over
	pageSays(t, ctx, 40*time.Second, "all cells have ended", `!Jupyter.notebook.get_cells().some(c => c.element.hasClass('running'))`)
	pageSays(t, ctx, 20*time.Second, "the run is reported", `document.querySelector('#notebook').innerText.includes('state: ')`)
	pageSays(t, ctx, 20*time.Second, "the last frame is there", `!!document.querySelector('.output img[srcset]')`)

	if last := ask[string](t, ctx, svg); early && last == first {
		t.Error("the plot did not change while the run went on")
	}
	if n := ask[int](t, ctx, plots+`.length`); n != 1 {
		t.Errorf("%d plots are on the page, want one that grew in its place", n)
	}
	for _, want := range []string{"hello from Go", "42"} {
		if !ask[bool](t, ctx, fmt.Sprintf(`document.querySelector('#notebook').innerText.includes(%q)`, want)) {
			t.Errorf("%q is not on the page", want)
		}
	}
	size := ask[[]float64](t, ctx, `(r => [r.width, r.height])(document.querySelector('.output svg, .output img[srcset]').getBoundingClientRect())`)
	if size[0] < 300 || size[1] < 150 {
		t.Errorf("the plot is %v pixels large, too small to read", size)
	}

	keepScreenshot(t, ctx, "notebook.png")

	// The saved file holds the last frame, and a page loaded anew shows it.
	last := ask[string](t, ctx, svg)
	do(t, ctx, `Jupyter.notebook.save_notebook().then(() => { window.saved = true; })`)
	pageSays(t, ctx, 10*time.Second, "the notebook is saved", `window.saved === true`)
	if saved := shown(t, readNotebook(t, filepath.Join(dir, "live.ipynb"))[3], "image/svg+xml"); !strings.Contains(saved, "20 values") {
		t.Errorf("the saved figure is not the last frame: %.300s", saved)
	}
	openClassic(t, ctx, base, "live.ipynb")
	pageSays(t, ctx, 10*time.Second, "the figure is there again", svg+` !== ''`)
	if again := ask[string](t, ctx, svg); again != last {
		t.Errorf("after loading anew the figure is\n%.300s\nit was\n%.300s", again, last)
	}
	// The run is still there: another cell shows it again.
	do(t, ctx, `Jupyter.notebook.insert_cell_at_bottom('code').set_text('viz.Curves("loss", work).LogY()')`)
	do(t, ctx, `Jupyter.notebook.get_cells().pop().execute()`)
	pageSays(t, ctx, 10*time.Second, "the run is shown again", plots+`.length === 2`)
	if text := ask[string](t, ctx, plots+`.pop()`); !strings.Contains(text, "20 values") {
		t.Errorf("shown again it says %s", text)
	}
}

// openClassic opens a notebook in a tab and waits for its kernel.
func openClassic(t *testing.T, ctx context.Context, base, name string) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/notebooks/"+name)); err != nil {
		t.Fatal(err)
	}
	pageSays(t, ctx, 20*time.Second, "the kernel is connected", `!!(window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected())`)
}

// keepScreenshot keeps a picture of the whole page, and checks that there is one.
func keepScreenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.ArtifactDir(), name)
	if err := os.WriteFile(name, shot, 0o600); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil || picture.Bounds().Dx() < 800 {
		t.Errorf("screenshot: %v", err)
	}
	t.Logf("screenshot: %s", name)
}

// startNotebookServer starts the classic Notebook on a loopback port and returns its address.
func startNotebookServer(t *testing.T, dir string, options ...string) string {
	return startServer(t, "notebook", "NotebookApp", "--notebook-dir="+dir, options...)
}

// startServer starts a server of Jupyter whose only kernel is this program.
func startServer(t *testing.T, module, app, root string, options ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	args := append([]string{"-m", module, "--no-browser", "--allow-root", "--ip=127.0.0.1", root,
		fmt.Sprintf("--port=%d", port), "--" + app + ".port_retries=0", "--" + app + ".token=", "--" + app + ".password=",
		"--KernelSpecManager.ensure_native_kernel=False", "--MultiKernelManager.default_kernel_name=trivium"}, options...)
	cmd := exec.Command(python, args...)
	var log bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = jupyterEnv(t), &log, &log, 2*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ends when it is stopped does not matter
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it ends its kernels first
		select {
		case <-ended:
		case <-time.After(30 * time.Second): // of a busy machine
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			t.Error("the notebook server had to be killed")
		}
		if t.Failed() {
			t.Logf("notebook server:\n%s", log.String())
		}
	})
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(base + "/api")
		if err == nil {
			resp.Body.Close()
			return base
		}
		select {
		case <-ended:
			t.Fatalf("the notebook server ended:\n%s", log.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the notebook server does not answer: %v", err)
		}
	}
}

// startBrowser starts a headless browser that asks nobody but the page's server for anything.
func startBrowser(t *testing.T, chrome string) context.Context {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chrome), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1100, 1400),
		chromedp.NoSandbox, chromedp.Headless,
	}
	for _, flag := range []string{"disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	alloc, stopAlloc := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(func() { stop(); stopAlloc() })
	return ctx
}

func ask[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// pageSays waits until an expression is true on the page.
func pageSays(t *testing.T, ctx context.Context, limit time.Duration, what, expression string) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ask[bool](t, ctx, expression); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s\n%s", limit, what, ask[string](t, ctx, `document.body.innerText`))
		}
	}
}

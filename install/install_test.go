package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trivium/kernel/notebook"
)

// onlyGo leaves nothing but Go on the PATH: no Jupyter, no Python.
func onlyGo(t *testing.T) {
	t.Helper()
	goCommand, err := exec.LookPath("go")
	if err == nil {
		goCommand, err = filepath.EvalSymlinks(goCommand)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(goCommand))
	for _, name := range []string{"JUPYTER_PATH", "JUPYTER_DATA_DIR", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("TRIVIUM_HISTORY", "none")
	if path, err := exec.LookPath("python3"); err == nil {
		t.Fatalf("%s is beside Go, so this test would show nothing", path)
	}
}

// call runs the program and fails the test if it ends with another status.
func call(t *testing.T, status int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), args, &out, &errs); got != status {
		t.Fatalf("%v: status %d, want %d\n%s%s", args, got, status, &out, &errs)
	}
	return out.String(), errs.String()
}

func hasAll(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestInstall does what the README says on a machine that has only Go, twice, and takes it back.
func TestInstall(t *testing.T) {
	onlyGo(t)
	prefix := t.TempDir()
	spec := filepath.Join(prefix, "share", "jupyter", "kernels", "trivium")

	out, _ := call(t, 1, "check", "-prefix", prefix)
	hasAll(t, out, "FAIL", "go run ./install")

	out, _ = call(t, 0, "-prefix", prefix, "-lesson", "testdata/lesson.ipynb")
	page := filepath.Join(prefix, "share", "trivium", "lesson.html")
	hasAll(t, out, `installed "Go (Trivium)": `+spec, "1+1 = 2", "A lesson for the tests of the installer", "[2/2] nb.Await(work)",
		page, strings.TrimSuffix(page, ".html")+".ipynb", "Jupyter was not found", "pip install jupyterlab", "JUPYTER_PATH=")
	checkSpec(t, spec)
	checkLesson(t, strings.TrimSuffix(page, ".html")+".ipynb")
	html, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(html, []byte("<svg")) || !bytes.Contains(html, []byte("lesson done")) {
		t.Errorf("the page (%v) has no plot or no output", err)
	}

	out, _ = call(t, 0, "check", "-prefix", prefix)
	hasAll(t, out, "ok       start: ", "1+1 = 2", "missing  JupyterLab", "JUPYTER_PATH="+filepath.Dir(filepath.Dir(spec)))
	if strings.Contains(out, "FAIL") {
		t.Errorf("check finds a failure:\n%s", out)
	}

	// A second install while the first kernel is working does not disturb it.
	k, err := notebook.Start(t.Context(), notebook.Launch{Argv: installedArgv(t, spec)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Kill()
	call(t, 0, "-prefix", prefix, "-no-run")
	nb := notebook.New(notebook.NewCell(notebook.Code, "6 * 7"))
	if err := k.Runner().Run(t.Context(), nb); err != nil || nb.Cells[0].Outputs[0].Form("text/plain") != "42" {
		t.Errorf("the kernel that ran during the second install: %v", err)
	}
	if err := k.Shutdown(0); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(spec, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	call(t, 0, "uninstall", "-prefix", prefix)
	if _, err := os.Stat(spec); !os.IsNotExist(err) {
		t.Errorf("after uninstall: %v", err)
	}
	out, _ = call(t, 0, "uninstall", "-prefix", prefix)
	hasAll(t, out, "nothing to remove")
}

func installedArgv(t *testing.T, spec string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(spec, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct{ Argv []string }
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s.Argv
}

// checkSpec reads the kernel spec as a front end would.
func checkSpec(t *testing.T, dir string) {
	t.Helper()
	argv := installedArgv(t, dir)
	if len(argv) != 4 || !filepath.IsAbs(argv[0]) || argv[3] != "{connection_file}" {
		t.Errorf("argv is %q", argv)
	}
	data, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s["language"] != "go" || s["interrupt_mode"] != "message" || s["display_name"] != "Go (Trivium)" {
		t.Errorf("kernel.json is %s", data)
	}
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		img, err := png.DecodeConfig(f)
		if err != nil || img.Width != size || img.Height != size {
			t.Errorf("%s: %v, %d×%d", name, err, img.Width, img.Height)
		}
		f.Close()
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "logo-svg.svg")); err != nil || !bytes.HasPrefix(svg, []byte("<svg")) {
		t.Errorf("logo-svg.svg: %v", err)
	}
}

func checkLesson(t *testing.T, name string) {
	t.Helper()
	nb, err := notebook.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var plots, words bool
	for _, c := range nb.Cells {
		for _, out := range c.Outputs {
			plots = plots || strings.Contains(out.Form("image/svg+xml"), "</svg>")
			words = words || out.Text == "lesson done\n"
		}
	}
	if !plots || !words {
		t.Errorf("the executed lesson has plots %v, printed text %v", plots, words)
	}
}

func TestRefuses(t *testing.T) {
	prefix := t.TempDir()
	other := filepath.Join(prefix, "share", "jupyter", "kernels", "other")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "kernel.json"), []byte(`{"argv":["python"],"display_name":"Mine"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"unknown option":       {[]string{"-frob"}, 2, "-frob"},
		"unknown command":      {[]string{"remove"}, 2, "check and uninstall"},
		"two places":           {[]string{"-user", "-prefix", "/x"}, 2, "exclude"},
		"name with a slash":    {[]string{"-name", "../x"}, 2, "-name"},
		"name of dots":         {[]string{"-name", ".."}, 2, "-name"},
		"no display name":      {[]string{"-display-name", " "}, 2, "-display-name"},
		"over another kernel":  {[]string{"-prefix", prefix, "-name", "other"}, 1, "another kernel"},
		"removing another one": {[]string{"uninstall", "-prefix", prefix, "-name", "other"}, 1, "by hand"},
		"prefix is a file":     {[]string{"-prefix", filepath.Join(other, "kernel.json")}, 1, "-prefix"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := call(t, c.status, c.args...)
			if !strings.HasPrefix(errs, "install: ") || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
				t.Errorf("want one line with %q, got\n%s", c.want, errs)
			}
		})
	}
}

// The folders are those of jupyter_core's documentation.
func TestUserDataDir(t *testing.T) {
	for _, c := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", nil, "/home/u/.local/share/jupyter"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/x"}, "/x/jupyter"},
		{"freebsd", nil, "/home/u/.local/share/jupyter"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/x"}, "/home/u/Library/Jupyter"},
		{"windows", map[string]string{"APPDATA": "/home/u/R"}, "/home/u/R/jupyter"},
		{"windows", map[string]string{"APPDATA": "/home/u/R", "JUPYTER_DATA_DIR": "/d"}, "/d"},
	} {
		if runtime.GOOS == "windows" {
			t.Skip("the expected paths are written with slashes")
		}
		if got := userDataDir(c.goos, "/home/u", func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s %v: %s, want %s", c.goos, c.env, got, c.want)
		}
	}
}

// Jupyter itself, where it is installed, finds its user's kernels where we say.
func TestUserDataDirIsJupyters(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import jupyter_core").Run(); err != nil {
		if os.Getenv("TRIVIUM_CI") == "1" {
			t.Fatalf("jupyter_core is not installed: %v", err)
		}
		t.Skipf("jupyter_core is not installed: %v", err)
	}
	for _, env := range [][2]string{{"JUPYTER_DATA_DIR", ""}, {"XDG_DATA_HOME", "/tmp/xdg"}, {"JUPYTER_DATA_DIR", "/tmp/data"}} {
		t.Setenv(env[0], env[1])
		out, err := exec.Command(python, "-c", "from jupyter_core.paths import jupyter_data_dir; print(jupyter_data_dir())").Output()
		if err != nil {
			t.Fatal(err)
		}
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := userDataDir(runtime.GOOS, home, os.Getenv), strings.TrimSpace(string(out)); got != want {
			t.Errorf("%s=%s: %s, Jupyter says %s", env[0], env[1], got, want)
		}
	}
}

// The two drawings of the logo are the same picture: where the SVG has a circle's colour in the
// middle, so has the image.
func TestLogo(t *testing.T) {
	img := logoImage(64)
	for i, s := range logo {
		if s.x1 != s.x2 || s.y1 != s.y2 || i == len(logo)-2 { // not a circle, or the ring around the white one
			continue
		}
		got := img.At(int(s.x1), int(s.y1))
		gr, gg, gb, _ := got.RGBA()
		wr, wg, wb, _ := s.fill.RGBA()
		if gr != wr || gg != wg || gb != wb {
			t.Errorf("shape %d at (%g, %g): %v, want %v", i, s.x1, s.y1, got, s.fill)
		}
	}
	if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
		t.Error("the corner is not transparent")
	}
}

// What the installer says to type has to survive a path with a space.
func TestQuoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("asks a Unix shell")
	}
	for _, path := range []string{"/a/b-c_d.e", "/a b/c", "/it's/$HOME", "/x;y"} {
		out, err := exec.Command("sh", "-c", "printf %s "+quoted(path)).Output()
		if err != nil || string(out) != path {
			t.Errorf("%s becomes %q in a shell (%v)", path, out, err)
		}
	}
}

package numtest

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// OpenBLAS has kernels for the processors that it knew when it was released. A newer one may get those of a
// processor without AVX, a fifth as fast, and then a comparison tells nothing of either. So each benchmark that
// starts a baseline has it run with the fastest of the kernels.

// openBLASKernels are tried besides the one that OpenBLAS chooses.
var openBLASKernels = []string{"", "Haswell", "SkylakeX"}

// openBLASProbe prints whose library numpy's products are, the kernels it uses and the best time of a product. The
// product is checked: a kernel may run on a processor that it computes wrong results on.
const openBLASProbe = `
import ctypes, time
import numpy as np

g = np.random.default_rng(0)
a, b = g.random((512, 512), "f"), g.random((512, 512), "f")
best = 1e9
for _ in range(12):
    t = time.perf_counter()
    c = a @ b
    best = min(best, time.perf_counter() - t)
assert np.allclose(c, np.einsum("ij,jk->ik", a.astype("d"), b.astype("d"), optimize=False), rtol=1e-4)
name = "other"
for line in open("/proc/self/maps"):
    if "openblas" in line:
        f = ctypes.CDLL(line.split()[-1]).openblas_get_corename
        f.restype = ctypes.c_char_p
        name = f().decode()
        break
print(name, best)
`

// openBLAS gives the setting with which OpenBLAS is fastest here, "" for none. It is an error if numpy's products
// are not those of OpenBLAS.
var openBLAS = sync.OnceValues(func() (setting string, err error) {
	fastest := 0.0
	for _, kernel := range openBLASKernels {
		cmd := exec.Command(python, "-c", openBLASProbe)
		cmd.Env = append(baselineEnv(1), "OPENBLAS_CORETYPE="+kernel)
		if kernel == "" {
			cmd.Env = cmd.Env[:len(cmd.Env)-1]
		}
		out, err := cmd.Output()
		name, time, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		seconds, parseErr := strconv.ParseFloat(time, 64)
		switch {
		case kernel != "" && (err != nil || parseErr != nil || name != kernel):
			continue // it has none of that name, or the processor cannot run it
		case err != nil || parseErr != nil:
			return "", errors.Join(err, parseErr)
		case name == "other":
			return "", errors.New("numpy's products are not those of OpenBLAS: install Debian's libopenblas0-openmp")
		}
		if fastest == 0 || seconds < 0.9*fastest { // not for noise
			fastest, setting = seconds, ""
			if kernel != "" {
				setting = "OPENBLAS_CORETYPE=" + kernel
			}
		}
	}
	return setting, nil
})

// HasOpenBLAS tells what keeps numpy's and torch's products from being those of OpenBLAS, nil if nothing does. With
// TRIVIUM_CI=1 that ends the benchmark.
func HasOpenBLAS(b testing.TB) error {
	b.Helper()
	_, err := openBLAS()
	if err != nil && os.Getenv("TRIVIUM_CI") == "1" {
		b.Fatal(err)
	}
	return err
}

//go:build unix && !linux

package link

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fionread is FIONREAD of the BSDs, macOS included; x/sys does not name it.
const fionread = 0x4004667f

func buffered(fd uintptr) int {
	n, err := unix.IoctlGetInt(int(fd), fionread)
	if err != nil {
		return 0
	}
	return n
}

func widen(*os.File) {}

// attributes keeps the evaluator out of the terminal's process group. Its life is tied to
// the kernel's by the pipes alone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Resident is not known on this system.
func Resident(int) int64 { return 0 }

// MachineMemory is not known on this system.
func MachineMemory() int64 { return 0 }

package link

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// handlesVariable names the evaluator's ends of the link's pipes to it: on Windows a program
// inherits handles by their number.
const handlesVariable = "TRIVIUM_LINK"

// inherit gives files to the program that cmd starts, which lives in a group of its own:
// Ctrl-C in a console is for the kernel to handle.
func inherit(cmd *exec.Cmd, files []*os.File) {
	attr := &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	var numbers []string
	for _, f := range files {
		h := syscall.Handle(f.Fd())
		// Where this fails the evaluator finds no pipe, and says so.
		_ = syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT)
		attr.AdditionalInheritedHandles = append(attr.AdditionalInheritedHandles, h)
		numbers = append(numbers, fmt.Sprint(uintptr(h)))
	}
	cmd.SysProcAttr = attr
	cmd.Env = append(cmd.Environ(), handlesVariable+"="+strings.Join(numbers, ","))
}

func widen(*os.File) {}

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// available returns how many bytes a pipe holds; an error when its other end is closed.
func available(fd uintptr) (int, error) {
	var n uint32
	if ok, _, err := peekNamedPipe.Call(fd, 0, 0, 0, uintptr(unsafe.Pointer(&n)), 0); ok == 0 {
		return 0, err
	}
	return int(n), nil
}

func buffered(fd uintptr) int {
	n, _ := available(fd) // 0 at the end
	return n
}

func readSome(fd uintptr, buf []byte) (int, error) { return syscall.Read(syscall.Handle(fd), buf) }

// run hands on text as it arrives until the pipe is closed on either side. A read would block
// with the lock held, so it is made only when there is something.
func (p *textPipe) run() {
	for {
		n, ended := 0, false
		err := p.raw.Control(func(fd uintptr) {
			p.mu.Lock()
			defer p.mu.Unlock()
			var err error
			if n, err = available(fd); err != nil || n == 0 {
				ended = err != nil
				return
			}
			if n, err = readSome(fd, p.buf[:min(n, len(p.buf))]); err != nil || n <= 0 {
				ended = true
				return
			}
			p.hand(p.buf[:n])
		})
		if err != nil || ended {
			return
		}
		if n == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// EndGroup ends the first process of a group; what it has started may outlive it.
func EndGroup(id int) {
	if p, err := os.FindProcess(id); err == nil {
		_ = p.Kill()
	}
}

// Resident is not known on this system.
func Resident(int) int64 { return 0 }

// MachineMemory is not known on this system.
func MachineMemory() int64 { return 0 }

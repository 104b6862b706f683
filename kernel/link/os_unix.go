//go:build unix

package link

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// inherit gives files to the program that cmd starts, as descriptors 3 and up.
func inherit(cmd *exec.Cmd, files []*os.File) {
	cmd.ExtraFiles = files
	cmd.SysProcAttr = attributes()
}

// EndGroup ends the processes of a group.
func EndGroup(id int) {
	if id > 1 { // 0 and 1 mean others
		_ = syscall.Kill(-id, syscall.SIGKILL)
	}
}

// run hands on text as it arrives until the pipe is closed on either side.
func (p *textPipe) run() {
	for {
		ended := false
		err := p.raw.Read(func(fd uintptr) (done bool) {
			p.mu.Lock()
			defer p.mu.Unlock()
			n, err := readSome(fd, p.buf)
			if errors.Is(err, syscall.EAGAIN) {
				return false // wait in the poller, without the lock
			}
			if n <= 0 {
				ended = true
				return true
			}
			p.hand(p.buf[:n])
			return true
		})
		if err != nil || ended {
			return
		}
	}
}

func readSome(fd uintptr, buf []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), buf)
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}

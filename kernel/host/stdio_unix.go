//go:build unix

package host

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// stdio keeps what the descriptors 1 and 2 were when the process began. A cell may close
// them: by os.Stdout.Close(), or by a file made with os.NewFile(1, …) that the collector finds
// later. What the next cells print would be lost, or go to a file of theirs that has got the
// number.
type stdio struct{ kept [2]int }

func openStdio() *stdio {
	s := &stdio{}
	for i := range s.kept {
		fd, err := unix.FcntlInt(uintptr(i+1), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			fd = -1
		}
		s.kept[i] = fd
	}
	return s
}

// repair opens the two anew if they are not what they were. It is called between cells.
func (s *stdio) repair() {
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		if s.kept[i] < 0 {
			continue
		}
		fd := i + 1
		if !same(fd, s.kept[i]) {
			if err := duplicate(s.kept[i], fd); err != nil {
				continue
			}
		}
		if f == nil {
			continue
		}
		if _, err := f.Stat(); errors.Is(err, os.ErrClosed) {
			*f = *os.NewFile(uintptr(fd), f.Name()) // whoever holds f can print again
		}
	}
}

// same reports whether two descriptors are of one file.
func same(a, b int) bool {
	var x, y unix.Stat_t
	return unix.Fstat(a, &x) == nil && unix.Fstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}

func (s *stdio) close() {
	for _, fd := range s.kept {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

//go:build unix

package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// stdio keeps what the descriptors 1 and 2 were when the process began. A cell may close
// them: by os.Stdout.Close(), or by a file made with os.NewFile(1, …) that the collector finds
// later. What the next cells print would be lost, or go to a file of theirs that has got the
// number.
type stdio struct {
	kept [2]int
	are  [2]unix.Stat_t // of kept
}

func openStdio() *stdio {
	s := &stdio{}
	for i := range s.kept {
		fd, err := unix.FcntlInt(uintptr(i+1), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil || unix.Fstat(fd, &s.are[i]) != nil {
			fd = -1
		}
		s.kept[i] = fd
	}
	return s
}

// repair opens the two anew if they are not what they were. It is called before every cell, so it
// makes two system calls only where nothing is amiss.
func (s *stdio) repair() {
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		if s.kept[i] < 0 {
			continue
		}
		fd := i + 1
		if !isFile(fd, &s.are[i]) {
			if err := duplicate(s.kept[i], fd); err != nil {
				continue
			}
		}
		if f == nil {
			continue
		}
		if closed(f) {
			*f = *os.NewFile(uintptr(fd), f.Name()) // whoever holds f can print again
		}
	}
}

// isFile reports whether a descriptor is of the file.
func isFile(fd int, is *unix.Stat_t) bool {
	var x unix.Stat_t
	return unix.Fstat(fd, &x) == nil && x.Dev == is.Dev && x.Ino == is.Ino
}

// closed reports whether somebody has closed f. It asks nothing of the system.
func closed(f *os.File) bool {
	raw, err := f.SyscallConn()
	return err != nil || raw.Control(func(uintptr) {}) != nil
}

func (s *stdio) close() {
	for _, fd := range s.kept {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

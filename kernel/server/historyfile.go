package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// historyFile keeps entries as lines of JSON. Several kernels write to one file, each under
// a lock, which is a file of its own because the history itself is replaced when it is
// shortened.
type historyFile struct {
	path string
	most int64 // bytes at which it is shortened to half; 0 means 8 MB
}

// locked calls do while no other kernel writes.
func (f *historyFile) locked(do func() error) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(f.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // which unlocks
	if err := lockFile(lock); err != nil {
		return fmt.Errorf("locking %s: %w", lock.Name(), err)
	}
	return do()
}

// newSession takes the next session number.
func (f *historyFile) newSession() (session int, err error) {
	err = f.locked(func() error {
		if err := f.shorten(); err != nil {
			return err
		}
		last, err := f.last()
		if err != nil {
			return err
		}
		session = last + 1
		return f.write([]entry{{}}, session)
	})
	return session, err
}

// append adds entries of a session.
func (f *historyFile) append(entries []entry, session int) error {
	return f.locked(func() error { return f.write(entries, session) })
}

func (f *historyFile) write(entries []entry, session int) error {
	var lines []byte
	for _, e := range entries {
		e.Session = session
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(lines)
	return errors.Join(err, file.Close())
}

// last is the highest session number among the file's last entries, 0 for a new file. It
// reads the end of the file only, since a kernel starts with it.
func (f *historyFile) last() (int, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	for tail := int64(64 << 10); ; tail *= 16 {
		start := max(size-tail, 0)
		b := make([]byte, size-start)
		if _, err := file.ReadAt(b, start); err != nil && err != io.EOF {
			return 0, err
		}
		session := 0
		for line := range bytes.Lines(b) {
			var e entry // the first line may have lost its beginning
			if json.Unmarshal(line, &e) == nil {
				session = max(session, e.Session)
			}
		}
		if session > 0 || start == 0 {
			return session, nil
		}
	}
}

// read returns all entries. A line that cannot be read, such as one that a full disk cut
// off, is left out.
func (f *historyFile) read() ([]entry, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []entry
	r := bufio.NewReader(file)
	for {
		line, err := r.ReadBytes('\n')
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Session > 0 {
			out = append(out, e)
		}
		if err == io.EOF {
			return out, nil
		} else if err != nil {
			return out, err
		}
	}
}

// shorten drops the older half of a file that has grown too large.
func (f *historyFile) shorten() error {
	most := f.most
	if most == 0 {
		most = 8 << 20
	}
	info, err := os.Stat(f.path)
	if err != nil || info.Size() <= most {
		return nil // what is wrong with the file, writing to it will tell
	}
	b, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	b = b[len(b)-int(min(most/2, int64(len(b)))):]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[i+1:]
	}
	tmp := f.path + ".tmp"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, f.path)
}

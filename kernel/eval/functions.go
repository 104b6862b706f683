package eval

import (
	"sync"
	"sync/atomic"
)

// functions knows the declared functions, and which of them stand in the place of earlier ones. Calls ask, so
// that also those of functions that run, and of function literals that exist already, call what has been declared
// last.
type functions struct {
	changes atomic.Uint64 // how often one has been declared again
	mu      sync.Mutex
	named   map[string]*node // by name in the output
	by      map[*node]*node  // of one that has been declared again, a later one
}

func (fs *functions) declare(name string, def *node) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.named[name] = def
}

// replace has calls of a function call another of its type.
func (fs *functions) replace(was, now string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if a, b := fs.named[was], fs.named[now]; a != nil && b != nil && a != b {
		fs.by[a] = b
		fs.changes.Add(1)
	}
}

// now gives what stands in the place of a function.
func (fs *functions) now(def *node) *node {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.last(def)
}

// nowOf is now for a name in the output.
func (fs *functions) nowOf(name string) *node {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.last(fs.named[name])
}

func (fs *functions) last(def *node) *node {
	last := def
	for fs.by[last] != nil {
		last = fs.by[last]
	}
	for def != last { // so that the next time is one step
		def, fs.by[def] = fs.by[def], last
	}
	return last
}

// rtFunc gives the value of a declared function, by its name in the output. It stays that function when it is
// declared again.
func (s *Session) rtFunc(name string) any {
	l := s.layout
	def := l.functions.nowOf(name)
	maker := sync.OnceValue(func() *frameMaker { return newFrameMaker(def, 0) })
	return l.valueOf(def, typeOf(def.typ), len(def.typ.ret), maker, l.globals(s.in)).Interface()
}

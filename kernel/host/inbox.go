package host

import "sync"

// An inbox is a queue without an end, so that who puts something in never waits. One goroutine
// takes out.
type inbox[T any] struct {
	mu     sync.Mutex
	items  []T
	closed bool
	wake   chan struct{} // has an element when there may be something; closed by close
}

func newInbox[T any]() *inbox[T] { return &inbox[T]{wake: make(chan struct{}, 1)} }

// put adds v; what is put into a closed inbox is dropped.
func (b *inbox[T]) put(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.items = append(b.items, v)
	b.signal()
}

func (b *inbox[T]) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take removes the first element. It does not wait; wake says when there is one.
func (b *inbox[T]) take() (v T, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) == 0 || b.closed {
		return v, false
	}
	v = b.items[0]
	if b.items = b.items[1:]; len(b.items) > 0 {
		b.signal()
	} else {
		b.items = nil
	}
	return v, true
}

func (b *inbox[T]) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	close(b.wake)
}

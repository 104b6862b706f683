package display

import (
	"context"
	"sync"
	"time"
)

// budget limits the bytes per second of all live outputs together. Frames go in the order in
// which they come: each is given the moment at which those before it are paid for. A frame
// may go at once when nothing is owed, however large it is.
type budget struct {
	rate float64 // bytes per second

	mu   sync.Mutex
	free time.Time // when all that was let go is paid for
}

// take waits until a frame of n bytes may go out.
func (b *budget) take(ctx context.Context, n int) error {
	b.mu.Lock()
	now := time.Now()
	if b.free.Before(now) {
		b.free = now
	}
	wait := b.free.Sub(now)
	b.free = b.free.Add(time.Duration(float64(n) / b.rate * float64(time.Second)))
	b.mu.Unlock()
	if wait == 0 {
		return nil
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

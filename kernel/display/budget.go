package display

import (
	"context"
	"sync"
	"time"
)

// budget limits the bytes per second of all live outputs together. It lets a frame go when
// nothing is owed, however large the frame is, and the next one waits until it is paid for.
type budget struct {
	rate float64 // bytes per second

	mu   sync.Mutex
	owed float64
	at   time.Time
}

// take waits until a frame of n bytes may go out.
func (b *budget) take(ctx context.Context, n int) error {
	for {
		b.mu.Lock()
		now := time.Now()
		if !b.at.IsZero() {
			b.owed = max(0, b.owed-now.Sub(b.at).Seconds()*b.rate)
		}
		b.at = now
		if b.owed == 0 {
			b.owed = float64(n)
			b.mu.Unlock()
			return nil
		}
		wait := time.Duration(b.owed / b.rate * float64(time.Second))
		b.mu.Unlock()
		select {
		case <-time.After(max(wait, time.Millisecond)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

package zmtp

import (
	"context"
	"path/filepath"
	"testing"
)

// echoed is a connection to a ROUTER that sends everything back.
func echoed(b *testing.B, network string) *Conn {
	endpoint := "tcp://127.0.0.1:0"
	if network == "ipc" {
		endpoint = "ipc://" + filepath.Join(b.TempDir(), "s")
	}
	s, err := ListenRouter(endpoint, Options{})
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range s.Incoming() {
			if err := s.Send(m.Peer, m.Frames); err != nil {
				b.Error(err)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	c, err := Dial(ctx, Dealer, at(s), "", Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		c.Close(0)
		s.Close(0)
		<-done
	})
	return c
}

func BenchmarkEcho(b *testing.B) {
	for _, network := range []string{"tcp", "ipc"} {
		for name, size := range map[string]int{"100B": 100, "100MB": 100_000_000} {
			b.Run(network+"/"+name, func(b *testing.B) {
				c := echoed(b, network)
				frames := [][]byte{make([]byte, size)}
				b.SetBytes(2 * int64(size))
				for b.Loop() {
					if err := c.Send(frames); err != nil {
						b.Fatal(err)
					}
					<-c.Incoming()
				}
			})
		}
	}
}

func BenchmarkPublish(b *testing.B) {
	s, err := ListenXPub("tcp://127.0.0.1:0", Options{Welcome: func(string) [][]byte { return bytesOf("welcome") }})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(0)
	c, err := Dial(b.Context(), Sub, at(s), "", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(0)
	if err := c.Subscribe(""); err != nil {
		b.Fatal(err)
	}
	<-c.Incoming()
	b.ResetTimer()
	go func() {
		for i := range b.N {
			s.Publish(numbered(i, 100))
		}
	}()
	for range b.N {
		<-c.Incoming()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
}

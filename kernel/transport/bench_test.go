package transport

import (
	"context"
	"strings"
	"testing"
	"time"

	"trivium/kernel/wire"
)

// running is a client of a toyKernel on real sockets.
func running(b *testing.B, transport string) *Client {
	conn, err := NewConnection()
	if err != nil {
		b.Fatal(err)
	}
	if transport == "ipc" {
		conn.Transport, conn.IP = "ipc", b.TempDir()+"/k"
	}
	s, err := Listen(conn, b.Logf)
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		toyKernel(b, s)
	}()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Second)
	defer cancel()
	c, err := Dial(ctx, conn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		c.Close()
		s.Close(0)
		<-done
	})
	return c
}

func execute(b *testing.B, c *Client, code string) {
	m, err := wire.NewMessage(wire.TypeExecuteRequest, nil, wire.ExecuteRequest{Code: code})
	if err == nil {
		err = c.Send(Shell, m)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// idle reads output until a request has been dealt with: four messages and the reply.
func idle(c *Client) {
	for range 4 {
		<-c.IOPub()
	}
	<-c.Receive(Shell)
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, transport := range []string{"tcp", "ipc"} {
		b.Run(transport, func(b *testing.B) {
			c := running(b, transport)
			for b.Loop() {
				execute(b, c, "1")
				idle(c)
			}
		})
	}
}

func BenchmarkPipelined(b *testing.B) {
	for _, transport := range []string{"tcp", "ipc"} {
		b.Run(transport, func(b *testing.B) {
			c := running(b, transport)
			b.ResetTimer()
			go func() {
				for range b.N {
					execute(b, c, "1")
				}
			}()
			for range b.N {
				idle(c)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "exec/s")
		})
	}
}

// 100 MB to the kernel and back as output.
func BenchmarkLarge(b *testing.B) {
	code := strings.Repeat("x", 100_000_000)
	for _, transport := range []string{"tcp", "ipc"} {
		b.Run(transport, func(b *testing.B) {
			c := running(b, transport)
			b.SetBytes(2 * int64(len(code)))
			for b.Loop() {
				execute(b, c, code)
				idle(c)
			}
		})
	}
}

package unblock

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"reflect"
	"runtime"
	"time"
)

// Wrap replaces functions in the table of an importable package, by name, where the package is
// one of those that wait for the world outside.
func Wrap(path string, table map[string]reflect.Value) { all.wrap(path, table) }

func (ws *waiters) wrap(path string, table map[string]reflect.Value) {
	for name, f := range ws.replacements(path) {
		if was, ok := table[name]; ok && was.Type() == reflect.TypeOf(f) {
			table[name] = reflect.ValueOf(f)
		}
	}
}

func (ws *waiters) replacements(path string) map[string]any {
	switch path {
	case "net":
		return ws.net()
	case "net/http":
		ws.transport.Do(ws.dialTransport) // a dialer that a cell sets later stays
		return map[string]any{
			"ListenAndServe": func(address string, h http.Handler) error {
				return ws.serve(address, func(l net.Listener) error { return http.Serve(l, h) })
			},
			"ListenAndServeTLS": func(address, cert, key string, h http.Handler) error {
				return ws.serve(address, func(l net.Listener) error { return http.ServeTLS(l, h, cert, key) })
			},
			"Serve": func(l net.Listener, h http.Handler) error {
				return ws.closing(l, func() error { return http.Serve(l, h) })
			},
		}
	case "os/exec":
		return map[string]any{
			"Command": func(name string, args ...string) *exec.Cmd {
				return ws.command(context.Background(), name, args...)
			},
			"CommandContext": ws.command,
		}
	}
	return nil
}

func (ws *waiters) net() map[string]any {
	return map[string]any{
		"Dial": func(network, address string) (net.Conn, error) {
			return ws.dial(context.Background(), net.Dialer{}, network, address)
		},
		"DialTimeout": func(network, address string, t time.Duration) (net.Conn, error) {
			return ws.dial(context.Background(), net.Dialer{Timeout: t}, network, address)
		},
		"DialTCP": func(network string, from, to *net.TCPAddr) (*net.TCPConn, error) {
			c, err := net.DialTCP(network, from, to)
			ws.opened(c)
			return c, err
		},
		"DialUDP": func(network string, from, to *net.UDPAddr) (*net.UDPConn, error) {
			c, err := net.DialUDP(network, from, to)
			ws.opened(c)
			return c, err
		},
		"DialUnix": func(network string, from, to *net.UnixAddr) (*net.UnixConn, error) {
			c, err := net.DialUnix(network, from, to)
			ws.opened(c)
			return c, err
		},
		"Listen": func(network, address string) (net.Listener, error) {
			l, err := net.Listen(network, address)
			ws.opened(l)
			return l, err
		},
		"ListenTCP": func(network string, at *net.TCPAddr) (*net.TCPListener, error) {
			l, err := net.ListenTCP(network, at)
			ws.opened(l)
			return l, err
		},
		"ListenUnix": func(network string, at *net.UnixAddr) (*net.UnixListener, error) {
			l, err := net.ListenUnix(network, at)
			ws.opened(l)
			return l, err
		},
		"ListenPacket": func(network, address string) (net.PacketConn, error) {
			c, err := net.ListenPacket(network, address)
			ws.opened(c)
			return c, err
		},
		"ListenUDP": func(network string, at *net.UDPAddr) (*net.UDPConn, error) {
			c, err := net.ListenUDP(network, at)
			ws.opened(c)
			return c, err
		},
		"LookupHost": func(host string) ([]string, error) {
			ctx, done := ws.during(context.Background())
			defer done()
			return net.DefaultResolver.LookupHost(ctx, host)
		},
	}
}

func (ws *waiters) dial(ctx context.Context, d net.Dialer, network, address string) (net.Conn, error) {
	ctx, done := ws.during(ctx)
	defer done()
	c, err := d.DialContext(ctx, network, address)
	ws.opened(c)
	return c, err
}

func (ws *waiters) serve(address string, serve func(net.Listener) error) error {
	if address == "" {
		address = ":http"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return ws.closing(l, func() error { return serve(l) })
}

// closing calls f, which serves l until it is closed.
func (ws *waiters) closing(l net.Listener, f func() error) error {
	defer ws.add(&waiter{cancel: func() { l.Close() }})()
	return f()
}

// dialTransport has the clients that cells use without making one dial connections that are known.
func (ws *waiters) dialTransport() {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return
	}
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second} // as in net/http
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return ws.dial(ctx, dialer, network, address)
	}
}

// command makes a program that is killed, with what it has started itself, when the cell that made
// it is interrupted while it waits.
func (ws *waiters) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithCancel(ctx)
	c := exec.CommandContext(ctx, name, args...)
	leadGroup(c)
	c.WaitDelay = 100 * time.Millisecond // what has left its group may hold its output open
	forget := ws.add(&waiter{cancel: cancel})
	runtime.AddCleanup(c, func(forget func()) { forget(); cancel() }, forget)
	return c
}

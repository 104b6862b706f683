package zmtp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// splitEndpoint takes "tcp://host:port" or "ipc://path" apart.
func splitEndpoint(endpoint string) (network, addr string, err error) {
	if a, ok := strings.CutPrefix(endpoint, "tcp://"); ok {
		host, port, err := net.SplitHostPort(a)
		if err != nil {
			return "", "", fmt.Errorf("zmtp: endpoint %q: %w", endpoint, err)
		}
		if host == "*" { // what ZeroMQ calls all interfaces
			host = ""
		} else if host == "" {
			return "", "", fmt.Errorf("zmtp: endpoint %q has no host; tcp://*:%s means all interfaces", endpoint, port)
		}
		return "tcp", net.JoinHostPort(host, port), nil
	}
	if a, ok := strings.CutPrefix(endpoint, "ipc://"); ok && a != "" {
		return "unix", a, nil
	}
	return "", "", fmt.Errorf("zmtp: endpoint %q is neither tcp://host:port nor ipc://path", endpoint)
}

// listen opens an endpoint, on the given address only.
func listen(endpoint string) (net.Listener, error) {
	network, addr, err := splitEndpoint(endpoint)
	if err != nil {
		return nil, err
	}
	if network == "unix" {
		if err := removeStale(addr); err != nil {
			return nil, fmt.Errorf("zmtp: cannot listen on %s: %w", endpoint, err)
		}
	}
	ln, err := net.Listen(network, addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("zmtp: cannot listen on %s: another program uses it: %w", endpoint, err)
	case err != nil:
		return nil, fmt.Errorf("zmtp: cannot listen on %s: %w", endpoint, err)
	}
	if network == "unix" {
		if err := os.Chmod(addr, 0o600); err != nil { // connecting needs write permission
			ln.Close()
			return nil, fmt.Errorf("zmtp: cannot keep other users from %s: %w", endpoint, err)
		}
	}
	return ln, nil
}

// removeStale removes a socket file that a process left when it was killed: one that nobody
// answers on. Anything else at that path stays.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s is there and is not a socket", path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err == nil {
		c.Close()
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return os.Remove(path)
	}
	return fmt.Errorf("another program uses it: %w", syscall.EADDRINUSE)
}

package transport

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"trivium/kernel/wire"
)

// A Connection is what a connection file says: where the sockets are and which key signs.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // with ipc the start of the paths, {ip}-{port}
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HBPort          int    `json:"hb_port"`
	Key             string `json:"key"` // empty: messages are not signed
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
}

// remedy ends the errors about a connection file.
const remedy = "start the kernel from Jupyter, or pass the connection file of a front end with -f"

// ReadConnection reads and checks a connection file. Fields it does not know are ignored.
func ReadConnection(path string) (*Connection, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("connection file %s does not exist; %s", path, remedy)
	case err != nil:
		return nil, fmt.Errorf("connection file cannot be read: %w; %s", err, remedy)
	}
	c, err := parseConnection(data)
	if err != nil {
		return nil, fmt.Errorf("connection file %s: %w; %s", path, err, remedy)
	}
	return c, nil
}

func parseConnection(data []byte) (*Connection, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		if err == nil {
			err = errors.New("found null")
		}
		return nil, fmt.Errorf("not a JSON object (%w)", err)
	}
	var missing []string
	for _, name := range []string{"transport", "ip", "shell_port", "iopub_port", "stdin_port", "control_port", "hb_port", "key"} {
		if _, ok := fields[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("lacks %s", strings.Join(missing, ", "))
	}
	c := &Connection{SignatureScheme: wire.Scheme}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	return c, c.Check()
}

// Check says what is wrong with a connection, if anything.
func (c *Connection) Check() error {
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return fmt.Errorf("transport %q is not known, need tcp or ipc", c.Transport)
	}
	if c.IP == "" {
		return errors.New("ip is empty")
	}
	if _, err := wire.NewSession([]byte(c.Key), c.SignatureScheme, "check"); err != nil {
		return fmt.Errorf("signature_scheme %q is not known, need %s", c.SignatureScheme, wire.Scheme)
	}
	seen := map[int]string{}
	for _, p := range c.ports() {
		if p.port < 1 || p.port > 65535 {
			return fmt.Errorf("%s is %d, need 1 to 65535", p.name, p.port)
		}
		if other, ok := seen[p.port]; ok {
			return fmt.Errorf("%s and %s are both %d", other, p.name, p.port)
		}
		seen[p.port] = p.name
	}
	return nil
}

type namedPort struct {
	name string
	port int
}

func (c *Connection) ports() [5]namedPort {
	return [5]namedPort{{"shell_port", c.ShellPort}, {"iopub_port", c.IOPubPort}, {"stdin_port", c.StdinPort},
		{"control_port", c.ControlPort}, {"hb_port", c.HBPort}}
}

// Write writes a connection file that only the user can read, whole or not at all.
func (c *Connection) Write(path string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("connection file %s: %w", path, err)
	}
	f, err := os.CreateTemp(dirOf(path), ".connection-*") // mode 0600
	if err != nil {
		return fmt.Errorf("connection file: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("connection file: %w", err)
	}
	return nil
}

func dirOf(path string) string {
	if i := strings.LastIndexByte(path, os.PathSeparator); i >= 0 {
		return path[:i+1]
	}
	return "."
}

// NewConnection picks five free ports of the loopback interface and a random key, for a
// program that is about to start a kernel.
func NewConnection() (*Connection, error) {
	var ports [5]int
	for i := range ports { // all are open at once, so that they differ
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("transport: no free port: %w", err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	var key [32]byte
	rand.Read(key[:]) // never fails
	return &Connection{
		Transport: "tcp", IP: "127.0.0.1", Key: hex.EncodeToString(key[:]), SignatureScheme: wire.Scheme,
		ShellPort: ports[0], IOPubPort: ports[1], StdinPort: ports[2], ControlPort: ports[3], HBPort: ports[4],
	}, nil
}

// endpoint is the ZeroMQ address of a port.
func (c *Connection) endpoint(port int) string {
	if c.Transport == "ipc" {
		return fmt.Sprintf("ipc://%s-%d", c.IP, port)
	}
	return "tcp://" + net.JoinHostPort(strings.Trim(c.IP, "[]"), fmt.Sprint(port))
}

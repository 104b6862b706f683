package zmtp

import "fmt"

// appendCommand writes a command frame.
func appendCommand(b []byte, name string, body []byte) []byte {
	b = appendHeader(b, flagCommand, 1+len(name)+len(body))
	b = append(b, byte(len(name)))
	return append(append(b, name...), body...)
}

func commandPacket(name string, body []byte) packet {
	b := appendCommand(nil, name, body)
	return packet{bufs: [][]byte{b}, size: int64(len(b)), command: true}
}

func splitCommand(b []byte) (name string, body []byte, err error) {
	if len(b) == 0 || b[0] == 0 || int(b[0])+1 > len(b) {
		return "", nil, fmt.Errorf("%w: command without a name", ErrProtocol)
	}
	n := 1 + int(b[0])
	return string(b[1:n]), b[n:], nil
}

// pong answers a PING: two bytes of time to live and up to 16 that come back.
func pong(body []byte) (packet, error) {
	if len(body) < 2 || len(body) > 2+16 {
		return packet{}, fmt.Errorf("%w: PING of %d bytes", ErrProtocol, len(body))
	}
	return commandPacket("PONG", body[2:]), nil
}

// reason reads an ERROR command.
func reason(body []byte) error {
	if len(body) == 0 || int(body[0]) > len(body)-1 {
		return fmt.Errorf("%w: malformed ERROR", ErrProtocol)
	}
	return fmt.Errorf("%w: %q", ErrRefused, body[1:1+int(body[0])])
}

// errorCommand tells a peer why it is refused.
func errorCommand(why string) []byte {
	why = why[:min(len(why), 255)]
	return appendCommand(nil, "ERROR", append([]byte{byte(len(why))}, why...))
}

package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Stream is text written to "stdout" or "stderr".
type Stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (s Stream) appendJSON(b []byte) ([]byte, error) {
	b = appendString(append(b, `{"name":`...), s.Name)
	b = appendString(append(b, `,"text":`...), s.Text)
	return append(b, '}'), nil
}

// A Bundle maps MIME types (or, in metadata, anything) to values. Text is a string, binary
// data a []byte (sent as base64), JSON a json.RawMessage or anything that marshals.
type Bundle map[string]any

// MarshalJSON writes {} for a nil bundle.
func (d Bundle) MarshalJSON() ([]byte, error) { return d.appendJSON(nil) }

func (d Bundle) appendJSON(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(d)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, key), ':')
		var err error
		if b, err = appendValue(b, d[key]); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return append(b, '}'), nil
}

func appendValue(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendString(b, v), nil
	case []byte:
		b = slices.Grow(b, base64.StdEncoding.EncodedLen(len(v))+2)
		b = base64.StdEncoding.AppendEncode(append(b, '"'), v)
		return append(b, '"'), nil
	case json.RawMessage:
		if !json.Valid(v) {
			return nil, fmt.Errorf("not JSON: %.40q", v)
		}
		return append(b, v...), nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimRight(out.Bytes(), "\n")...), nil
}

// appendString writes a JSON string, long stretches without special characters at once.
// Bytes that are not UTF-8 become U+FFFD, as in encoding/json.
func appendString(b []byte, s string) []byte {
	b = append(slices.Grow(b, len(s)+2), '"')
	start := 0
	for i := 0; i < len(s); {
		i += plainPrefix(s[i:])
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				if r == '\u2028' || r == '\u2029' { // line ends in JavaScript, though not in JSON
					b = append(b, s[start:i]...)
					b = append(b, `\u202`...)
					b = append(b, byte('8'+r-'\u2028'))
					start = i + n
				}
				i += n
				continue
			}
			b = append(append(b, s[start:i]...), `\ufffd`...)
		} else {
			b = append(b, s[start:i]...)
			b = appendEscape(b, c)
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// plainPrefix counts the ASCII characters at the start of s that stand for themselves in a
// JSON string. It looks at eight at a time: pictures are long.
func plainPrefix(s string) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(s); n += 8 {
		w := uint64(s[n]) | uint64(s[n+1])<<8 | uint64(s[n+2])<<16 | uint64(s[n+3])<<24 |
			uint64(s[n+4])<<32 | uint64(s[n+5])<<40 | uint64(s[n+6])<<48 | uint64(s[n+7])<<56
		quote, backslash := w^'"'*ones, w^'\\'*ones // zero where the character is
		if (w|(w-' '*ones)|(quote-ones)|(backslash-ones))&high != 0 {
			break // a borrow may also blame a neighbour: the loop below decides
		}
	}
	for ; n < len(s); n++ {
		if c := s[n]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return n
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// DisplayData is something to show, in display_data and update_display_data.
type DisplayData struct {
	Data      Bundle `json:"data"`
	Metadata  Bundle `json:"metadata"`
	Transient Bundle `json:"transient"` // "display_id", by which it can be updated
}

func (d DisplayData) appendJSON(b []byte) ([]byte, error) {
	return appendBundles(append(b, '{'), d.Data, d.Metadata, d.Transient)
}

// ExecuteResult is the value of a cell.
type ExecuteResult struct {
	ExecutionCount int    `json:"execution_count"`
	Data           Bundle `json:"data"`
	Metadata       Bundle `json:"metadata"`
	Transient      Bundle `json:"transient"`
}

func (r ExecuteResult) appendJSON(b []byte) ([]byte, error) {
	b = strconv.AppendInt(append(b, `{"execution_count":`...), int64(r.ExecutionCount), 10)
	return appendBundles(append(b, ','), r.Data, r.Metadata, r.Transient)
}

func appendBundles(b []byte, data, metadata, transient Bundle) (_ []byte, err error) {
	for i, d := range []Bundle{data, metadata, transient} {
		b = append(b, [...]string{`"data":`, `,"metadata":`, `,"transient":`}[i]...)
		if b, err = d.appendJSON(b); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// ClearOutput removes what a cell has shown, at once or when something new comes.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Status is the state of the kernel: "starting", "busy" or "idle".
type Status struct {
	ExecutionState string `json:"execution_state"`
}

// IOPubWelcome confirms a subscription.
type IOPubWelcome struct {
	Subscription string `json:"subscription"`
}

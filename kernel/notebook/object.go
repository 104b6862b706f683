package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An object is a JSON object whose members keep their order and their text, so that numbers,
// escapes and fields that this package knows nothing of come out as they went in.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

func parseObject(raw json.RawMessage) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("want an object, found %s", kindOf(raw))
	}
	o := object{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		o = append(o, member{name.(string), value}) // Token gives strings only where a name stands
	}
	return o, nil
}

// get returns the last member of that name, as other JSON readers do, or nil.
func (o object) get(name string) json.RawMessage {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].value
		}
	}
	return nil
}

// decode reads a member into the value that into points to; it reports whether the member was
// there and fitted.
func (o object) decode(name string, into any) bool {
	raw := o.get(name)
	return raw != nil && json.Unmarshal(raw, into) == nil
}

// with returns o with the member set: in its place if it is there, else before the first name
// that sorts after it, which is where Jupyter, writing sorted names, would have put it.
func (o object) with(name string, value json.RawMessage) object {
	o = slices.Clone(o)
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			o[i].value = value
			return o
		}
	}
	at := slices.IndexFunc(o, func(m member) bool { return m.name > name })
	if at < 0 {
		at = len(o)
	}
	return slices.Insert(o, at, member{name, value})
}

func (o object) encode() json.RawMessage {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.name), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

func encodeList(items []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(rawSlices(items), []byte{','}), []byte{']'})
}

func rawSlices(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, it := range items {
		out[i] = it
	}
	return out
}

// appendString quotes s as Jupyter does: only what JSON forbids is escaped, which keeps
// notebooks readable and their differences small. encoding/json would escape U+2028 too.
func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "�") // a cell may print any bytes, a notebook holds text
	}
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ':
			b = append(b, c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
	}
	return append(b, '"')
}

func encodeString(s string) json.RawMessage { return appendString(nil, s) }

// encodeLines writes a text as the list of its lines, each with its line feed, as nbformat does
// to make notebooks fit for line-wise comparison.
func encodeLines(s string) json.RawMessage {
	var lines []json.RawMessage
	for line := range strings.Lines(s) {
		lines = append(lines, encodeString(line))
	}
	return encodeList(lines)
}

// decodeText reads a "multi-line string" of nbformat: a string or a list of strings.
func decodeText(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil && kindOf(raw) == "a string" {
		return s, true
	}
	var lines []string
	if json.Unmarshal(raw, &lines) == nil && kindOf(raw) == "a list" {
		return strings.Join(lines, ""), true
	}
	return "", false
}

// kindOf names a JSON value for an error message.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

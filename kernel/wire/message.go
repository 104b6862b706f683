package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Version is the messaging protocol that every header declares.
const Version = "5.5"

// A Header says what a message is and who sent it.
type Header struct {
	MsgID      string  `json:"msg_id"`
	Session    string  `json:"session"`
	Username   string  `json:"username"`
	Date       string  `json:"date"` // ISO 8601, UTC
	MsgType    string  `json:"msg_type"`
	Version    string  `json:"version"`
	SubshellID *string `json:"subshell_id,omitempty"`
}

// A Message is one Jupyter message. Its JSON parts stay raw until somebody needs them, so a
// large content is copied and checked once, and fields that this package does not know survive.
type Message struct {
	Header   Header
	Parent   json.RawMessage // the header that this message answers, as received; empty means {}
	Metadata json.RawMessage // empty means {}
	Content  json.RawMessage // empty means {}
	Buffers  [][]byte

	raw json.RawMessage // Header as received, so that answers echo fields unknown to Header
}

// NewMessage makes a message of the given type that answers parent (nil: answers nothing).
// Content is marshalled, nil means {}. Id, session and date are filled in when a [Session]
// encodes the message.
func NewMessage(msgType string, parent *Message, content any) (*Message, error) {
	m := &Message{Header: Header{MsgType: msgType, Version: Version}}
	var err error
	if parent != nil {
		if m.Parent, err = parent.RawHeader(); err != nil {
			return nil, err
		}
	}
	if m.Content, err = marshal(content); err != nil {
		return nil, fmt.Errorf("wire: content of %s: %w", msgType, err)
	}
	return m, nil
}

// Decode reads the content into a pointer to one of the content types.
func (m *Message) Decode(into any) error {
	content := m.Content
	if len(content) == 0 {
		content = emptyObject
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("wire: content of %s: %w", m.Header.MsgType, err)
	}
	return nil
}

// RawHeader is the header as it was received, or as it would be sent.
func (m *Message) RawHeader() (json.RawMessage, error) {
	if m.raw != nil {
		return m.raw, nil
	}
	return json.Marshal(&m.Header)
}

// ParentHeader reads the parent header; one that is empty gives the zero Header.
func (m *Message) ParentHeader() (Header, error) {
	var h Header
	if len(m.Parent) == 0 {
		return h, nil
	}
	if err := json.Unmarshal(m.Parent, &h); err != nil {
		return h, fmt.Errorf("wire: parent header of %s: %w", m.Header.MsgType, err)
	}
	return h, nil
}

var emptyObject = json.RawMessage("{}")

// appender is a content that writes its own JSON. encoding/json checks and copies what a
// json.Marshaler returns, which for a picture costs more than making it.
type appender interface {
	appendJSON(b []byte) ([]byte, error)
}

func marshal(content any) (json.RawMessage, error) {
	switch c := content.(type) {
	case nil:
		return emptyObject, nil
	case json.RawMessage:
		if !isObject(c) {
			return nil, fmt.Errorf("raw content is not a JSON object: %.40q", c)
		}
		return c, nil
	case appender:
		return c.appendJSON(nil)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // nothing here is pasted into a page, and < is frequent in SVG
	if err := e.Encode(content); err != nil {
		return nil, err
	}
	out := bytes.TrimRight(b.Bytes(), "\n")
	if len(out) == 0 || out[0] != '{' {
		return nil, fmt.Errorf("%T is not a JSON object", content)
	}
	return out, nil
}

func isObject(b []byte) bool {
	t := bytes.TrimLeft(b, " \t\r\n")
	return len(t) > 0 && t[0] == '{' && json.Valid(t)
}

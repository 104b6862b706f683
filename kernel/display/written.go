package display

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// writtenLimit is how much a value may write of itself to be shown.
const writtenLimit = 32 << 20

var errTooLong = errors.New("the value writes more than can be shown")

// limited keeps what is written to it, up to a limit.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > writtenLimit {
		return 0, errTooLong
	}
	return l.Buffer.Write(p)
}

// written makes a bundle of what a value writes of itself. Text and bytes of no type that can
// be shown are left to others.
func written(write func(io.Writer) error) (Bundle, bool) {
	var out limited
	if err := write(&out); err != nil {
		return Bundle{Data: map[string]any{Text: fmt.Sprintf("value that could not be written: %v", err)}}, true
	}
	return ofBytes(out.Bytes())
}

// ofBytes makes a bundle of an encoded picture, document or page.
func ofBytes(b []byte) (Bundle, bool) {
	mime := Sniff(b)
	data := map[string]any{Text: fmt.Sprintf("%s, %d bytes", mime, len(b))}
	switch mime {
	case "":
		return Bundle{}, false
	case Text:
		data[Text] = shorten(string(b))
	case SVG, HTML:
		data[mime] = string(b)
	default:
		data[mime] = b
	}
	return Bundle{Data: data}, true
}

// Sniff tells the MIME type of data by their beginning: that of a picture, a document or a
// page, Text for text, and "" for other bytes.
func Sniff(b []byte) string {
	for _, m := range []struct{ begins, mime string }{
		{"\x89PNG\r\n\x1a\n", PNG}, {"\xff\xd8\xff", JPEG}, {"GIF8", GIF}, {"%PDF-", PDF},
	} {
		if bytes.HasPrefix(b, []byte(m.begins)) {
			return m.mime
		}
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return ""
	}
	head := bytes.ToLower(bytes.TrimSpace(b[:min(len(b), 1024)]))
	switch {
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return HTML
	case bytes.HasPrefix(head, []byte("<svg")), bytes.HasPrefix(head, []byte("<?xml")) && bytes.Contains(head, []byte("<svg")):
		return SVG
	}
	return Text
}

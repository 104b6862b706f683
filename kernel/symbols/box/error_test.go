package box

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestLog: the handlers of log/slog write of a cell's error what they write of a compiled one.
func TestLog(t *testing.T) {
	text := func(any) string { return "broken" }
	marshal := func(any) ([]byte, error) { return []byte(`"M"`), nil }
	methods := func(more ...any) *Desc {
		d := &Desc{Name: "main.E", Methods: map[string]any{"Error": text}}
		for i := 0; i < len(more); i += 2 {
			d.SetMethod(more[i].(string), more[i+1])
		}
		return d
	}
	for name, c := range map[string]struct {
		d          *Desc
		json, text string
	}{
		"error":       {methods(), `"err":"broken"`, "err=broken"},
		"several":     {methods("Unwrap", func(any) []error { return nil }), `"err":"broken"`, "err=broken"},
		"json":        {methods("MarshalJSON", marshal), `"err":"M"`, "err=broken"},
		"text":        {methods("MarshalText", marshal), `"err":"broken"`, `err="\"M\""`},
		"logs itself": {methods("LogValue", func(any) slog.Value { return slog.IntValue(3) }), `"err":3`, "err=3"},
	} {
		var b bytes.Buffer
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "err", Error(Obj{c.d, struct{ A int }{1}}))
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "err", Error(Obj{c.d, struct{ A int }{1}}))
		if !strings.Contains(b.String(), c.json) || !strings.Contains(b.String(), c.text) {
			t.Errorf("%s: logged %s, want %s and %s", name, b.String(), c.json, c.text)
		}
	}
}

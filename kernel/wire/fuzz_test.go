package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// Whatever frames come, Decode gives an error of a known kind, or a message that survives
// encoding and decoding.
func FuzzDecode(f *testing.F) {
	s, err := NewSession(nil, Scheme, "ada") // without a key, so that more than the signature is tried
	if err != nil {
		f.Fatal(err)
	}
	for _, frames := range [][]string{
		{"id", "<IDS|MSG>", "", `{"msg_id":"1","msg_type":"x"}`, "{}", "{}", `{"code":"1"}`, "buffer"},
		{"<IDS|MSG>", "", `{"msg_id":"1","msg_type":"x","subshell_id":null}`, "null", "", " {} "},
		{"<IDS|MSG>", "", `{"msg_id":"1"}`, "{}", "{}", "{}"},
	} {
		f.Add(bytes.Join(bytesOf(frames...), []byte("\x00")))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		frames := bytes.Split(input, []byte("\x00"))
		ids, m, err := s.Decode(frames)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		for _, into := range []any{&ExecuteRequest{}, &HistoryReply{}, &CommOpen{}, &KernelInfoReply{}, &map[string]any{}} {
			m.Decode(into) // must not panic; most contents do not fit
		}
		m.ParentHeader()
		again, err := s.Encode(ids, m)
		if err != nil {
			t.Fatal(err)
		}
		ids2, m2, err := s.Decode(again)
		if err != nil {
			t.Fatalf("encoded %q: %v", again, err)
		}
		if !slices.EqualFunc(ids, ids2, bytes.Equal) || !bytes.Equal(m.Content, m2.Content) || !slices.EqualFunc(m.Buffers, m2.Buffers, bytes.Equal) {
			t.Fatalf("%+v came back as %+v", m, m2)
		}
	})
}

// Any two texts make a display_data that reads back as encoding/json would have sent it.
func FuzzDisplayData(f *testing.F) {
	f.Add("text/plain", "a\"b\\c\n", []byte{0, 255})
	f.Add("\xff", "\xed\xa0\x80", []byte(nil))
	f.Fuzz(func(t *testing.T, key, text string, data []byte) {
		content := DisplayData{Data: Bundle{key: text, key + "2": data}}
		m, err := NewMessage(TypeDisplayData, nil, content)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(map[string]any{"data": map[string]any{key: text, key + "2": data}, "metadata": map[string]any{}, "transient": map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		if data == nil {
			want = bytes.Replace(want, []byte("null"), []byte(`""`), 1) // no bytes are an empty text here
		}
		if !equalJSON(t, want, m.Content) {
			t.Fatalf("got %s, want %s", m.Content, want)
		}
	})
}

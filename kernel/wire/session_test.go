package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func session(t testing.TB, key string) *Session {
	t.Helper()
	s, err := NewSession([]byte(key), Scheme, "ada")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Messages recorded from jupyter_client are read as it meant them.
func TestDecodeWhatJupyterClientSends(t *testing.T) {
	var recorded map[string]struct {
		Frames, Identities []string
		Header             Header
		Content            json.RawMessage
	}
	data, err := os.ReadFile("testdata/jupyter_client.json")
	if err == nil {
		err = json.Unmarshal(data, &recorded)
	}
	if err != nil || len(recorded) == 0 {
		t.Fatal(err)
	}
	for name, r := range recorded {
		t.Run(name, func(t *testing.T) {
			frames := unhex(t, r.Frames)
			ids, m, err := session(t, "secret key").Decode(frames)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(r.Header, m.Header); d != "" {
				t.Errorf("header: -sent +read\n%s", d)
			}
			if !equalJSON(t, r.Content, m.Content) {
				t.Errorf("content is %s, sent %s", m.Content, r.Content)
			}
			if want := unhex(t, r.Identities); !slices.EqualFunc(ids, want, bytes.Equal) {
				t.Errorf("identities are %q, sent %q", ids, want)
			}
			at := slices.IndexFunc(frames, func(f []byte) bool { return string(f) == "<IDS|MSG>" })
			if want := frames[at+6:]; !slices.EqualFunc(m.Buffers, want, bytes.Equal) {
				t.Errorf("buffers are %q, sent %q", m.Buffers, want)
			}
			if _, _, err := session(t, "another key").Decode(frames); !errors.Is(err, ErrSignature) {
				t.Errorf("with another key: %v", err)
			}
		})
	}
}

func unhex(t *testing.T, texts []string) (out [][]byte) {
	for _, s := range texts {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Error(err)
		return false
	}
	return cmp.Equal(x, y)
}

func TestFramesAreAsSpecified(t *testing.T) {
	s := session(t, "key")
	parent := decoded(t, s, `{"msg_id":"p1","session":"s","username":"u","date":"d","msg_type":"execute_request","version":"5.3","future":[1, 2]}`, "{}")
	m, err := NewMessage(TypeStatus, parent, Status{ExecutionState: "busy"})
	if err != nil {
		t.Fatal(err)
	}
	m.Buffers = [][]byte{{1}, {2}}
	frames, err := s.Encode(bytesOf("id1", "id2"), m)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(bytes.Join(frames[:3], []byte(" "))); got != "id1 id2 <IDS|MSG>" {
		t.Errorf("frames start with %q", got)
	}
	mac := hmac.New(sha256.New, []byte("key"))
	for _, f := range frames[4:8] {
		mac.Write(f)
	}
	if got, want := string(frames[3]), hex.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signature is %s, want %s", got, want)
	}
	var h map[string]any
	if err := json.Unmarshal(frames[4], &h); err != nil {
		t.Fatal(err)
	}
	for field, pattern := range map[string]string{
		"msg_id": ".+", "session": "^" + s.ID() + "$", "username": "^ada$", "msg_type": "^status$", "version": `^5\.5$`,
		"date": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`,
	} {
		if v, ok := h[field].(string); !ok || !regexp.MustCompile(pattern).MatchString(v) {
			t.Errorf("header field %s is %v, want %s", field, h[field], pattern)
		}
	}
	if len(h) != 6 {
		t.Errorf("header has %d fields: %v", len(h), h)
	}
	if raw, err := parent.RawHeader(); err != nil || string(frames[5]) != string(raw) || !strings.Contains(string(raw), "future") {
		t.Errorf("parent is %s, the header was %s, %v", frames[5], raw, err)
	}
	if string(frames[6]) != "{}" || string(frames[7]) != `{"execution_state":"busy"}` {
		t.Errorf("metadata %s, content %s", frames[6], frames[7])
	}
	if len(frames) != 10 || frames[8][0] != 1 || frames[9][0] != 2 {
		t.Errorf("buffers are %v", frames[8:])
	}
}

func bytesOf(texts ...string) (out [][]byte) {
	for _, s := range texts {
		out = append(out, []byte(s))
	}
	return out
}

// decoded is a message as if it had come with the given header and content.
func decoded(t *testing.T, s *Session, header, content string) *Message {
	t.Helper()
	parts := bytesOf(header, "{}", "{}", content)
	_, m, err := s.Decode(append([][]byte{[]byte("<IDS|MSG>"), s.sign(parts)}, parts...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDefaultsAndParents(t *testing.T) {
	s := session(t, "")
	m, err := NewMessage(TypeShutdownRequest, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := s.Encode(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(bytes.Join(slices.Concat(frames[1:2], frames[3:]), []byte("|"))); got != "|{}|{}|{}" {
		t.Errorf("signature, parent, metadata, content are %q", got)
	}
	id := m.Header.MsgID
	if again, err := s.Encode(nil, m); err != nil || !bytes.Equal(again[2], frames[2]) || m.Header.MsgID != id {
		t.Errorf("encoding twice changed the header from %s to %s, %v", frames[2], again[2], err)
	}
	// A request that was made here and sent is the parent of what answers it.
	reply, err := NewMessage(TypeShutdownReply, m, ShutdownReply{Reply: OK()})
	if err != nil {
		t.Fatal(err)
	}
	if h, err := reply.ParentHeader(); err != nil || h != m.Header {
		t.Errorf("parent is %+v, %v; sent %+v", h, err, m.Header)
	}
	if h, err := m.ParentHeader(); err != nil || h != (Header{}) {
		t.Errorf("no parent is %+v, %v", h, err)
	}
}

func TestSubshellIDIsKept(t *testing.T) {
	s := session(t, "")
	m := decoded(t, s, `{"msg_id":"1","msg_type":"x","subshell_id":"sub"}`, "{}")
	if m.Header.SubshellID == nil || *m.Header.SubshellID != "sub" {
		t.Errorf("subshell is %v", m.Header.SubshellID)
	}
	if m := decoded(t, s, `{"msg_id":"1","msg_type":"x","subshell_id":null}`, "{}"); m.Header.SubshellID != nil {
		t.Errorf("subshell is %v", *m.Header.SubshellID)
	}
}

func TestEveryBitIsSigned(t *testing.T) {
	s := session(t, "key")
	m, err := NewMessage(TypeExecuteRequest, nil, ExecuteRequest{Code: "1"})
	if err != nil {
		t.Fatal(err)
	}
	frames, err := s.Encode(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(frames); i++ {
		for at := range frames[i] {
			changed := slices.Clone(frames)
			changed[i] = bytes.Clone(frames[i])
			changed[i][at] ^= 1
			if _, _, err := s.Decode(changed); !errors.Is(err, ErrSignature) {
				t.Fatalf("frame %d, byte %d changed: %v", i, at, err)
			}
		}
	}
	for name, signature := range map[string]string{"none": "", "short": string(frames[1][:63]), "long": string(frames[1]) + "0", "upper case": strings.ToUpper(string(frames[1]))} {
		changed := slices.Clone(frames)
		changed[1] = []byte(signature)
		if _, _, err := s.Decode(changed); !errors.Is(err, ErrSignature) {
			t.Errorf("signature %s: %v", name, err)
		}
	}
}

func TestMalformedMessages(t *testing.T) {
	s := session(t, "")
	const header = `{"msg_id":"1","msg_type":"x"}`
	for name, frames := range map[string][]string{
		"nothing":               {},
		"no delimiter":          {"a", "b", "c", "d", "e", "f"},
		"delimiter only":        {"<IDS|MSG>"},
		"no content":            {"<IDS|MSG>", "", header, "{}", "{}"},
		"header not JSON":       {"<IDS|MSG>", "", "hello", "{}", "{}", "{}"},
		"header empty":          {"<IDS|MSG>", "", "", "{}", "{}", "{}"},
		"header null":           {"<IDS|MSG>", "", "null", "{}", "{}", "{}"},
		"header a list":         {"<IDS|MSG>", "", "[]", "{}", "{}", "{}"},
		"header without type":   {"<IDS|MSG>", "", `{"msg_id":"1"}`, "{}", "{}", "{}"},
		"header without id":     {"<IDS|MSG>", "", `{"msg_type":"x"}`, "{}", "{}", "{}"},
		"header with number":    {"<IDS|MSG>", "", `{"msg_id":1,"msg_type":"x"}`, "{}", "{}", "{}"},
		"two headers":           {"<IDS|MSG>", "", header + header, "{}", "{}", "{}"},
		"parent not JSON":       {"<IDS|MSG>", "", header, "{", "{}", "{}"},
		"metadata a list":       {"<IDS|MSG>", "", header, "{}", "[]", "{}"},
		"content text":          {"<IDS|MSG>", "", header, "{}", "{}", `"code"`},
		"content cut short":     {"<IDS|MSG>", "", header, "{}", "{}", `{"code":"1`},
		"content nested deeply": {"<IDS|MSG>", "", header, "{}", "{}", strings.Repeat(`{"a":`, 1_000_000)},
	} {
		if _, m, err := s.Decode(bytesOf(frames...)); !errors.Is(err, ErrMalformed) || m != nil {
			t.Errorf("%s: message %v, error %v", name, m, err)
		}
	}
	_, m, err := s.Decode(bytesOf("<IDS|MSG>", "", header, "", "null", ""))
	if err != nil || string(m.Parent)+string(m.Metadata)+string(m.Content) != "{}{}{}" {
		t.Errorf("left out parts: %+v, %v", m, err)
	}
}

func TestUnsignedSessionTakesAnySignature(t *testing.T) {
	m, err := NewMessage("x", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := session(t, "key").Encode(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := session(t, "").Decode(frames); err != nil {
		t.Error(err)
	}
}

func TestNewSession(t *testing.T) {
	if _, err := NewSession(nil, "hmac-md5", ""); err == nil || !strings.Contains(err.Error(), "hmac-sha256") {
		t.Errorf("unknown scheme: %v", err)
	}
	key := []byte("key")
	s, err := NewSession(key, "", "")
	if err != nil {
		t.Fatal(err)
	}
	key[0] = 'x' // the session has its own copy
	m, err := NewMessage("x", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := s.Encode(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := session(t, "key").Decode(frames); err != nil {
		t.Error(err)
	}
	if m.Header.Username == "" {
		t.Error("no user name")
	}
}

func TestSessionsAreConcurrent(t *testing.T) {
	s := session(t, "key")
	ids := make([]map[string]bool, 4)
	var all sync.WaitGroup
	for w := range ids {
		ids[w] = map[string]bool{}
		all.Go(func() {
			for range 500 {
				m, err := NewMessage(TypeStream, nil, Stream{Name: "stdout", Text: "x"})
				if err != nil {
					t.Error(err)
					return
				}
				frames, err := s.Encode(nil, m)
				if err != nil {
					t.Error(err)
					return
				}
				if _, _, err := s.Decode(frames); err != nil {
					t.Error(err)
				}
				ids[w][m.Header.MsgID] = true
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, some := range ids {
		for id := range some {
			seen[id] = true
		}
	}
	if len(seen) != 4*500 {
		t.Errorf("%d different ids in %d messages", len(seen), 4*500)
	}
}

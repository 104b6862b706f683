package notebook

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestDropTwins(t *testing.T) {
	png, svg := json.RawMessage(`"iVBORw0KGgo="`), json.RawMessage(`"<svg/>"`)
	c := NewCell(Code, "x")
	c.Outputs = []*Output{
		{Kind: DisplayData, Data: map[string]json.RawMessage{"image/png": png, "image/svg+xml": svg}},
		{Kind: DisplayData, Data: map[string]json.RawMessage{"image/png": png, "text/plain": svg}},
	}
	nb := New(c)
	nb.DropTwins()
	var b bytes.Buffer
	if err := nb.Write(&b); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("image/png")); n != 1 || !bytes.Contains(b.Bytes(), []byte("<svg/>")) {
		t.Errorf("%d PNG pictures left, want the one without a twin:\n%s", n, &b)
	}
}

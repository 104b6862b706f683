package notebook

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"trivium/kernel/player"
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

// inHTML is a picture as kernel/display keeps it: HTML with a PNG, and an SVG in its place.
const inHTML = `<img src="data:image/png;base64,iVBORw0KGgo=" srcset="data:image/svg+xml,%3Csvg%20width=%229%22%3E%3Ctext%3E1,2%3C/text%3E%3C/svg%3E" width="9" alt="a &gt; b">`

func TestSVGWithinHTML(t *testing.T) {
	raw, err := json.Marshal(inHTML)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCell(Code, "x")
	c.Outputs = []*Output{{Kind: DisplayData, Data: map[string]json.RawMessage{
		"image/png": json.RawMessage(`"iVBORw0KGgo="`), "text/html": raw, "text/plain": json.RawMessage(`"a > b"`)}}}
	const svg = `<svg width="9"><text>1,2</text></svg>`
	if got := c.Outputs[0].Form("image/svg+xml"); got != svg {
		t.Errorf("SVG %q, want %q", got, svg)
	}
	nb := New(c)
	if page := page(t, nb, Page{}); !bytes.Contains([]byte(page), []byte("data:image/svg+xml;base64,")) || bytes.Contains([]byte(page), []byte("srcset")) {
		t.Error("the page does not show the SVG alone")
	}
	nb.DropTwins()
	if out := c.Outputs[0]; out.Data["image/png"] != nil || out.Form("text/html") != inHTML {
		t.Errorf("left %v, want the HTML", out.Data)
	}
	for _, html := range []string{"", "<p>", `<p>` + inHTML, `<img srcset="data:image/svg+xml,%zz">`, `<b><img>`} {
		if got := svgWithin(html); got != "" {
			t.Errorf("%q has the SVG %q", html, got)
		}
	}
}

// TestPlayersMayRun: a page with a player allows its handlers by their hashes, and nothing more.
func TestPlayersMayRun(t *testing.T) {
	raw, err := json.Marshal(player.HTML("n", []string{"1", "2"}, []string{"a", "b"}))
	if err != nil {
		t.Fatal(err)
	}
	c := NewCell(Code, "x")
	c.Outputs = []*Output{{Kind: DisplayData, Data: map[string]json.RawMessage{"text/html": raw}}}
	with, without := page(t, New(c), Page{}), page(t, New(NewCell(Code, "x")), Page{})
	if !strings.Contains(with, "; script-src 'unsafe-hashes' 'sha256-") || strings.Contains(with, "unsafe-inline' 'sha") || strings.Contains(without, "script-src") {
		t.Error("the policy does not allow the handlers of players where there is one, and only there")
	}
}

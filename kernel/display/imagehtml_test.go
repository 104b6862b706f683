package display

import (
	"encoding/base64"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestKeptPicture: what is to stay in a file has its picture in HTML, the SVG as it was, and a PNG
// for those that clean the HTML.
func TestKeptPicture(t *testing.T) {
	const svg = "<?xml version=\"1.0\"?>\n<svg xmlns=\"x\"><text>a, b → 50 % 'c' #d\\</text>\n</svg>"
	picture := []byte{0x89, 'P', 'N', 'G', 0, 255}
	size := map[string]any{"width": 640, "height": 400}
	given := Bundle{
		Data:     map[string]any{SVG: svg, PNG: picture, Text: `loss "falls" <fast>`},
		Metadata: map[string]any{SVG: size, PNG: size},
	}
	b := kept(given)
	if b.Data[SVG] != nil || b.Metadata[SVG] != nil || b.Data[PNG] == nil || b.Metadata[PNG] == nil || b.Data[Text] != given.Data[Text] {
		t.Errorf("kept %v with %v", b.Data, b.Metadata)
	}
	if given.Data[SVG] == nil || given.Metadata[SVG] == nil {
		t.Error("the bundle that was given has changed")
	}
	parts := regexp.MustCompile(`^<img src="data:image/png;base64,([^"]*)" srcset="data:image/svg\+xml,([^"\s]*[^",\s])" width="640" height="400" alt="([^"]*)">$`).FindStringSubmatch(b.Data[HTML].(string))
	if parts == nil {
		t.Fatalf("HTML is %s", b.Data[HTML])
	}
	if raw, err := base64.StdEncoding.DecodeString(parts[1]); err != nil || string(raw) != string(picture) {
		t.Errorf("PNG %q, %v", raw, err)
	}
	if back, err := url.PathUnescape(parts[2]); err != nil || back != svg[strings.Index(svg, "<svg"):] {
		t.Errorf("SVG %q, %v", back, err)
	}
	if strings.ContainsAny(parts[2], "<>&'#") {
		t.Errorf("the SVG's URL holds what has a meaning in HTML or URLs: %s", parts[2])
	}
	if text := html.UnescapeString(parts[3]); text != given.Data[Text] {
		t.Errorf("alternative text %q", text)
	}
	for name, b := range map[string]Bundle{
		"no PNG":   {Data: map[string]any{SVG: svg}},
		"no SVG":   {Data: map[string]any{PNG: picture}},
		"own HTML": {Data: map[string]any{SVG: svg, PNG: picture, HTML: "<p>"}},
	} {
		if got := kept(b); len(got.Data) != len(b.Data) || got.Data[HTML] != b.Data[HTML] {
			t.Errorf("%s: became %v", name, got.Data)
		}
	}
}

package gonbui_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"trivium/kernel/display"
	"trivium/kernel/nb/gonbui"
)

// shown has a manager write what it shows as "type id data".
func shown(t *testing.T) func() []string {
	var all []string
	m := display.New(func(_ uint64, msgType string, content []byte) error {
		var c struct {
			Data      map[string]any    `json:"data"`
			Transient map[string]string `json:"transient"`
		}
		if err := json.Unmarshal(content, &c); err != nil {
			return err
		}
		delete(c.Data, display.Text)
		all = append(all, fmt.Sprintf("%s %s %v", msgType, c.Transient["display_id"], c.Data))
		return nil
	}, display.Options{})
	display.Use(m)
	t.Cleanup(m.Close)
	return func() []string { return all }
}

func TestDisplays(t *testing.T) {
	list := shown(t)
	gonbui.DisplayHTML("<b>a</b>")
	gonbui.DisplayHTMLF("<b>%d</b>", 7)
	gonbui.DisplayMarkdown("*a*")
	gonbui.DisplaySvg("<svg/>")
	gonbui.DisplayPng([]byte{1, 2, 3})
	id := gonbui.UniqueID() // ids are remembered for as long as the process lives
	gonbui.UpdateHTML(id, "first")
	gonbui.UpdateHTML(id, "second")
	gonbui.UpdateMarkdown(id, "third")
	want := []string{
		"display_data  map[text/html:<b>a</b>]", "display_data  map[text/html:<b>7</b>]",
		"display_data  map[text/markdown:*a*]", "display_data  map[image/svg+xml:<svg/>]",
		"display_data  map[image/png:AQID]",
		"display_data " + id + " map[text/html:first]", "update_display_data " + id + " map[text/html:second]",
		"update_display_data " + id + " map[text/markdown:third]",
	}
	if got := list(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestImages(t *testing.T) {
	list := shown(t)
	img := image.NewGray(image.Rect(0, 0, 5, 4))
	if err := gonbui.DisplayImage(img); err != nil || !strings.Contains(list()[0], "image/png:iVBOR") {
		t.Errorf("%v %v", err, list())
	}
	src, err := gonbui.EmbedImageAsPNGSrc(img)
	data, ok := strings.CutPrefix(src, "data:image/png;base64,")
	if err != nil || !ok {
		t.Fatalf("%q %v", src, err)
	}
	back, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil || back.Bounds() != img.Bounds() {
		t.Errorf("came back as %v, %v", back, err)
	}
}

func TestUniqueID(t *testing.T) {
	if a, b := gonbui.UniqueID(), gonbui.UniqueId(); a == b || len(a) < 16 {
		t.Errorf("%q and %q", a, b)
	}
}

func ExampleDisplayHTML() {
	m := display.New(func(_ uint64, msgType string, content []byte) error {
		fmt.Println(msgType, strings.Contains(string(content), "text/html"))
		return nil
	}, display.Options{})
	defer m.Close()
	display.Use(m)
	gonbui.DisplayHTML("<b>bold</b>")
	// Output: display_data true
}

package display_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/kernel/nb/display"
)

func TestAny(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte("<html>x"), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := []byte("\x89PNG\r\n\x1a\n…")
	for name, c := range map[string]struct {
		got  display.Data
		want display.MIMEMap
	}{
		"string":        {display.Any("text/html", "<b>"), display.MIMEMap{"text/html": "<b>"}},
		"plain string":  {display.Auto("words"), display.MIMEMap{"text/plain": "words"}},
		"bytes":         {display.Auto(picture), display.MIMEMap{"image/png": picture}},
		"odd bytes":     {display.Auto([]byte{0, 1}), display.MIMEMap{"text/plain": "2 bytes"}},
		"reader":        {display.Auto(strings.NewReader("<svg></svg>")), display.MIMEMap{"image/svg+xml": "<svg></svg>"}},
		"file":          {display.File("", file), display.MIMEMap{"text/html": "<html>x"}},
		"file as asked": {display.File("text/markdown", file), display.MIMEMap{"text/markdown": "<html>x"}},
		"data":          {display.Auto(display.SVG("<svg/>")), display.MIMEMap{"image/svg+xml": "<svg/>", "text/plain": "image/svg+xml"}},
	} {
		if fmt.Sprint(c.got.Data) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, c.got.Data, c.want)
		}
	}
	img := display.Auto(image.NewGray(image.Rect(0, 0, 2, 2)))
	if b, ok := img.Data[display.MIMETypePNG].([]byte); !ok || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("an image gives %v", img)
	}
}

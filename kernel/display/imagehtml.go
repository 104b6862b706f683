package display

import (
	"encoding/base64"
	"fmt"
	"html"
)

// ImageHTML makes an HTML element of a picture. Metadata may hold its width and height.
func ImageHTML(mime string, picture []byte, metadata any, text string) string {
	size := ""
	if m, ok := metadata.(map[string]any); ok {
		for _, k := range []string{"width", "height"} {
			if v, ok := m[k]; ok {
				size += fmt.Sprintf(` %s="%s"`, k, html.EscapeString(fmt.Sprint(v)))
			}
		}
	}
	return fmt.Sprintf(`<img src="data:%s;base64,%s"%s alt="%s">`, html.EscapeString(mime), base64.StdEncoding.EncodeToString(picture), size, html.EscapeString(text))
}

package display

import (
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

// ImageHTML makes an HTML element of a picture. Metadata may hold its width and height.
func ImageHTML(mime string, picture []byte, metadata any, text string) string {
	return element("data:"+html.EscapeString(mime)+";base64,"+base64.StdEncoding.EncodeToString(picture), "", metadata, text)
}

// SVGHTML makes an HTML element of an SVG. With a PNG of the same, viewers that take SVG out of
// what they show are left with that.
func SVGHTML(svg string, picture []byte, metadata any, text string) string {
	if at := strings.Index(svg, "<svg"); at > 0 {
		svg = svg[at:] // a declaration of XML has no place here
	}
	url := "data:image/svg+xml," + percent(svg)
	if picture == nil {
		return element(url, "", metadata, text)
	}
	return element("data:image/png;base64,"+base64.StdEncoding.EncodeToString(picture), url, metadata, text)
}

// element is an image of which browsers show the second source, if there is one.
func element(src, better string, metadata any, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<img src="%s"`, src)
	if better != "" {
		fmt.Fprintf(&b, ` srcset="%s"`, better)
	}
	if m, ok := metadata.(map[string]any); ok {
		for _, k := range []string{"width", "height"} {
			if v, ok := m[k]; ok {
				fmt.Fprintf(&b, ` %s="%s"`, k, html.EscapeString(fmt.Sprint(v)))
			}
		}
	}
	fmt.Fprintf(&b, ` alt="%s">`, html.EscapeString(text))
	return b.String()
}

// kept is a bundle as it is to be kept in a notebook's file. A picture that is there as SVG and as
// PNG becomes one HTML element that has both, of which browsers show the SVG. Converters and viewers
// take HTML before pictures, and few of them leave an SVG as it is: nbconvert 6.5.1 to 6.5.3 and 7.0
// to 7.2.2 take out all its shapes (jupyter/nbconvert#1849), its LaTeX export stops at one where
// there is no Inkscape, GitHub has not shown any (xflr6/graphviz#182), JupyterLab shows none of a
// notebook that it does not trust. Those that clean the HTML too are left with the PNG. The PNG
// stays besides, for those that know no HTML, such as LaTeX.
func kept(b Bundle) Bundle {
	if _, isPNG := b.Data[PNG].([]byte); !isPNG {
		return b
	}
	return asHTML(b)
}

// asHTML puts an HTML element in the place of an SVG, as [kept] does, with the PNG in it if there is
// one.
func asHTML(b Bundle) Bundle {
	svg, isText := b.Data[SVG].(string)
	if !isText || b.Data[HTML] != nil {
		return b
	}
	picture, isPNG := b.Data[PNG].([]byte)
	size := b.Metadata[SVG]
	if isPNG {
		size = b.Metadata[PNG]
	}
	out := Bundle{Data: map[string]any{}, Metadata: map[string]any{}}
	for mime, data := range b.Data {
		if mime != SVG {
			out.Data[mime] = data
		}
	}
	for key, data := range b.Metadata {
		if key != SVG {
			out.Metadata[key] = data
		}
	}
	out.Data[HTML] = SVGHTML(svg, picture, size, fmt.Sprint(b.Data[Text]))
	return out
}

// percent writes text so that it can stand in a URL, an attribute and a list of pictures. It is
// shorter than base64 for text with few spaces and tags.
func percent(s string) string {
	const plain = "-._~!$()*+,;=:@/?|^[]{}"
	var b strings.Builder
	b.Grow(len(s) * 5 / 4)
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0:
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

package display

import (
	"fmt"
	"io"
	"os"

	"trivium/kernel/display"
)

// The methods by which values show themselves when they are the last line of a cell or are
// given to [Display]. Types need not mention these interfaces to have them.
type (
	Renderer       = interface{ Render() Data }
	SimpleRenderer = interface{ SimpleRender() MIMEMap }
	HTMLer         = interface{ HTML() string }
	JavaScripter   = interface{ JavaScript() string }
	JPEGer         = interface{ JPEG() []byte }
	JSONer         = interface{ JSON() map[string]any }
	Latexer        = interface{ Latex() string }
	Markdowner     = interface{ Markdown() string }
	PNGer          = interface{ PNG() []byte }
	PDFer          = interface{ PDF() []byte }
	SVGer          = interface{ SVG() string }
)

// Any makes Data of a string, of bytes, of what a reader reads or a writer writes, and of
// values that show themselves. The MIME type is that of strings and bytes; an empty one is
// told from the bytes.
func Any(mime string, v any) Data {
	switch v := v.(type) {
	case string:
		if mime == "" {
			mime = MIMETypeText
		}
		return MakeData(mime, v)
	case []byte:
		return ofBytes(mime, v)
	}
	b, rich := display.Render(v)
	if r, ok := v.(io.Reader); ok && !rich {
		bytes, err := io.ReadAll(r)
		if err != nil {
			panic(fmt.Errorf("display.Any: %w", err))
		}
		return ofBytes(mime, bytes)
	}
	return MIME(b.Data, b.Metadata)
}

// Auto is Any with the MIME type told from the bytes.
func Auto(v any) Data { return Any("", v) }

// File makes Data of the content of a file.
func File(mime, path string) Data {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(fmt.Errorf("display.File: %w", err))
	}
	return ofBytes(mime, b)
}

func ofBytes(mime string, b []byte) Data {
	if mime == "" {
		mime = display.Sniff(b)
	}
	switch mime {
	case "":
		return MakeData(MIMETypeText, fmt.Sprintf("%d bytes", len(b)))
	case MIMETypePNG, MIMETypeJPEG, MIMETypePDF, display.GIF:
		return MakeData(mime, b)
	}
	return MakeData(mime, string(b))
}

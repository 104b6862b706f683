package nb

import (
	"fmt"

	"trivium/kernel/display"
)

// A Text is text that is shown as Markdown.
type Text string

// MIMEBundle gives the text as Markdown and as it is.
func (t Text) MIMEBundle() (data, metadata map[string]any) {
	return map[string]any{display.Markdown: string(t), display.Text: string(t)}, nil
}

// Help tells about a package or a name in it: Help("mgrit"), Help("mgrit.Solve"),
// Help("strings.Builder.Grow").
func Help(name string) Text {
	signature, text, ok := notebook.Doc(name)
	if !ok {
		return Text(fmt.Sprintf("Nothing is known about `%s`. Names are written as in Go: `Help(\"strings\")`, `Help(\"strings.Builder\")`.", name))
	}
	if signature == "" {
		return Text(text)
	}
	return Text("```go\n" + signature + "\n```\n\n" + text)
}

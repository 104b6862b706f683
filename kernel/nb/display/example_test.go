package display_test

import (
	"fmt"

	"trivium/kernel/nb/display"
)

func ExampleMarkdown() {
	d := display.Markdown("**bold**")
	fmt.Println(d.Data[display.MIMETypeMarkdown])
	// Output: **bold**
}

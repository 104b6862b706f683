package display_test

import (
	"fmt"

	"trivium/kernel/display"
)

type temperature float64

// HTML is found by the display, in any type.
func (t temperature) HTML() string   { return fmt.Sprintf("<b>%.1f °C</b>", float64(t)) }
func (t temperature) String() string { return fmt.Sprintf("%.1f °C", float64(t)) }

func ExampleRender() {
	b, _ := display.Render(temperature(21))
	fmt.Println(b.Data[display.HTML])
	fmt.Println(b.Data[display.Text])
	// Output:
	// <b>21.0 °C</b>
	// 21.0 °C
}

package widget_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/widget"
)

func sleep() { time.Sleep(time.Millisecond) }

// A panel calls a function when a page moves its slider; here the page is this program.
func ExampleHub_Interact() {
	var slider string
	hub := widget.New(widget.Options{
		Send: func(m widget.Message) error { // to the page
			var d struct{ State map[string]any }
			if json.Unmarshal(m.Data, &d) == nil && d.State["_model_name"] == "IntSliderModel" {
				slider = m.Comm
			}
			return nil
		},
		Turn: func(_ display.Cell, call func(context.Context), _ func([]string)) { call(context.Background()) },
	})
	defer hub.Close()
	err := hub.Interact(func(n int) int {
		fmt.Println("called with", n)
		return n * n
	}, []*widget.Control{widget.IntSlider("n", 0, 10)})
	if err != nil {
		fmt.Println(err)
	}
	hub.Deliver(widget.Message{Type: "comm_msg", Comm: slider, Data: json.RawMessage(`{"method":"update","state":{"value":7}}`)})
	// Output:
	// called with 5
	// called with 7
}

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// BenchmarkSlider moves a slider of nb.Interact as a widget manager does, over the sockets of a
// kernel process, and waits for the new picture: a figure of a curve of 200 points. It reports the
// time for one move, and the longest.
func BenchmarkSlider(b *testing.B) {
	f := listen(b).client()
	id := f.execute(`nb.Interact(func(rate float64) *viz.Figure {
	var y []float64
	for i := 0; i < 200; i++ {
		y = append(y, math.Exp(-rate*float64(i)/100))
	}
	return viz.Lines("decay", nil, y)
}, nb.Slider("rate", 0, 5))`)
	var slider, picture string
	f.output(id, func(m *wire.Message) {
		var c struct {
			ID   string `json:"comm_id"`
			Data struct {
				State struct {
					Model string `json:"_model_name"`
				} `json:"state"`
			} `json:"data"`
		}
		if m.Header.MsgType != "comm_open" || m.Decode(&c) != nil {
			return
		}
		switch c.Data.State.Model {
		case "FloatSliderModel":
			slider = c.ID
		case "HTMLModel":
			picture = c.ID
		}
	})
	if slider == "" || picture == "" {
		b.Fatal("no slider and no picture were opened")
	}
	move := func(value float64) time.Duration {
		began := time.Now()
		f.send(transport.Shell, "comm_msg", map[string]any{"comm_id": slider, "data": map[string]any{
			"method": "update", "state": map[string]any{"value": value}, "buffer_paths": []any{}}})
		late := time.After(10 * time.Second)
		for {
			select {
			case m := <-f.IOPub():
				if m.Header.MsgType != "comm_msg" {
					continue
				}
				var c struct {
					ID   string `json:"comm_id"`
					Data struct {
						State map[string]json.RawMessage `json:"state"`
					} `json:"data"`
				}
				if err := m.Decode(&c); err != nil {
					b.Fatal(err)
				}
				if c.ID == picture && strings.Contains(string(c.Data.State["value"]), "svg") {
					return time.Since(began)
				}
			case <-late:
				b.Fatal("no new picture within 10 s")
			}
		}
	}
	move(0.01)
	longest, k := time.Duration(0), 0
	for b.Loop() {
		k++
		longest = max(longest, move(float64(k%400+2)/100))
		b.StopTimer()
		time.Sleep(50 * time.Millisecond) // as fast as managers send
		b.StartTimer()
	}
	b.ReportMetric(longest.Seconds()*1e3, "longest-ms")
}

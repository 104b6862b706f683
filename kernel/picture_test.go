package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/kernel/display"
	"trivium/viz"
)

// TestPictures: what is drawn without being asked, and what is left as text.
func TestPictures(t *testing.T) {
	ended := run.Start(context.Background(), run.Options{Name: "r"}, func(_ context.Context, tr *run.Trace) (any, error) {
		tr.Sample("loss", 0, 1)
		tr.Sample("loss", 1, 0.5)
		return nil, nil
	})
	<-ended.Done()
	long := make([]float64, 100)
	for name, c := range map[string]struct {
		v    any
		says string // text/plain of the picture; empty: not a picture
	}{
		"run":            {ended, "Loss of r over step"},
		"runs":           {[]*run.Run{ended, ended}, "2 curves"},
		"failed run":     {run.Failed(run.Options{Name: "f"}, context.Canceled), "failed"},
		"numbers":        {long, "[0 0 0 0"},
		"integers":       {make([]int, 50), "[0 0"},
		"rows":           {[][]float64{long, long}, "[[0 0"},
		"engine matrix":  {tensor.New[float32](20, 30), "20×30"},
		"few numbers":    {[]float64{1, 2, 3}, ""},
		"few rows":       {[][]float64{{1, 2}, {3, 4}}, ""},
		"small matrix":   {tensor.New[float32](2, 3), ""},
		"bytes":          {make([]byte, 100), ""},
		"words":          {strings.Fields(strings.Repeat("a ", 100)), ""},
		"nothing":        {nil, ""},
		"number":         {3, ""},
		"nil run":        {(*run.Run)(nil), ""},
		"slice of nils":  {[]*run.Run{nil}, ""},
		"slice of any":   {make([]any, 100), ""},
		"figure already": {viz.Lines("y", nil, long), ""},
	} {
		f, ok := picture(c.v)
		if ok != (c.says != "") {
			t.Errorf("%s: drawn %v", name, ok)
			continue
		}
		if !ok {
			continue
		}
		data, _ := f.MIMEBundle()
		text, _ := data[display.Text].(string)
		if text == "" { // the value's own
			text = fmt.Sprintf("%+v", c.v)
		}
		if data[display.SVG] == nil && data[display.HTML] == nil || !strings.Contains(text, c.says) {
			t.Errorf("%s: %q, want %q and a picture", name, text, c.says)
		}
	}
}

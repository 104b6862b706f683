package plotly_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"trivium/kernel/display"
	"trivium/kernel/nb/gonbui/plotly"
)

func TestDisplayFig(t *testing.T) {
	var shown []map[string]any
	m := display.New(func(_ uint64, _ string, content []byte) error {
		var c struct {
			Data map[string]any `json:"data"`
		}
		err := json.Unmarshal(content, &c)
		shown = append(shown, c.Data)
		return err
	}, display.Options{})
	display.Use(m)
	t.Cleanup(m.Close)
	fig := map[string]any{"data": []any{map[string]any{"type": "bar", "y": []int{2, 3, 1}, "name": "</script><b>"}}}
	if err := plotly.DisplayFig(fig); err != nil {
		t.Fatal(err)
	}
	got := shown[0]
	figure, _ := got["application/vnd.plotly.v1+json"].(map[string]any)
	if data, _ := figure["data"].([]any); len(data) != 1 {
		t.Errorf("the figure is %v", got)
	}
	page, _ := got[display.HTML].(string)
	if strings.Count(page, "</script>") != 1 || !strings.Contains(page, plotly.PlotlySrc) || !strings.Contains(page, "newPlot(") {
		t.Errorf("the page is %s", page)
	}
	if got[display.Text] == "" {
		t.Error("no text stands in for it")
	}
	if err := plotly.AppendFig("place", fig); err != nil || len(shown) != 3 {
		t.Errorf("appended: %v, %d shown", err, len(shown))
	}
	for name, err := range map[string]error{
		"a list":                 plotly.DisplayFig([]int{1}),
		"nothing":                plotly.DisplayFig(nil),
		"what JSON has no":       plotly.DisplayFig(map[string]any{"data": math.NaN()}),
		"no element":             plotly.AppendFig("", fig),
		"an element and no data": plotly.AppendFig("place", 3),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "plotly") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(shown) != 3 {
		t.Errorf("%d were shown", len(shown))
	}
}

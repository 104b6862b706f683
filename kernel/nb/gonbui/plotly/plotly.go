// Package plotly shows figures of Plotly, with the names that users of GoNB know. Cells import it by
// the path that it has there:
//
//	import "github.com/janpfeifer/gonb/gonbui/plotly"
//
//	plotly.DisplayFig(map[string]any{"data": []any{map[string]any{"type": "bar", "y": []int{2, 3, 1}}}})
//
// A figure is any value whose JSON is that of a Plotly figure: a map as above, a struct, or a Fig of
// github.com/MetalBlueberry/go-plotly, which %get makes importable.
//
// Front ends that draw Plotly's figures themselves, such as VS Code, get the figure; the others get
// a script that loads Plotly in the page from [PlotlySrc], for which the reader has to be online.
// The figures of trivium/viz need no script.
package plotly

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"

	"trivium/kernel/display"
	"trivium/kernel/nb/gonbui"
	"trivium/kernel/nb/gonbui/dom"
)

// PlotlySrc is where a page gets Plotly from.
var PlotlySrc = "https://cdn.plot.ly/plotly-2.34.0.min.js"

// mime is the type of figures as Plotly has them.
const mime = "application/vnd.plotly.v1+json"

// DisplayFig shows a figure.
func DisplayFig(fig any) error {
	figure, err := encode(fig)
	if err != nil {
		return err
	}
	id := gonbui.UniqueID()
	return display.Current().ShowBundle(display.Bundle{Data: map[string]any{
		mime:         json.RawMessage(figure),
		display.HTML: place(id) + "<script charset=\"utf-8\">" + script(id, figure) + "</script>",
		display.Text: "Plotly figure",
	}}, "")
}

// AppendFig adds a figure at the end of the element of the page that has the given id, such as one
// of [dom.CreateTransientDiv]. It is not kept in the notebook.
func AppendFig(htmlID string, fig any) error {
	if htmlID == "" {
		return errors.New("plotly.AppendFig: no id of an element; DisplayFig shows a figure below the cell")
	}
	figure, err := encode(fig)
	if err != nil {
		return err
	}
	id := gonbui.UniqueID()
	dom.Append(htmlID, place(id))
	dom.TransientJavascript(script(id, figure))
	return nil
}

// encode gives the JSON of a figure, in which nothing ends a script.
func encode(fig any) ([]byte, error) {
	b, err := json.Marshal(fig)
	if err != nil {
		return nil, fmt.Errorf("plotly: the figure: %w", err)
	}
	if !bytes.HasPrefix(b, []byte("{")) {
		return nil, fmt.Errorf("plotly: a figure is an object with data and layout, found a %T", fig)
	}
	return b, nil
}

func place(id string) string { return `<div id="` + html.EscapeString(id) + `"></div>` }

func script(id string, figure []byte) string {
	return dom.Loading("plotly", PlotlySrc, map[string]string{"charset": "utf-8"},
		fmt.Sprintf("(module || window.Plotly).newPlot(%q, %s);", id, figure))
}

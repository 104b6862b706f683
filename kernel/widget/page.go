package widget

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// PageTarget is the target of comms that the script of a page opens.
const PageTarget = "trivium.page"

// script makes controls in the page and tells of what the reader does with them. It runs
// wherever the page can reach the Jupyter server that it came from; elsewhere, as in an
// exported page, nothing but the note is to be seen.
//
//go:embed page.js
var script string

// pageSpec is what the script is told.
type pageSpec struct {
	Kernel   string        `json:"kernel"`
	Panel    string        `json:"panel"`
	Controls []pageControl `json:"controls"`
}

// pageControl is one control for the script. Kind is slider, choice, check, button or switch.
type pageControl struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Value   any      `json:"value"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Step    float64  `json:"step"`
	Digits  int      `json:"digits"`
	Choices []string `json:"choices,omitempty"`
}

// pageHTML is the output that holds the script; note stands in it where the script cannot
// reach the kernel. Below it stands the picture, which the script replaces.
func pageHTML(spec pageSpec, note, picture string) string {
	raw, err := json.Marshal(spec) // which writes < as \u003c, so that nothing ends the script
	if err != nil {
		return html.EscapeString(note)
	}
	if picture != "" {
		picture = fmt.Sprintf(`<div id="trivium-%s-picture">%s</div>`, spec.Panel, picture)
	}
	return fmt.Sprintf(`<div class="trivium-page" id="trivium-%s">%s</div>%s<script>%s(%s)</script>`,
		spec.Panel, html.EscapeString(note), picture, strings.TrimSpace(script), raw)
}

// noManager is what is to be seen where neither a widget manager nor the script works.
const noManager = "In a running notebook controls stand here, if its front end has the package ipywidgets (pip install ipywidgets). Below is what their first values give."

// panelPage is the page of a panel.
func (h *Hub) panelPage(p *Panel, picture string) string {
	spec := pageSpec{Kernel: h.opt.Kernel, Panel: p.id}
	values := p.newest()
	for i, c := range p.controls {
		pc := pageControl{Kind: "slider", Name: c.name, Value: values[i], Min: c.lo, Max: c.hi, Step: c.step, Choices: c.choices}
		switch c.kind {
		case slider:
			fmt.Sscanf(c.format(), ".%df", &pc.Digits)
		case choice:
			pc.Kind = "choice"
		case check:
			pc.Kind = "check"
		case button:
			pc.Kind = "button"
		}
		spec.Controls = append(spec.Controls, pc)
	}
	if h.opt.Kernel == "" || !p.cell.Attended {
		return "<div>" + html.EscapeString(noManager) + "</div>" + picture
	}
	return pageHTML(spec, noManager, picture)
}

// page handles what the script sends: {"panel": id, "control": number or name, "value": v}.
// Of a panel that is gone, as after a restart of the evaluator, the script is told so.
func (h *Hub) page(m Message) {
	var d struct {
		Panel   string          `json:"panel"`
		Control json.RawMessage `json:"control"`
		Value   any             `json:"value"`
	}
	if err := json.Unmarshal(m.Data, &d); err != nil {
		h.opt.Logf("widget: page: %v", err)
		return
	}
	if d.Panel == "" {
		return // a channel that is being opened
	}
	h.mu.Lock()
	p, s := h.panels[d.Panel], h.switches[d.Panel]
	h.mu.Unlock()
	var number int
	var name string
	choice, isChoice := d.Value.(string)
	switch {
	case p != nil && json.Unmarshal(d.Control, &number) == nil:
		p.watched(m.Comm, m.Cell)
		p.set(number, d.Value)
		p.follow(number)
	case s != nil && json.Unmarshal(d.Control, &name) == nil && isChoice:
		go s.use(name, choice, m)
	default:
		h.reply(m, map[string]any{"gone": d.Panel}, nil)
	}
}

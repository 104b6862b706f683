package widget

import "slices"

// width holds a control with its name: names are words, and the usual width cuts them.
const width, nameWidth = "28em", "9em"

// model makes the widgets of the control and of its looks. set is called with the value
// that the reader has given it; it must not wait.
func (c *Control) model(h *Hub, cell uint64, set func(v any)) *Model {
	looks, styles := map[string]any{}, map[string]any{}
	if c.kind != button {
		looks["width"], styles["description_width"] = width, nameWidth
	}
	cl, style, state := c.widget()
	if h.opt.Generation == 7 && style == "CheckboxStyle" {
		style = "DescriptionStyle"
	}
	state["description"], state["disabled"], state["_dom_classes"] = c.name, false, []any{}
	if h.opt.Generation != 7 {
		state["tooltip"], state["tabbable"] = nil, nil
	}
	layout := h.open(cell, class{"Layout", "base", true}, looks, hooks{})
	styled := h.open(cell, class{style, "controls", true}, styles, hooks{})
	state["layout"], state["style"] = layout.reference(), styled.reference()
	m := h.open(cell, class{name: cl, module: "controls"}, state, hooks{
		changed: func(s map[string]any) {
			if i, ok := s["index"].(float64); ok && i >= 0 && i < float64(len(c.choices)) {
				set(c.choices[int(i)])
			}
			if v, ok := s["value"]; ok {
				set(v)
			}
		},
		custom: func(content map[string]any) {
			if c.kind == button && content["event"] == "click" {
				set(true)
			}
		},
	})
	m.parts = []*Model{layout, styled}
	return m
}

// widget names the classes of a control and of its style, and gives the state that is its own.
func (c *Control) widget() (name, style string, state map[string]any) {
	switch c.kind {
	case slider, intSlider:
		name = "FloatSlider"
		if c.kind == intSlider {
			name = "IntSlider"
		}
		return name, "SliderStyle", map[string]any{
			"value": c.start, "min": c.lo, "max": c.hi, "step": c.step, "orientation": "horizontal",
			"readout": true, "readout_format": c.format(), "continuous_update": true,
		}
	case choice:
		return "Dropdown", "DescriptionStyle", map[string]any{
			"_options_labels": c.choices, "index": slices.Index(c.choices, c.start.(string)),
		}
	case check:
		return "Checkbox", "CheckboxStyle", map[string]any{"value": c.start, "indent": true}
	}
	return "Button", "ButtonStyle", map[string]any{"button_style": "", "icon": ""}
}

// html makes a widget that shows HTML.
func (h *Hub) html(cell uint64, page string) *Model {
	layout := h.open(cell, class{"Layout", "base", true}, map[string]any{}, hooks{})
	style := "HTMLStyle"
	if h.opt.Generation == 7 {
		style = "DescriptionStyle"
	}
	styled := h.open(cell, class{style, "controls", true}, map[string]any{}, hooks{})
	m := h.open(cell, class{name: "HTML", module: "controls"}, map[string]any{
		"value": page, "placeholder": "", "description": "", "layout": layout.reference(), "style": styled.reference(), "_dom_classes": []any{},
	}, hooks{})
	m.parts = []*Model{layout, styled}
	return m
}

// column makes a widget that shows others one below the other.
func (h *Hub) column(cell uint64, children []*Model) *Model {
	refs := []any{}
	for _, m := range children {
		refs = append(refs, m.reference())
	}
	layout := h.open(cell, class{"Layout", "base", true}, map[string]any{}, hooks{})
	m := h.open(cell, class{name: "VBox", module: "controls"}, map[string]any{
		"children": refs, "layout": layout.reference(), "box_style": "", "_dom_classes": []any{},
	}, hooks{})
	m.parts = []*Model{layout}
	return m
}

package widget

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// The target of comms that are widgets, and of the one by which a manager asks for all states.
const (
	modelTarget   = "jupyter.widget"
	controlTarget = "jupyter.widget.control"
)

// ViewType is the MIME type of a place where a widget manager shows a model.
const ViewType = "application/vnd.jupyter.widget-view+json"

// A Model is the kernel's half of a widget of the ipywidgets protocol: named state that is
// kept equal on both sides. Names and meanings of the state are those of the model's class in
// the packages @jupyter-widgets/base and @jupyter-widgets/controls.
type Model struct {
	h     *Hub
	id    string
	cell  uint64
	on    hooks
	parts []*Model // that are its alone: layout and style

	mu    sync.Mutex
	state map[string]any // a []byte is sent as a buffer
}

// hooks tell of what pages do with a model. They must not wait; nil ones are not called.
type hooks struct {
	changed func(state map[string]any)   // the state was changed; these are the parts that were
	custom  func(content map[string]any) // something else has happened, such as a click
}

// versions of the packages and of the protocol that a generation of ipywidgets speaks.
type versions struct{ base, controls, protocol string }

func (h *Hub) versions() versions {
	if h.opt.Generation == 7 {
		return versions{"1.2.0", "1.5.0", "2.0.0"}
	}
	return versions{"2.0.0", "2.0.0", "2.1.0"}
}

// class says which model and view of which module a widget is.
type class struct {
	name   string // without Model and View
	module string // "base" or "controls"
	noView bool
}

func (h *Hub) classState(c class) map[string]any {
	version := h.versions().controls
	if c.module == "base" {
		version = h.versions().base
	}
	module := "@jupyter-widgets/" + c.module
	s := map[string]any{
		"_model_name": c.name + "Model", "_model_module": module, "_model_module_version": version,
		"_view_name": c.name + "View", "_view_module": module, "_view_module_version": version,
		"_view_count": nil,
	}
	if c.noView {
		s["_view_module"], s["_view_module_version"] = "@jupyter-widgets/base", h.versions().base
		s["_view_name"] = "StyleView"
		if c.name == "Layout" {
			s["_view_name"] = "LayoutView"
		}
	}
	return s
}

// open makes a model and tells the front ends of it.
func (h *Hub) open(cell uint64, c class, state map[string]any, on hooks) *Model {
	full := h.classState(c)
	maps.Copy(full, state)
	m := &Model{h: h, id: newID(), cell: cell, on: on, state: full}
	h.mu.Lock()
	h.models[m.id] = m
	h.comms[m.id] = m.receive
	h.mu.Unlock()
	m.mu.Lock()
	plain, paths, buffers := split(full)
	m.mu.Unlock()
	data, err := json.Marshal(map[string]any{"state": plain, "buffer_paths": paths})
	if err != nil {
		h.opt.Logf("widget: %s: %v", c.name, err)
		return m
	}
	h.send(Message{Type: "comm_open", Comm: m.id, Target: modelTarget, Data: data,
		Metadata: json.RawMessage(`{"version":"` + h.versions().protocol + `"}`), Buffers: buffers, Cell: cell})
	return m
}

// reference is how the state of one model names another.
func (m *Model) reference() string { return "IPY_MODEL_" + m.id }

// View is the content of ViewType for this model.
func (m *Model) View() map[string]any {
	return map[string]any{"version_major": 2, "version_minor": 0, "model_id": m.id}
}

// close closes the model with its parts.
func (m *Model) close() {
	for _, p := range m.parts {
		p.close()
	}
	m.h.close(m.id, m.cell)
}

// Set changes the state here and in every page.
func (m *Model) Set(state map[string]any) {
	m.mu.Lock()
	maps.Copy(m.state, state)
	m.mu.Unlock()
	m.update(Message{Comm: m.id, Cell: m.cell}, "update", state)
}

func (m *Model) update(to Message, method string, state map[string]any) {
	plain, paths, buffers := split(state)
	m.h.reply(to, map[string]any{"method": method, "state": plain, "buffer_paths": paths}, buffers)
}

// receive handles a message of a page.
func (m *Model) receive(msg Message) {
	var d struct {
		Method      string         `json:"method"`
		State       map[string]any `json:"state"`
		BufferPaths [][]any        `json:"buffer_paths"`
		Content     map[string]any `json:"content"`
	}
	if err := json.Unmarshal(msg.Data, &d); err != nil {
		m.h.opt.Logf("widget: message: %v", err)
		return
	}
	switch d.Method {
	case "update":
		if err := join(d.State, d.BufferPaths, msg.Buffers); err != nil {
			m.h.opt.Logf("widget: update: %v", err)
			return
		}
		m.mu.Lock()
		for name, v := range d.State {
			if _, known := m.state[name]; !known {
				delete(d.State, name) // not of this class: it would only grow the state
				continue
			}
			m.state[name] = v
		}
		m.mu.Unlock()
		// Other pages that show the widget follow, and the one that sent it stops waiting.
		m.update(msg, "echo_update", d.State)
		if m.on.changed != nil && len(d.State) > 0 {
			m.on.changed(d.State)
		}
	case "request_state":
		m.mu.Lock()
		state := maps.Clone(m.state)
		m.mu.Unlock()
		m.update(msg, "update", state)
	case "custom":
		if m.on.custom != nil {
			m.on.custom(d.Content)
		}
	}
}

// control answers a manager that asks for the states of all models at once, as one does when
// a page is loaded.
func (h *Hub) control(msg Message) {
	var d struct{ Method string }
	if json.Unmarshal(msg.Data, &d) != nil || d.Method != "request_states" {
		return
	}
	h.mu.Lock()
	models := slices.Collect(maps.Values(h.models))
	h.mu.Unlock()
	states, paths, buffers := map[string]any{}, [][]any{}, [][]byte(nil)
	for _, m := range models {
		m.mu.Lock()
		plain, p, b := split(m.state)
		m.mu.Unlock()
		for _, path := range p {
			paths = append(paths, append([]any{m.id}, path...))
		}
		buffers = append(buffers, b...)
		states[m.id] = map[string]any{
			"model_name": plain["_model_name"], "model_module": plain["_model_module"],
			"model_module_version": plain["_model_module_version"], "state": plain,
		}
	}
	h.reply(msg, map[string]any{"method": "update_states", "states": states, "buffer_paths": paths}, buffers)
}

// split takes the bytes out of a state, which may be nested in maps and lists: they cross as
// buffers, each with the path at which it belongs. The state itself is not changed.
func split(state map[string]any) (plain map[string]any, paths [][]any, buffers [][]byte) {
	paths = [][]any{}
	var walk func(v any, path []any) (any, bool)
	walk = func(v any, path []any) (any, bool) {
		switch v := v.(type) {
		case []byte:
			paths = append(paths, slices.Clone(path))
			buffers = append(buffers, v)
			return nil, false
		case map[string]any:
			out := map[string]any{}
			for _, k := range slices.Sorted(maps.Keys(v)) {
				if x, stays := walk(v[k], append(path, k)); stays {
					out[k] = x
				}
			}
			return out, true
		case []any:
			out := make([]any, len(v)) // a buffer's place in a list stays, empty
			for i := range v {
				out[i], _ = walk(v[i], append(path, i))
			}
			return out, true
		}
		return v, true
	}
	v, _ := walk(state, nil)
	return v.(map[string]any), paths, buffers
}

// join puts buffers where their paths say, the reverse of split.
func join(state map[string]any, paths [][]any, buffers [][]byte) error {
	if len(paths) > len(buffers) {
		return fmt.Errorf("%d buffers were announced and %d came", len(paths), len(buffers))
	}
	for i, path := range paths {
		var at any = state
		for j, step := range path {
			last := j == len(path)-1
			switch c := at.(type) {
			case map[string]any:
				k, ok := step.(string)
				if !ok || c == nil {
					return fmt.Errorf("no place for a buffer at %v", path)
				}
				if last {
					c[k] = buffers[i]
				}
				at = c[k]
			case []any:
				k, ok := step.(float64)
				if !ok || k < 0 || int(k) >= len(c) || k != float64(int(k)) {
					return fmt.Errorf("no place for a buffer at %v", path)
				}
				if last {
					c[int(k)] = buffers[i]
				}
				at = c[int(k)]
			default:
				return fmt.Errorf("no place for a buffer at %v", path)
			}
		}
	}
	return nil
}

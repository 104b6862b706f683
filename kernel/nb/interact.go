package nb

import (
	"fmt"

	"trivium/kernel/widget"
)

// A Control is something in the page that the reader can set: [Slider], [IntSlider],
// [Choice], [Checkbox] or [Button].
type Control = widget.Control

// Slider gives [Interact]'s function a float64 from lo to hi. It starts in the middle and
// moves in about a hundred steps; change that by its methods Start and Step.
func Slider(name string, lo, hi float64) *Control { return widget.Slider(name, lo, hi) }

// IntSlider gives an int from lo to hi, both included. It starts in the middle.
func IntSlider(name string, lo, hi int) *Control { return widget.IntSlider(name, lo, hi) }

// Choice gives one of the strings, the first at the beginning.
func Choice(name string, choices ...string) *Control { return widget.Choice(name, choices...) }

// Checkbox gives a bool, false at the beginning.
func Checkbox(name string) *Control { return widget.Checkbox(name) }

// Button gives a bool: true in the one call that its click causes.
func Button(name string) *Control { return widget.Button(name) }

// Interact shows controls and what f returns for their values, below each other:
//
//	nb.Interact(func(keep float64, sampler string) *viz.Figure {
//		return draw(keep, sampler)
//	}, nb.Slider("keep", 0.05, 1), nb.Choice("sampler", "norm", "uniform"))
//
// f has one parameter per control. Whenever a control is moved, f is called with the new
// values, and its results replace what it returned, showed and printed before; a figure
// that is still growing goes on growing there. An error as the last result is shown
// instead.
//
// f is code of a cell, so it takes its turn with cells: it is called when no cell runs, and a
// cell that is run meanwhile waits. While f waits or runs, only the newest values are kept.
// The stop button ends a call. The first call is made at once, as part of the cell.
//
// The controls are widgets of ipywidgets, where the front end has a widget manager; a page
// of JupyterLab or Notebook without one makes its own. Elsewhere, as in an exported page,
// what the first values gave is to be seen.
func Interact(f any, controls ...*Control) {
	if err := widget.Current().Interact(f, controls); err != nil {
		panic(fmt.Errorf("nb.Interact: %w", err))
	}
}

// Play calls f for each frame at once and returns one output with a slider through the
// results. It needs no kernel, so it works in an exported page:
//
//	nb.Play(func(keep float64) *viz.Figure { return draw(keep) }, nb.Slider("keep", 0.05, 1))
//	nb.Play(frame, 1, 2, 5, 10, 20, 50)
//
// The frames are values for f's parameter, a slice of them, or a control, of which at most 24
// values are taken. Without f (nil) the values are the pictures themselves.
func Play(f any, frames ...any) *widget.Player {
	p, err := widget.Play(f, frames...)
	if err != nil {
		panic(fmt.Errorf("nb.Play: %w", err))
	}
	return p
}

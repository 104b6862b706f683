package host

import (
	"fmt"
	"regexp"

	"trivium/kernel/display"
	"trivium/kernel/link"
)

// asked matches NAME?, NAME?? and ?NAME, with which users of IPython ask what a name is. None of
// them is Go.
var asked = regexp.MustCompile(`^\s*(?:(\?{1,2})\s*([\pL_][\pL\pN_.]*)|([\pL_][\pL\pN_.]*)\s*(\?{1,2}))\s*$`)

// question tells whether a cell only asks about a name, and in which detail.
func question(source string) (name string, detail int, ok bool) {
	m := asked.FindStringSubmatch(source)
	if m == nil {
		return "", 0, false
	}
	return m[2] + m[3], len(m[1]+m[4]) - 1, true
}

// explain shows in the pager what is known of a name.
func (s *session) explain(name string, detail int) error {
	d := inspect(s.ev, link.Query{Source: name, Offset: len(name), Detail: detail})
	if !d.Found {
		return fmt.Errorf("nothing is known of %s; %%who lists the variables, and %%help NAME finds names in packages", name)
	}
	data := map[string]any{}
	for mime, text := range d.Data {
		data[mime] = text
	}
	if data[display.Text] == nil {
		data[display.Text] = name
	}
	return s.page(data)
}

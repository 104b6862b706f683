package box

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MarshalJSON gives what package encoding/json makes of the same value in a compiled program, for boxes within what
// compiled code marshals itself: a cell's own calls have none in what they give.
func (o Obj) MarshalJSON() ([]byte, error) {
	if o.D == nil || o.D.Show == nil {
		return nil, fmt.Errorf("json: unsupported value of a type declared in a cell")
	}
	x, err := o.D.Show(o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the encoder around it escapes <, > and & if it is to
	if err := e.Encode(x); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

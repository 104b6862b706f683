package eval

// values makes what the last expression gave ready to be shown.
func (s *Session) values(p *program, shown []any) ([]Value, error) {
	var out []Value
	for i, v := range shown {
		t := p.show[i]
		if err, ok := v.(error); ok && i == len(shown)-1 && isErrorType(t) {
			return out, &ValueError{err}
		}
		out = append(out, Value{V: v, Type: typeString(t), Text: s.render(t, v)})
	}
	return out, nil
}

package eval

import "testing"

// TestRender shows values with pointers, and values within themselves.
func TestRender(t *testing.T) {
	s := newSession(t)
	for i, c := range []struct{ src, want string }{
		{"type Pt struct{ X, Y int }\ntype Node struct{ Val int; Left, Right *Node }\nmap[string]*Pt{\"a\": {1, 2}}", "map[a:&{X:1 Y:2}]"},
		{"&Node{1, &Node{2, nil, nil}, nil}", "&{Val:1 Left:&{Val:2 Left:<nil> Right:<nil>} Right:<nil>}"},
		{"n := &Node{Val: 1}\nn.Left = n\nn", "&{Val:1 Left:&{…} Right:<nil>}"},
		{"struct{ A *Pt; B **Pt; C any }{&Pt{}, nil, &Pt{3, 4}}", "{A:&{X:0 Y:0} B:<nil> C:&{X:3 Y:4}}"},
		{"type List struct{ v int; next *List }\nvar l *List\nfor i := range 10 { l = &List{i, l} }\nl",
			"&{v:9 next:&{v:8 next:&{v:7 next:&{v:6 next:&{v:5 next:&{v:4 next:&{v:3 next:&{…}}}}}}}}"},
		{"m := map[string]any{}\nm[\"self\"] = m\nm", "map[string]any that contains itself"},
		{"a := []any{1, nil}\na[1] = a\na", "[]any that contains itself"},
		{"type Family struct{ name string; kids []any }\nf := &Family{name: \"f\"}\nf.kids = []any{f, &Family{\"k\", nil}}\nf", "&{name:f kids:[&{…} &{name:k kids:[]}]}"},
		{"len(fmt.Sprint(f)) > 5", "true"},
	} {
		if got := text(t, s, i+1, c.src); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.src, got, c.want)
		}
	}
}

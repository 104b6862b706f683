package eval_test

import (
	"context"
	"fmt"

	"trivium/kernel/eval"
	"trivium/kernel/symbols"
)

// Three cells: the second uses a type of the first without importing anything, the third has
// a mistake and so does nothing.
func Example() {
	s, err := eval.New(eval.Options{Symbols: symbols.All})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, src := range []string{
		"type Square struct{ Side float64 }\nfunc (s Square) Area() float64 { return s.Side * s.Side }",
		"sq := Square{3}\nmath.Sqrt(sq.Area())",
		"sq = Square{4}\nsq.Perimeter()",
	} {
		out := s.Run(context.Background(), eval.Cell{N: i + 1, Source: src})
		for _, v := range out.Values {
			fmt.Println(v.Type, v.Text)
		}
		if out.Err != nil {
			fmt.Println(out.Err)
		}
	}
	// Output:
	// float64 3
	// Cell [3], line 2: sq.Perimeter undefined (type Square has no field or method Perimeter)
	//     sq.Perimeter()
	//        ^
}

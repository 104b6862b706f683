package amp_test

import (
	"context"
	"fmt"
	"log"

	"trivium/core/amp"
	"trivium/core/nn"
	"trivium/core/optim"
)

// A network of one's own: it multiplies a number by a learned matrix as often as each sample asks for.
func Example() {
	g := amp.NewGraph("powers")
	x := g.Phi("again", g.Input("x", 1))
	y := g.Step("step", g.PPT("times", x, amp.Linear{Out: 1, NoBias: true}))
	ways := g.Cond("enough?", y, 2, func(s amp.State) int {
		if s.Step < s.Count {
			return 0 // round again
		}
		return 1
	})
	g.Join(x, ways[0])
	g.Regress("loss", ways[1], nn.MSE, func(s amp.State) []float32 {
		return [][]float32{{2}, {4}, {8}}[s.Count-1 : s.Count][0]
	})
	g.Node("times").Weights()[0] = 1

	data := amp.Samples{N: 60, Each: func(i int, p *amp.Pump) {
		p.Send("x", amp.State{Count: 1 + i%3}, 1) // 1 to be doubled once, twice or three times
	}}
	r, err := amp.Train(context.Background(), g, data, amp.Options{Workers: 1, MaxActiveKeys: 2, Epochs: 20, Optimizer: optim.Adam{}, Rate: 0.02})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("after %d samples: 1 becomes %.2f\n", r.Instances, g.Node("times").Weights()[0])
	// Output: after 1200 samples: 1 becomes 2.00
}

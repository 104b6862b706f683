package nn

import "testing"

func TestTiles(t *testing.T) {
	for name, c := range map[string]struct {
		net     *Net
		n, h, w int
	}{
		"dense on a picture":     {New(Shape{3, 4, 5}, Flatten{}, Dense{Out: 7}), 7, 4, 5},
		"dense on a square":      {MLP(16, 3, 2), 3, 4, 4},
		"dense on no square":     {MLP(15, 3, 2), 0, 0, 0},
		"filters":                {New(Shape{2, 8, 8}, Conv{Out: 4, Size: 3}, ReLU{}), 4, 3, 3},
		"a shrunk picture":       {New(Shape{1, 8, 8}, MaxPool{Size: 2}, Dense{Out: 3}), 0, 0, 0},
		"another layer first":    {New(Shape{1, 4, 4}, BatchNorm{}, Dense{Out: 3}), 0, 0, 0},
		"no weights":             {New(Shape{1, 4, 4}, ReLU{}), 0, 0, 0},
		"a network that is none": {MLP(4, -1), 0, 0, 0},
	} {
		tiles, h, w := c.net.Tiles()
		if len(tiles) != c.n || c.n > 0 && (h != c.h || w != c.w || len(tiles[0]) != h*w) {
			t.Errorf("%s: %d tiles of %d×%d, want %d of %d×%d", name, len(tiles), h, w, c.n, c.h, c.w)
		}
	}
	net := New(Shape{2, 1, 2}, Dense{Out: 2})
	copy(net.Weights(), []float32{1, 10, 2, 20, 3, 30, 4, 40}) // row by input, column by unit
	if tiles, _, _ := net.Tiles(); tiles[0][0] != 2 || tiles[0][1] != 3 || tiles[1][0] != 20 {
		t.Errorf("means over channels %v, want [2 3] and [20 30]", tiles)
	}
}

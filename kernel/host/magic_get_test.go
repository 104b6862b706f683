package host

import (
	"slices"
	"testing"
)

func TestAddModules(t *testing.T) {
	have := []string{"example.org/a@v1.0.0", "example.org/b=/tmp/b"}
	for _, c := range []struct{ want, all, news []string }{
		{[]string{"example.org/a@v1.0.0"}, have, nil},
		{[]string{"example.org/a@v1.1.0"}, []string{"example.org/b=/tmp/b", "example.org/a@v1.1.0"}, []string{"example.org/a@v1.1.0"}},
		{[]string{"example.org/c"}, append(slices.Clone(have), "example.org/c"), []string{"example.org/c"}},
		{[]string{"example.org/b=/tmp/b"}, have, []string{"example.org/b=/tmp/b"}}, // its files may be others by now
	} {
		all, news := addModules(have, c.want)
		if !slices.Equal(all, c.all) || !slices.Equal(news, c.news) {
			t.Errorf("%v: %v, %v; want %v, %v", c.want, all, news, c.all, c.news)
		}
	}
}

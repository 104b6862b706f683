package player_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"trivium/kernel/player"
)

func TestHTML(t *testing.T) {
	pictures := []string{`<b title="x&amp;y">1</b>`, "<svg><text>&lt;2&gt;</text></svg>"}
	got := player.HTML("<keep>", []string{"0.1", `"half"`}, pictures)
	if !strings.Contains(got, "&lt;keep&gt;") || strings.Contains(got, "<keep>") {
		t.Errorf("the name is not escaped: %s", got)
	}
	frames := regexp.MustCompile(`data-label="([^"]*)" data-html="([^"]*)"`).FindAllStringSubmatch(got, -1)
	if len(frames) != 2 || html.UnescapeString(frames[1][1]) != `"half"` {
		t.Fatalf("frames %q", frames)
	}
	for i, f := range frames {
		if back := html.UnescapeString(f[2]); back != pictures[i] {
			t.Errorf("frame %d is %q, want %q", i, back, pictures[i])
		}
	}
	// What a viewer that takes scripts and attributes out leaves is the first picture alone.
	bare := regexp.MustCompile(`<[^<>]*"[^<>]*>`)
	clean := got
	for _, f := range frames {
		clean = strings.ReplaceAll(clean, f[0], "")
	}
	if n := strings.Count(bare.ReplaceAllString(clean, ""), "2"); n != 0 {
		t.Errorf("%d traces of the second picture outside of attributes", n)
	}
	if one := player.HTML("x", []string{"a"}, pictures[:1]); strings.Contains(one, "<input") || !strings.Contains(one, pictures[0]) {
		t.Errorf("one picture: %s", one)
	}
}

func ExampleHTML() {
	fmt.Println(player.HTML("n", []string{"1"}, []string{"<b>one</b>"}))
	// Output: <div class="trivium-play"><div class="trivium-picture"><b>one</b></div></div>
}

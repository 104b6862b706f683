package dom_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trivium/kernel/display"
	"trivium/kernel/nb/gonbui/dom"
)

// collect makes what is shown readable.
func collect(shown *[]string) *display.Manager {
	m := display.New(func(_ uint64, _ string, content []byte) error {
		var c struct{ Data map[string]string }
		err := json.Unmarshal(content, &c)
		*shown = append(*shown, c.Data[display.HTML])
		return err
	}, display.Options{})
	display.Use(m)
	return m
}

func TestNothingEndsTheScript(t *testing.T) {
	var shown []string
	defer collect(&shown).Close()
	dom.SetInnerHtml("a'b", "</script><b>x</b>")
	dom.SendAsDownload("</script>", []byte{1, 2}, "text/plain")
	for _, s := range shown {
		if strings.Count(s, "</script>") != 1 || !strings.HasSuffix(s, "</script>") {
			t.Errorf("the script is %s", s)
		}
	}
	for i, err := range []error{
		dom.LoadScriptModuleAndRun("https://x.org/a.js", map[string]string{"charset": "</script>"}, "go()"),
		dom.LoadScriptOrRequireJSModuleAndRun("</script>", "https://x.org/a.js", nil, "go(module)"),
		dom.LoadScriptOrRequireJSModuleAndRunTransient("a", "https://x.org/a.js", nil, "go(module)"),
		dom.BrowserDownload("</script>", nil, "text/csv"),
	} {
		if s := shown[len(shown)-4+i]; err != nil || strings.Count(s, "</script>") != 1 {
			t.Errorf("%v: the script is %s", err, s)
		}
	}
	shown = shown[:2]
	if id := dom.CreateTransientDiv(); !strings.Contains(shown[2], id) {
		t.Errorf("%s is not the id of %s", id, shown[2])
	}
}

func ExampleAppend() {
	var shown []string
	defer collect(&shown).Close()
	dom.CreateDivWithId("list", "")
	dom.Append("list", "<i>one</i>")
	fmt.Println(shown[0])
	fmt.Println(strings.Contains(shown[1], "insertAdjacentHTML('beforeend'"))
	// Output:
	// <div id="list"></div>
	// true
}

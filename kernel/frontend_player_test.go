//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trivium/kernel/notebook"
	"trivium/kernel/player"
)

// TestPlayerInPage moves a player's slider in an exported page, whose policy forbids all other
// scripts, and lets it run.
func TestPlayerInPage(t *testing.T) {
	chrome := labBrowser(t)
	t.Parallel()
	data, err := json.Marshal(player.HTML("x", []string{"zero", "one", "two"}, []string{"<b>picture 0</b>", "<b>picture 1</b>", "<b>picture 2</b>"}))
	if err != nil {
		t.Fatal(err)
	}
	evil, err := json.Marshal(`<script>window.evil = true</script><img src="data:," onerror="window.evil = true">`)
	if err != nil {
		t.Fatal(err)
	}
	cell := notebook.NewCell(notebook.Code, "nb.Play(…)")
	for _, html := range []json.RawMessage{data, evil} {
		cell.Outputs = append(cell.Outputs, &notebook.Output{Kind: notebook.DisplayData, Data: map[string]json.RawMessage{"text/html": html}})
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if err := notebook.New(cell).WriteHTMLFile(page, notebook.Page{}); err != nil {
		t.Fatal(err)
	}
	ctx := startBrowser(t, chrome)
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+page)); err != nil {
		t.Fatal(err)
	}
	const shown = `document.querySelector('.trivium-picture').innerText + ' ' + document.querySelector('output').innerText`
	if got := ask[string](t, ctx, shown); got != "picture 0 zero" {
		t.Errorf("the page begins with %q", got)
	}
	do(t, ctx, `(s => { s.value = 2; s.dispatchEvent(new Event('input', {bubbles: true})); })(document.querySelector('input[type=range]'))`)
	pageSays(t, ctx, 10*time.Second, "the slider shows its picture", shown+` === 'picture 2 two'`)
	do(t, ctx, `document.querySelector('button').click()`)
	pageSays(t, ctx, 10*time.Second, "the player goes on to the next one", shown+` === 'picture 1 one'`)
	if ask[bool](t, ctx, `window.evil === true`) {
		t.Error("the page lets other scripts run")
	}
}

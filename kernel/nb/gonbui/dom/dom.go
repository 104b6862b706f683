// Package dom changes the page by scripts, with the names that users of GoNB know. Cells import
// it by the path that it has there:
//
//	import "github.com/janpfeifer/gonb/gonbui/dom"
//
//	dom.CreateDivWithId("place", "waiting")
//	dom.SetInnerHtml("place", "<b>done</b>")
//
// What these functions do is in the page, not in the notebook: it is gone when the page is
// loaded again, but for the outputs themselves. Nothing is read back from the page; controls
// that answer are those of trivium/kernel/nb, as in nb.Interact.
package dom

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"

	"trivium/kernel/nb"
)

// TransientJavascript runs a script in the page. It leaves no trace in the output that is shown.
func TransientJavascript(js string) {
	nb.ShowHTML("<script>(function () {\n" + js + "\n})()</script>")
}

// quote writes a string as JavaScript has it, so that nothing in it ends a script.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // a string can be encoded
	}
	return string(b)
}

// CreateTransientDiv makes an empty element in the output of the cell and returns its id.
func CreateTransientDiv() (id string) {
	id = "gonb_div_" + rand.Text()
	CreateDivWithId(id, "")
	return id
}

// CreateDivWithId makes an element with the given id and content in the output of the cell.
func CreateDivWithId(id, content string) {
	nb.ShowHTML(fmt.Sprintf(`<div id="%s">%s</div>`, html.EscapeString(id), content))
}

// with runs a script that knows the element by the name e, if there is one.
func with(id, js string) {
	TransientJavascript("var e = document.getElementById(" + quote(id) + "); if (e) { " + js + " }")
}

// Append adds HTML at the end of the element.
func Append(id, content string) {
	with(id, "e.insertAdjacentHTML('beforeend', "+quote(content)+");")
}

// A RelativePositionId is a place by an element.
type RelativePositionId string

const (
	BeforeBegin RelativePositionId = "beforebegin"
	AfterBegin  RelativePositionId = "afterbegin"
	BeforeEnd   RelativePositionId = "beforeend"
	AfterEnd    RelativePositionId = "afterend"
)

// InsertAdjacent adds HTML at a place by the element.
func InsertAdjacent(id string, where RelativePositionId, content string) {
	with(id, "e.insertAdjacentHTML("+quote(string(where))+", "+quote(content)+");")
}

// SetInnerHtml replaces the content of the element.
func SetInnerHtml(id, content string) { with(id, "e.innerHTML = "+quote(content)+";") }

// SetInnerText replaces the content of the element by text.
func SetInnerText(id, text string) { with(id, "e.innerText = "+quote(text)+";") }

// Remove removes the element.
func Remove(id string) { with(id, "e.remove();") }

// BrowserDownload is SendAsDownload.
func BrowserDownload(name string, content []byte, mime string) error {
	SendAsDownload(name, content, mime)
	return nil
}

// SendAsDownload lets the browser save data as a file.
func SendAsDownload(name string, content []byte, mime string) {
	raw, err := json.Marshal(content) // base64, in quotes
	if err != nil {
		return // bytes can be encoded
	}
	TransientJavascript("var s = atob(" + string(raw) + "), a = document.createElement('a'), b = new Uint8Array(s.length);\n" +
		"for (var i = 0; i < s.length; i++) b[i] = s.charCodeAt(i);\n" +
		"a.href = URL.createObjectURL(new Blob([b], {type: " + quote(mime) + "})); a.download = " + quote(name) + "; a.click(); URL.revokeObjectURL(a.href);")
}

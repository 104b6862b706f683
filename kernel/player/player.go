// Package player writes a slider through several pictures as a piece of HTML that needs no kernel
// and no script of its own.
//
// Only the first picture stands in the page; the others wait in attributes, and two short event
// handlers, always the same, put one in its place. A viewer that takes scripts and unknown
// attributes out, as many do with notebooks of others, leaves the first picture. A page that forbids
// scripts can allow these two by [Policy].
package player

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

// The handlers. They find the player they belong to by its class.
const (
	slide = `var r=this.closest('.trivium-play'),f=r.querySelectorAll('.trivium-frame')[this.value];` +
		`r.querySelector('.trivium-picture').innerHTML=f.getAttribute('data-html');` +
		`r.querySelector('output').textContent=f.getAttribute('data-label')`
	play = `var b=this,s=b.parentNode.querySelector('input');` +
		`if(b.timer){clearInterval(b.timer);b.timer=0;b.textContent='▶'}else{b.textContent='⏸';` +
		`b.timer=setInterval(function(){if(!b.isConnected)return clearInterval(b.timer);s.value=(+s.value+1)%(+s.max+1);s.oninput()},250)}`
)

// Class is the class of a player's element, by which a page knows that it has one.
const Class = "trivium-play"

// Policy is what a page's content security policy says under script-src to allow the handlers of
// players and nothing else.
func Policy() string {
	of := func(handler string) string {
		sum := sha256.Sum256([]byte(handler))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "'unsafe-hashes' " + of(slide) + " " + of(play)
}

// HTML writes a player. Each picture is HTML, with a label that stands beside the slider while it
// is shown; name says what the labels are. There must be as many labels as pictures, one at least;
// a single picture has no slider.
func HTML(name string, labels, pictures []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="%s">`, Class)
	if n := len(pictures); n > 1 {
		fmt.Fprintf(&b, `<div style="display:flex;align-items:center;gap:.6em;margin:2px 0"><button type="button" aria-label="play" style="font:inherit;width:2.5em" onclick="%s">▶</button>`+
			`<label>%s <input type="range" min="0" max="%d" step="1" value="0" style="width:20em;vertical-align:middle" oninput="%s"></label> <output>%s</output></div>`,
			html.EscapeString(play), html.EscapeString(name), n-1, html.EscapeString(slide), html.EscapeString(labels[0]))
	}
	fmt.Fprintf(&b, `<div class="trivium-picture">%s</div>`, pictures[0])
	for i, p := range pictures {
		if len(pictures) > 1 {
			fmt.Fprintf(&b, `<span hidden class="trivium-frame" data-label="%s" data-html="%s"></span>`, html.EscapeString(labels[i]), attribute.Replace(p))
		}
	}
	b.WriteString("</div>")
	return b.String()
}

// attribute escapes what ends an attribute in double quotes, and what begins a reference. Pictures
// have many <, which may stand there.
var attribute = strings.NewReplacer("&", "&amp;", `"`, "&quot;")

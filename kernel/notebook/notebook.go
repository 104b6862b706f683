package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Notebook is a list of cells and what else its file says.
type Notebook struct {
	Cells []*Cell

	minor  int    // nbformat 4.minor, as read
	fields object // the whole file but the cells
}

// Kinds of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// A Cell is one cell. Count and Outputs are of code cells only.
type Cell struct {
	Kind    string // Code, Markdown or Raw
	ID      string // unique in the notebook; Write fills in those that are missing
	Source  string
	Count   int // the execution count, 0 where the cell has not been run
	Outputs []*Output

	fields object // as read
}

// New returns a notebook of these cells for the Go kernel.
func New(cells ...*Cell) *Notebook {
	return &Notebook{Cells: cells, minor: 5, fields: object{
		{"metadata", json.RawMessage(`{"kernelspec":{"display_name":"Go (Trivium)","language":"go","name":"trivium"},` +
			`"language_info":{"file_extension":".go","mimetype":"text/x-go","name":"go"}}`)},
		{"nbformat", json.RawMessage("4")},
		{"nbformat_minor", json.RawMessage("5")},
	}}
}

// NewCell returns a cell of the kind with the source.
func NewCell(kind, source string) *Cell { return &Cell{Kind: kind, Source: source} }

// HasTag reports whether the cell's metadata has the tag, such as "raises-exception".
func (c *Cell) HasTag(tag string) bool {
	var meta struct{ Tags []string }
	return c.fields.decode("metadata", &meta) && slices.Contains(meta.Tags, tag)
}

// attachment returns a picture pasted into a markdown cell as a data URI.
func (c *Cell) attachment(name string) (uri string, ok bool) {
	var files map[string]map[string]json.RawMessage
	if !c.fields.decode("attachments", &files) {
		return "", false
	}
	for mime, raw := range files[name] {
		if text, ok := decodeText(raw); ok && strings.HasPrefix(mime, "image/") {
			return "data:" + mime + ";base64," + strings.Join(strings.Fields(text), ""), true
		}
	}
	return "", false
}

// Title returns the first heading of the notebook's text without its markup, or "".
func (nb *Notebook) Title() string {
	for _, c := range nb.Cells {
		if h := c.heading(); h != "" {
			return h
		}
	}
	return ""
}

// heading returns the first heading of a markdown cell as plain text.
func (c *Cell) heading() string {
	if c.Kind != Markdown {
		return ""
	}
	fenced := false
	for line := range strings.Lines(c.Source) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		text := strings.TrimLeft(line, "#")
		if level := len(line) - len(text); !fenced && level >= 1 && level <= 6 && strings.HasPrefix(text, " ") {
			text = headingMarkup.ReplaceAllString(strings.TrimRight(text, "#"), "$1$2$3")
			return strings.TrimSpace(strings.NewReplacer("`", "", "$", "").Replace(text))
		}
	}
	return ""
}

// headingMarkup is emphasis and links, of which a plain heading keeps the words.
var headingMarkup = regexp.MustCompile(`\*{1,2}([^*\s][^*]*)\*{1,2}|\b_{1,2}([^_\s][^_]*)_{1,2}\b|\[([^\]]*)\]\([^)]*\)`)

// Language returns the programming language that the notebook says its cells are in, in lower
// case, or "" if it says nothing.
func (nb *Notebook) Language() string {
	var meta struct {
		Kernelspec struct{ Language string }
		Info       struct{ Name string } `json:"language_info"`
	}
	nb.fields.decode("metadata", &meta)
	if meta.Info.Name != "" {
		return strings.ToLower(meta.Info.Name)
	}
	return strings.ToLower(meta.Kernelspec.Language)
}

// A LanguageError says that a notebook's cells are not in the language of the kernel.
type LanguageError struct{ Found, Want string }

func (e *LanguageError) Error() string {
	return fmt.Sprintf("notebook: its cells are in %s, this kernel runs %s; choose a kernel for %[1]s, or, if they are %[2]s after all, the kernel \"Go (Trivium)\" in a front end", e.Found, e.Want)
}

// CheckLanguage returns a [*LanguageError] if the notebook says that its cells are in another language.
func (nb *Notebook) CheckLanguage(want string) error {
	if found := nb.Language(); found != "" && found != want {
		return &LanguageError{found, want}
	}
	return nil
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // nbformat 4.5

// fillIDs gives each cell without a valid id of its own one that follows from its place and its
// source, so that writing twice gives the same file.
func (nb *Notebook) fillIDs() {
	seen := map[string]bool{}
	for _, c := range nb.Cells {
		if !validID.MatchString(c.ID) || seen[c.ID] {
			c.ID = ""
			continue
		}
		seen[c.ID] = true
	}
	for i, c := range nb.Cells {
		for try := 0; c.ID == ""; try++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%s", i, try, c.Source))
			if id := hex.EncodeToString(sum[:4]); !seen[id] {
				c.ID, seen[id] = id, true
			}
		}
	}
}

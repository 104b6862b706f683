package host

import (
	"strings"

	"trivium/kernel/display"
	"trivium/kernel/eval"
	"trivium/kernel/link"
)

func complete(ev eval.Evaluator, q link.Query) link.Completion {
	if c, ok := completeMagic(q); ok {
		return c
	}
	_, source := between(q.Source)
	c := ev.Complete(source, q.Offset)
	out := link.Completion{Start: c.Start, End: c.End}
	for _, it := range c.Items {
		out.Items = append(out.Items, link.CompletionItem{Text: it.Text, Kind: it.Kind, Signature: it.Type})
	}
	return out
}

func inspect(ev eval.Evaluator, q link.Query) link.Inspection {
	if d, ok := inspectMagic(q); ok {
		return d
	}
	_, source := between(q.Source)
	d, ok := ev.Inspect(source, q.Offset, q.Detail)
	if !ok {
		return link.Inspection{}
	}
	var plain, md strings.Builder
	if d.Signature != "" {
		plain.WriteString(d.Signature + "\n")
		md.WriteString("```go\n" + d.Signature + "\n```\n")
	}
	if d.Text != "" {
		plain.WriteString("\n" + d.Text)
		md.WriteString("\n" + d.Text)
	}
	if q.Detail > 0 && d.Source != "" {
		plain.WriteString("\n" + d.Source)
		md.WriteString("\n```go\n" + d.Source + "\n```\n")
	}
	return link.Inspection{Found: true, Data: map[string]string{display.Text: plain.String(), display.Markdown: md.String()}}
}

func isComplete(ev eval.Evaluator, q link.Query) link.Completeness {
	if _, _, asks := question(q.Source); asks || isMagic(q.Source) {
		return link.Completeness{Status: "complete"}
	}
	_, source := between(q.Source)
	status, indent := ev.IsComplete(source)
	return link.Completeness{Status: status, Indent: indent}
}

// variables lists what the session holds, if the evaluator can tell.
func variables(ev eval.Evaluator) []link.Variable {
	out := []link.Variable{}
	if l, ok := ev.(interface{ Vars() []eval.Var }); ok {
		for _, v := range l.Vars() {
			out = append(out, link.Variable{Name: v.Name, Type: v.Type, Value: v.Text, Size: v.Size})
		}
	}
	return out
}

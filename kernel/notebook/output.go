package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Kinds of outputs.
const (
	Stream        = "stream"
	DisplayData   = "display_data"
	ExecuteResult = "execute_result"
	Error         = "error"
)

// An Output is one thing a code cell printed, showed, returned or failed with.
type Output struct {
	Kind string

	Name, Text string // Stream: "stdout" or "stderr", and what was printed

	Data     map[string]json.RawMessage // DisplayData, ExecuteResult: by MIME type
	Metadata json.RawMessage            // of Data; nil means {}
	Count    int                        // ExecuteResult

	EName, EValue string // Error
	Traceback     []string

	raw json.RawMessage // as read; nil when the output was made here
}

func parseOutput(raw json.RawMessage) (*Output, error) {
	o, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	out := &Output{raw: raw, Metadata: o.get("metadata")}
	o.decode("output_type", &out.Kind)
	switch out.Kind {
	case Stream:
		o.decode("name", &out.Name)
		out.Text, _ = decodeText(o.get("text"))
	case DisplayData, ExecuteResult:
		o.decode("data", &out.Data)
		o.decode("execution_count", &out.Count)
	case Error:
		o.decode("ename", &out.EName)
		o.decode("evalue", &out.EValue)
		o.decode("traceback", &out.Traceback)
	default:
		return nil, fmt.Errorf("output_type %q is none of stream, display_data, execute_result, error", out.Kind)
	}
	return out, nil
}

// Form returns what is shown in that MIME type, base64 for pictures other than SVG; "" if the
// output has no such form. The SVG of a figure may stand inside its HTML.
func (out *Output) Form(mime string) string {
	s, _ := decodeText(out.Data[mime])
	if mime == "image/svg+xml" && out.Data[mime] == nil {
		return svgWithin(out.Form("text/html"))
	}
	return s
}

// svgWithin returns the SVG of an HTML element of a picture in two forms, as kernel/display makes
// it of figures: a PNG with an SVG in its place where the browser can show it.
func svgWithin(html string) string {
	const begins = ` srcset="data:image/svg+xml,`
	tag, _, _ := strings.Cut(html, ">")
	_, rest, found := strings.Cut(tag, begins)
	if !found || !strings.HasPrefix(tag, "<img ") {
		return ""
	}
	encoded, _, _ := strings.Cut(rest, `"`)
	svg, err := url.PathUnescape(encoded)
	if err != nil {
		return ""
	}
	return svg
}

// size returns the width and height in pixels that the metadata gives for a MIME type, 0 if none.
func (out *Output) size(mime string) (w, h float64) {
	var byMIME map[string]json.RawMessage
	var size struct{ Width, Height float64 }
	if json.Unmarshal(out.Metadata, &byMIME) == nil && byMIME[mime] != nil {
		_ = json.Unmarshal(byMIME[mime], &size) // a size in another form is as good as none
	}
	return size.Width, size.Height
}

func (out *Output) encode() json.RawMessage {
	if out.raw != nil {
		return out.raw
	}
	kind := member{"output_type", encodeString(out.Kind)}
	meta := member{"metadata", sortNames(out.Metadata)}
	if kindOf(meta.value) != "an object" {
		meta.value = json.RawMessage("{}")
	}
	switch out.Kind {
	case Stream:
		return object{{"name", encodeString(out.Name)}, kind, {"text", encodeLines(out.Text)}}.encode()
	case ExecuteResult:
		return object{{"data", encodeBundle(out.Data)}, {"execution_count", encodeCount(out.Count)}, meta, kind}.encode()
	case Error:
		trace := make([]json.RawMessage, len(out.Traceback))
		for i, line := range out.Traceback {
			trace[i] = encodeString(line)
		}
		return object{{"ename", encodeString(out.EName)}, {"evalue", encodeString(out.EValue)}, kind, {"traceback", encodeList(trace)}}.encode()
	}
	return object{{"data", encodeBundle(out.Data)}, meta, kind}.encode()
}

// encodeBundle writes texts as lists of lines and everything else as it came: pictures as
// base64 strings, JSON as JSON.
func encodeBundle(data map[string]json.RawMessage) json.RawMessage {
	o := object{}
	for _, mime := range slices.Sorted(maps.Keys(data)) {
		value := data[mime]
		if s, ok := decodeText(value); ok && (strings.HasPrefix(mime, "text/") || mime == "image/svg+xml" || mime == "application/javascript") {
			value = encodeLines(s)
		} else if ok && !isJSON(mime) {
			value = encodeString(s)
		} else {
			value = sortNames(value)
		}
		o = append(o, member{mime, value})
	}
	return o.encode()
}

// sortNames sorts the members of all objects in a value, as Jupyter will when it saves the file,
// so that looking at a notebook changes nothing in it.
func sortNames(raw json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil { // sorts the keys of maps
		return raw
	}
	return out.Bytes()
}

func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

func encodeCount(n int) json.RawMessage {
	if n <= 0 {
		return json.RawMessage("null")
	}
	return json.RawMessage(strconv.Itoa(n))
}

package host_test

import (
	"context"
	"fmt"
	"os"

	"trivium/kernel/eval"
	"trivium/kernel/host"
	"trivium/kernel/link"
)

// shout is an evaluator whose cells are words, each worth itself.
type shout struct{}

func (shout) Run(_ context.Context, c eval.Cell) eval.Outcome {
	return eval.Outcome{Values: []eval.Value{{V: c.Source, Type: "string", Text: c.Source + "!"}}}
}
func (shout) Complete(string, int) eval.Completion      { return eval.Completion{} }
func (shout) Inspect(string, int, int) (eval.Doc, bool) { return eval.Doc{}, false }
func (shout) IsComplete(string) (status, indent string) { return "complete", "" }

// kernel is the other end of the link.
type kernel struct{ done chan bool }

func (kernel) Text(*link.Process, string, []byte) {}
func (kernel) Exit(*link.Process, link.Death)     {}
func (k kernel) Frame(p *link.Process, f link.Frame) {
	switch f.Kind {
	case link.Output:
		var shown link.Shown
		f.Decode(&shown)
		fmt.Printf("%s %s\n", shown.Type, f.Body)
		p.Send(link.Ack, shown.Ack, nil, nil) // so that the cell goes on
	case link.Done:
		fmt.Println("done")
		close(k.done)
	}
}

func ExampleServe() {
	k := kernel{make(chan bool)}
	p, err := link.Local(k, func(conn *link.Conn, _, _ *os.File) string {
		host.Serve(host.Options{Conn: conn, New: func(*host.Host) (eval.Evaluator, error) { return shout{}, nil }})
		return ""
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Send(link.Run, 1, link.RunCell{N: 1, Source: "hello"}, nil)
	<-k.done
	p.Send(link.Shutdown, 0, nil, nil)
	<-p.Exited()
	// Output:
	// execute_result {"execution_count":1,"data":{"text/plain":"hello!"},"metadata":{},"transient":{}}
	// done
}

package link_test

import (
	"fmt"
	"os"

	"trivium/kernel/link"
)

// printer is told what the evaluator does.
type printer struct{}

func (printer) Text(_ *link.Process, name string, text []byte) { fmt.Printf("%s: %s\n", name, text) }
func (printer) Frame(p *link.Process, f link.Frame) {
	p.Drain() // what the cell printed comes before its end
	fmt.Println(f.Kind, f.ID)
}
func (printer) Exit(_ *link.Process, d link.Death) { fmt.Println("exit status", d.Code) }

// An evaluator's end, here on a goroutine, that runs a single cell.
func Example() {
	p, err := link.Local(printer{}, func(conn *link.Conn, stdout, _ *os.File) string {
		f, err := conn.Receive()
		if err != nil {
			return err.Error()
		}
		stdout.WriteString("hello")
		conn.Send(link.Done, f.ID, link.Outcome{}, nil)
		return ""
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Send(link.Run, 7, link.RunCell{N: 1, Source: `fmt.Print("hello")`}, nil)
	<-p.Exited()
	// Output:
	// stdout: hello
	// done 7
	// exit status 0
}

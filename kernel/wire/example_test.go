package wire_test

import (
	"fmt"
	"log"

	"trivium/kernel/wire"
)

// A front end asks, and the kernel answers with a message that names the question.
func Example() {
	front, err := wire.NewSession([]byte("key"), wire.Scheme, "ada")
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := wire.NewSession([]byte("key"), wire.Scheme, "kernel")
	if err != nil {
		log.Fatal(err)
	}
	ask, err := wire.NewMessage(wire.TypeExecuteRequest, nil, wire.ExecuteRequest{Code: "1+1"})
	if err != nil {
		log.Fatal(err)
	}
	frames, err := front.Encode(nil, ask)
	if err != nil {
		log.Fatal(err)
	}

	_, got, err := kernel.Decode(frames)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := wire.NewMessage(wire.TypeExecuteReply, got, wire.ExecuteReply{Reply: wire.OK(), ExecutionCount: 1})
	if err != nil {
		log.Fatal(err)
	}
	parent, err := answer.ParentHeader()
	fmt.Println(string(answer.Content))
	fmt.Println(parent.MsgID == ask.Header.MsgID, err)
	// Output:
	// {"status":"ok","execution_count":1,"user_expressions":{},"payload":[]}
	// true <nil>
}

package transport_test

import (
	"fmt"
	"log"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// A kernel and a front end in one program: the front end asks on the shell channel, and the
// kernel answers to where the question came from.
func ExamplePair() {
	server, client := transport.Pair()
	defer server.Close(0)
	defer client.Close()

	go func() {
		req := <-server.Requests(transport.Shell)
		reply, err := wire.NewMessage("kernel_info_reply", req.Message, wire.KernelInfoReply{Implementation: "example"})
		if err == nil {
			err = server.Reply(req, reply)
		}
		if err != nil {
			log.Print(err)
		}
	}()

	ask, err := wire.NewMessage("kernel_info_request", nil, struct{}{})
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Send(transport.Shell, ask); err != nil {
		log.Fatal(err)
	}
	answer := <-client.Receive(transport.Shell)
	var info wire.KernelInfoReply
	if err := answer.Decode(&info); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Header.MsgType, "from", info.Implementation)
	// Output: kernel_info_reply from example
}

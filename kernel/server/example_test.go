package server_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"trivium/kernel/link"
	"trivium/kernel/server"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// idle is an evaluator that runs nothing.
func idle(events link.Events) (*link.Process, error) {
	return link.Local(events, func(conn *link.Conn, _, _ *os.File) string {
		conn.Receive()
		return ""
	})
}

// A front end asks a kernel who it is, and ends it.
func ExampleServer() {
	tr, client := transport.Pair()
	defer client.Close()
	s, err := server.New(server.Options{Transport: tr, Start: idle})
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- s.Serve(context.Background()) }()

	ask, _ := wire.NewMessage(wire.TypeKernelInfoRequest, nil, nil)
	client.Send(transport.Shell, ask)
	var info wire.KernelInfoReply
	reply := <-client.Receive(transport.Shell)
	reply.Decode(&info)
	fmt.Println(info.LanguageInfo.Name, info.ProtocolVersion)

	end, _ := wire.NewMessage(wire.TypeShutdownRequest, nil, wire.ShutdownRequest{})
	client.Send(transport.Control, end)
	fmt.Println(<-served)
	tr.Close(time.Second)
	// Output:
	// go 5.5
	// <nil>
}

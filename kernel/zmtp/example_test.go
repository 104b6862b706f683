package zmtp_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"trivium/kernel/zmtp"
)

// A server answers one question.
func Example() {
	server, err := zmtp.ListenRouter("tcp://127.0.0.1:0", zmtp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close(time.Second)
	client, err := zmtp.Dial(context.Background(), zmtp.Dealer, "tcp://"+server.Addr().String(), "Ada", zmtp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(time.Second)

	client.Send([][]byte{[]byte("2+2"), []byte("?")})
	question := <-server.Incoming()
	fmt.Printf("%s asks %q\n", question.Peer, question.Frames)

	server.Send(question.Peer, [][]byte{[]byte("4")})
	fmt.Printf("the answer is %s\n", (<-client.Incoming())[0])
	// Output:
	// Ada asks ["2+2" "?"]
	// the answer is 4
}

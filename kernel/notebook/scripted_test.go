package notebook

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// A scripted kernel executes cells whose lines are commands, each of which is one message:
//
//	out TEXT, err TEXT       stream
//	show ID TEXT             display_data; ID "-" for none; "live" before TEXT marks a live figure
//	update ID TEXT           update_display_data; "live" or "last" before TEXT as above
//	clear, clear wait        clear_output
//	result TEXT, fail TEXT   execute_result, error
//	after MS COMMAND         a command later, by a goroutine, also after the cell
//	hang                     until interrupted; deaf: hang for ever
//	die                      closes the sockets
type scripted struct {
	t      *testing.T
	server transport.Server
	client *transport.Client
	stop   chan struct{} // an interrupt
	later  sync.WaitGroup
	end    chan struct{}
	codes  []string // what was executed
}

func newScripted(t *testing.T) *scripted {
	k := &scripted{t: t, stop: make(chan struct{}, 1), end: make(chan struct{})}
	k.server, k.client = transport.Pair()
	var serving sync.WaitGroup
	serving.Go(k.serve)
	serving.Go(k.control)
	t.Cleanup(func() {
		close(k.end)
		k.later.Wait()
		k.server.Close(0)
		k.client.Close()
		serving.Wait()
	})
	return k
}

func (k *scripted) runner() *Runner {
	return &Runner{Client: k.client, Settle: 20 * time.Millisecond}
}

func (k *scripted) control() {
	for req := range k.server.Requests(transport.Control) {
		if req.Header.MsgType == wire.TypeInterruptRequest {
			k.stop <- struct{}{}
		}
	}
}

func (k *scripted) serve() {
	count := 0
	for req := range k.server.Requests(transport.Shell) {
		var r wire.ExecuteRequest
		if err := req.Decode(&r); err != nil {
			k.t.Error(err)
		}
		count++
		k.codes = append(k.codes, r.Code)
		k.publish(req.Message, wire.TypeStatus, wire.Status{ExecutionState: "busy"})
		k.publish(req.Message, wire.TypeExecuteInput, wire.ExecuteInput{Code: r.Code, ExecutionCount: count})
		reply := wire.ExecuteReply{Reply: wire.OK(), ExecutionCount: count}
		for line := range strings.Lines(r.Code) {
			if failed := k.command(req.Message, strings.TrimSpace(line), count); failed != "" {
				k.publish(req.Message, wire.TypeError, wire.Error{EName: "Err", EValue: failed, Traceback: []string{"Cell: " + failed}})
				reply.Reply = wire.Fail("Err", failed)
				break
			}
		}
		m, err := wire.NewMessage(wire.TypeExecuteReply, req.Message, reply)
		if err == nil {
			err = k.server.Reply(req, m)
		}
		if err != nil {
			return // dead
		}
		k.publish(req.Message, wire.TypeStatus, wire.Status{ExecutionState: "idle"})
	}
}

func (k *scripted) command(parent *wire.Message, line string, count int) (failed string) {
	verb, rest, _ := strings.Cut(line, " ")
	shown := func() wire.DisplayData {
		id, text, _ := strings.Cut(rest, " ")
		d := wire.DisplayData{Metadata: wire.Bundle{}, Transient: wire.Bundle{}}
		if id != "-" {
			d.Transient["display_id"] = id
		}
		if t, ok := strings.CutPrefix(text, "live "); ok {
			text, d.Transient["live"] = t, true
		} else if t, ok := strings.CutPrefix(text, "last "); ok {
			text, d.Transient["live"] = t, false
		}
		d.Data = wire.Bundle{"text/plain": text}
		return d
	}
	switch verb {
	case "", "//":
	case "out":
		k.publish(parent, wire.TypeStream, wire.Stream{Name: "stdout", Text: rest + "\n"})
	case "err":
		k.publish(parent, wire.TypeStream, wire.Stream{Name: "stderr", Text: rest + "\n"})
	case "show":
		k.publish(parent, wire.TypeDisplayData, shown())
	case "update":
		k.publish(parent, wire.TypeUpdateDisplayData, shown())
	case "clear":
		k.publish(parent, wire.TypeClearOutput, wire.ClearOutput{Wait: rest == "wait"})
	case "result":
		k.publish(parent, wire.TypeExecuteResult, wire.ExecuteResult{ExecutionCount: count, Data: wire.Bundle{"text/plain": rest}, Metadata: wire.Bundle{}})
	case "fail":
		return rest
	case "after":
		var ms int
		var what string
		if _, err := fmt.Sscan(rest, &ms, &what); err != nil {
			k.t.Error(err)
		}
		_, what, _ = strings.Cut(rest, " ")
		k.later.Go(func() {
			select {
			case <-time.After(time.Duration(ms) * time.Millisecond):
				k.command(parent, what, count)
			case <-k.end:
			}
		})
	case "hang":
		select {
		case <-k.stop:
			return "interrupted"
		case <-k.end:
		}
	case "deaf":
		<-k.end
	case "die":
		go k.server.Close(0)
		<-k.end
	default:
		k.t.Errorf("no command %q", line)
	}
	return ""
}

func (k *scripted) publish(parent *wire.Message, kind string, content any) {
	m, err := wire.NewMessage(kind, parent, content)
	if err != nil {
		k.t.Error(err)
		return
	}
	k.server.Publish(m)
}

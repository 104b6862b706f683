package server

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// Options sets what a kernel works with.
type Options struct {
	Transport transport.Server // required

	// Start starts an evaluator process that reports to events. Required.
	Start func(events link.Events) (*link.Process, error)

	// Program hears which program Start is to start from now on, when a cell has built one with
	// other packages. May be nil.
	Program func(path string)

	Version     string             // of the kernel, for kernel_info
	Banner      string             // for kernel_info
	HelpLinks   []wire.HelpLink    // for kernel_info
	Ports       *wire.ConnectReply // for connect_request; nil leaves it unanswered
	HistoryFile string             // keeps history across sessions; empty keeps it in memory only

	OutputLimit int   // bytes of text per cell; 0 means 5 MB
	OutputRate  int   // bytes of text per second once a burst is over; 0 means 450 kB/s, below 0 no limit
	MemoryLimit int64 // bytes the evaluator may hold; 0 means no limit

	Logf func(format string, args ...any) // nil means the standard logger
}

// A Server answers the requests of front ends. Make it with [New].
type Server struct {
	opt     Options
	tr      transport.Server
	out     *output
	sup     *supervisor
	history *history
	comms   comms
	input   inputs
	cpu     cpuMeter
	started time.Time

	queue    queue
	count    int          // of cells stored in history; touched by the goroutine that runs cells only
	counted  atomic.Int64 // the same, for the others
	failedAt atomic.Int64 // when a cell failed that was to stop those behind it, Unix ns

	asks     chan struct{} // slots for requests that wait for the evaluator
	requests sync.WaitGroup

	stop context.CancelFunc // ends Serve
}

// New makes a server and starts its first evaluator, without waiting for it.
func New(o Options) (*Server, error) {
	if o.Transport == nil || o.Start == nil {
		return nil, errors.New("server: Options.Transport and Options.Start must be set")
	}
	if o.Logf == nil {
		o.Logf = log.Printf
	}
	if o.OutputLimit == 0 {
		o.OutputLimit = 5 << 20
	}
	if o.OutputRate == 0 {
		o.OutputRate = 450_000
	}
	s := &Server{opt: o, tr: o.Transport, started: time.Now(), asks: make(chan struct{}, 8)}
	s.queue.wake = make(chan struct{}, 1)
	s.history = openHistory(o.HistoryFile, o.Logf)
	s.out = newOutput(o.Transport.Publish, o.OutputLimit, o.OutputRate)
	s.sup = newSupervisor(s)
	return s, nil
}

// Serve answers requests until a front end asks for shutdown or ctx ends. It returns when
// the evaluator has ended and all messages were handed to the transport.
func (s *Server) Serve(ctx context.Context) error {
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	s.publish(nil, wire.TypeStatus, wire.Status{ExecutionState: "starting"})
	s.sup.start()

	var loops sync.WaitGroup
	loops.Go(func() { s.serveChannel(ctx, transport.Shell, s.shell) })
	loops.Go(func() { s.serveChannel(ctx, transport.Control, s.control) })
	loops.Go(func() { s.serveChannel(ctx, transport.Stdin, s.stdin) })
	loops.Go(func() { s.runCells(ctx) })
	<-ctx.Done()
	s.sup.close()
	loops.Wait()
	s.requests.Wait()
	s.out.close()
	s.history.close()
	return nil
}

func (s *Server) serveChannel(ctx context.Context, ch transport.Channel, handle func(transport.Request)) {
	requests := s.tr.Requests(ch)
	for {
		select {
		case req, ok := <-requests:
			if !ok {
				s.stop() // the sockets are gone, and with them whoever could use this kernel
				return
			}
			s.guard(req, handle)
		case <-ctx.Done():
			return
		}
	}
}

// guard keeps a bug in the handling of one message from ending the kernel.
func (s *Server) guard(req transport.Request, handle func(transport.Request)) {
	defer func() {
		if v := recover(); v != nil {
			s.opt.Logf("server: %s: panic: %v", req.Header.MsgType, v)
		}
	}()
	handle(req)
}

// shell handles what comes on the shell channel. It never waits for the evaluator.
func (s *Server) shell(req transport.Request) {
	switch req.Header.MsgType {
	case wire.TypeExecuteRequest:
		s.enqueue(req)
	case wire.TypeCompleteRequest:
		s.background(req, s.complete)
	case wire.TypeInspectRequest:
		s.background(req, s.inspect)
	case wire.TypeIsCompleteRequest:
		s.background(req, s.isComplete)
	case wire.TypeHistoryRequest:
		s.background(req, s.serveHistory)
	case wire.TypeCommOpen, wire.TypeCommMsg, wire.TypeCommClose:
		s.comm(req)
	default:
		s.either(req)
	}
}

// control handles what comes on the control channel.
func (s *Server) control(req transport.Request) {
	switch req.Header.MsgType {
	case wire.TypeInterruptRequest:
		s.during(req, s.interruptRequest)
	case wire.TypeUsageRequest:
		s.during(req, s.usage)
	case wire.TypeDebugRequest:
		s.during(req, s.debug)
	default:
		s.either(req)
	}
}

// either handles what is allowed on both channels.
func (s *Server) either(req transport.Request) {
	switch req.Header.MsgType {
	case wire.TypeKernelInfoRequest:
		s.during(req, s.kernelInfo)
	case wire.TypeCommInfoRequest:
		s.during(req, s.commInfo)
	case wire.TypeConnectRequest:
		s.during(req, s.connect)
	case wire.TypeShutdownRequest:
		s.during(req, s.shutdown)
	default:
		// Not an error: the specification lets a kernel ignore what it does not know.
		s.during(req, func(transport.Request) {
			s.opt.Logf("server: %q on %v is not supported", req.Header.MsgType, req.Channel)
		})
	}
}

// during tells all front ends that the kernel is busy with a request while it is handled.
func (s *Server) during(req transport.Request, handle func(transport.Request)) {
	parent := rawHeader(req)
	s.publish(parent, wire.TypeStatus, wire.Status{ExecutionState: "busy"})
	defer s.publish(parent, wire.TypeStatus, wire.Status{ExecutionState: "idle"})
	handle(req)
}

// background handles a request that may wait, on its own goroutine.
func (s *Server) background(req transport.Request, handle func(transport.Request)) {
	s.requests.Go(func() {
		s.asks <- struct{}{}
		defer func() { <-s.asks }()
		s.guard(req, func(req transport.Request) { s.during(req, handle) })
	})
}

// decode reads the content of a request; what cannot be read is answered with an error.
func (s *Server) decode(req transport.Request, replyType string, into any) bool {
	if err := req.Decode(into); err != nil {
		s.reply(req, replyType, wire.Fail("BadRequest", err.Error()))
		return false
	}
	return true
}

func (s *Server) reply(req transport.Request, msgType string, content any) {
	m, err := wire.NewMessage(msgType, req.Message, content)
	if err == nil {
		err = s.tr.Reply(req, m)
	}
	if err != nil {
		s.opt.Logf("server: %s: %v", msgType, err)
	}
}

// publish sends to all front ends at once, not in line with output.
func (s *Server) publish(parent json.RawMessage, msgType string, content any) {
	m, err := wire.NewMessage(msgType, nil, content)
	if err != nil {
		s.opt.Logf("server: %s: %v", msgType, err)
		return
	}
	m.Parent = parent
	s.tr.Publish(m)
}

// rawHeader is the header of a request, as the parent of what answers it.
func rawHeader(req transport.Request) json.RawMessage {
	h, err := req.RawHeader()
	if err != nil {
		return nil // a header that was decoded can be encoded
	}
	return h
}

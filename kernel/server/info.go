package server

import (
	"os"
	"runtime"
	"strings"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

func (s *Server) kernelInfo(req transport.Request) {
	s.reply(req, wire.TypeKernelInfoReply, wire.KernelInfoReply{
		Reply:                 wire.OK(),
		ProtocolVersion:       wire.Version,
		Implementation:        "trivium",
		ImplementationVersion: s.opt.Version,
		LanguageInfo: wire.LanguageInfo{
			Name:           "go",
			Version:        strings.TrimPrefix(runtime.Version(), "go"),
			MimeType:       "text/x-go",
			FileExtension:  ".go",
			PygmentsLexer:  "go",
			CodeMirrorMode: "go",
		},
		Banner:            s.opt.Banner,
		HelpLinks:         s.opt.HelpLinks,
		SupportedFeatures: wire.Strings{}, // neither subshells nor a debugger
	})
}

func (s *Server) connect(req transport.Request) {
	if s.opt.Ports == nil {
		s.reply(req, wire.TypeConnectReply, wire.Fail("NotSupported", "this kernel was not started with a connection file"))
		return
	}
	r := *s.opt.Ports
	r.Reply = wire.OK()
	s.reply(req, wire.TypeConnectReply, r)
}

// usage tells the memory and processor time of both processes.
func (s *Server) usage(req transport.Request) {
	pids := []int{os.Getpid()}
	if pid := s.sup.pid(); pid != 0 && pid != pids[0] {
		pids = append(pids, pid)
	}
	r := wire.UsageReply{PID: pids[0], CPUCount: runtime.NumCPU(), HostVirtualMemory: map[string]any{}}
	r.Hostname, _ = os.Hostname()
	for _, pid := range pids {
		r.KernelMemory += link.Resident(pid)
	}
	r.KernelCPU = s.cpu.percent(pids)
	if total := link.MachineMemory(); total > 0 {
		r.HostVirtualMemory["total"] = total
	}
	s.reply(req, wire.TypeUsageReply, r)
}

// debug says, in terms of the Debug Adapter Protocol, that there is no debugger.
func (s *Server) debug(req transport.Request) {
	var r wire.DebugRequest
	if !s.decode(req, wire.TypeDebugReply, &r) {
		return
	}
	s.reply(req, wire.TypeDebugReply, wire.DebugReply{
		Seq: r.Seq, Type: "response", RequestSeq: r.Seq, Command: r.Command, Message: "not supported: this kernel has no debugger",
	})
}

// shutdown answers first: the front end may stop listening when the evaluator is gone.
func (s *Server) shutdown(req transport.Request) {
	var r wire.ShutdownRequest
	if !s.decode(req, wire.TypeShutdownReply, &r) {
		return
	}
	reply := wire.ShutdownReply{Reply: wire.OK(), Restart: r.Restart}
	s.reply(req, wire.TypeShutdownReply, reply)
	s.publish(rawHeader(req), wire.TypeShutdownReply, reply)
	s.stop()
}

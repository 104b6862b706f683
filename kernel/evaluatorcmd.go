package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"time"

	"trivium/core/run"
	"trivium/kernel/display"
	"trivium/kernel/eval"
	"trivium/kernel/get"
	"trivium/kernel/host"
	"trivium/kernel/link"
	"trivium/kernel/nb"
	cells "trivium/kernel/nb/display"
	"trivium/kernel/symbols"
	"trivium/kernel/unblock"
)

// evaluatorName is the command with which the kernel starts its evaluator.
const evaluatorName = "evaluator"

// kernelIDVariable tells the evaluator by which id a Jupyter server knows the kernel.
const kernelIDVariable = "TRIVIUM_KERNEL_ID"

// widgetGeneration is the version of ipywidgets that the front ends have: TRIVIUM_WIDGETS=7
// for those of before 2022. The newer ones are the rule.
func widgetGeneration() int {
	if os.Getenv("TRIVIUM_WIDGETS") == "7" {
		return 7
	}
	return 8
}

// evaluatorCommand runs cells for the kernel that started this process.
func evaluatorCommand(stderr io.Writer) int {
	started := time.Now()
	conn, err := link.Inherited()
	if err != nil {
		fmt.Fprintf(stderr, "trivium: %v\n", err)
		return 2
	}
	signal.Ignore(os.Interrupt) // the kernel says when to stop what
	// kernel/eval ends a recursion of cells before this. Where it cannot, as in a goroutine that never
	// steps, the runtime stops growing stacks, which double, at half of what it would allow.
	debug.SetMaxStack(256 << 20)
	if limit, err := strconv.ParseInt(os.Getenv("TRIVIUM_MEMORY_LIMIT"), 10, 64); err == nil && limit > 0 {
		// The collector works harder before the kernel, at the limit itself, gives up.
		debug.SetMemoryLimit(limit / 100 * 95)
	}
	stdin, err := host.NewStdin()
	if err != nil {
		fmt.Fprintf(stderr, "trivium: %v\n", err)
		return 1
	}
	ctx, group := run.WithGroup(context.Background())
	display.Register(gonumPlot)
	display.Register(gonumMatrix)
	display.RegisterFigure(picture)
	err = host.Serve(host.Options{
		Conn:        conn,
		Started:     started,
		Kernel:      os.Getenv(kernelIDVariable),
		Widgets:     widgetGeneration(),
		Stdin:       stdin,
		Interrupted: group.StopCallers,
		Unblock:     unblock.Waits,
		Shutdown: func(ctx context.Context) {
			group.StopAll(nil)
			group.Wait(ctx)
		},
		Gone:    func() { os.Exit(0) },
		Modules: symbols.All.Modules(),
		Get: func(ctx context.Context, modules []string, log *os.File) (string, error) {
			return get.Builder{Log: log}.Build(ctx, modules)
		},
		New: func(h *host.Host) (eval.Evaluator, error) {
			nb.Use(notebookOf(h, group))
			ev, err := eval.New(eval.Options{
				Symbols: importable{symbols.All},
				Predeclared: []eval.Predeclared{
					{Name: "ctx", Type: "context.Context", Value: ctx},
					{Name: "Display", Type: "func(any) error", Value: cells.Display}, // as in gophernotes
				},
				GoPanic: h.GoPanic,
				Stuck:   h.Stuck,
			})
			if err != nil {
				return nil, err
			}
			run.Explain, run.Within = ev.Explain, ev.Within
			run.Home = group
			run.Waiting = func(ctx context.Context) (_ context.Context, done func()) {
				ctx, end := unblock.During(ctx)
				release := ev.Lend()
				return ctx, func() { release(); end() }
			}
			return ev, nil
		},
	})
	if err != nil {
		fmt.Fprintf(stderr, "trivium: %v\n", err)
		return 1
	}
	return 0
}

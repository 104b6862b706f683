package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// A PanicError is a panic that was turned into an error.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // the stack where it happened, as runtime/debug.Stack writes it
	At    string // where that is in the words of [Explain]; "" if it has none
}

// Explain, where it is set, is asked about a panic on the goroutine that panicked, before its stack is
// gone: a program that runs functions of an interpreter gives the value that compiled code would
// have panicked with, and the place in the interpreted source, "" if it was not there. It is
// set before the first run starts.
var Explain func(value any) (explained any, at string)

// Explained asks [Explain]. It is for code that recovers by itself.
func Explained(value any) (explained any, at string) {
	if Explain == nil {
		return value, ""
	}
	return Explain(value)
}

// Error says what happened and in which function; the whole stack is in the field.
func (e *PanicError) Error() string {
	if e.At != "" {
		return fmt.Sprintf("panic: %v (%s)", e.Value, e.At)
	}
	if at := e.where(); at != "" {
		return fmt.Sprintf("panic: %v (in %s)", e.Value, at)
	}
	return fmt.Sprintf("panic: %v", e.Value)
}

// Unwrap returns the panic's value if it is an error, such as a runtime.Error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// where names the innermost function below the panic that is not the runtime's.
func (e *PanicError) where() string {
	_, below, found := strings.Cut(string(e.Stack), "\npanic(")
	if !found {
		return ""
	}
	lines := strings.Split(below, "\n")
	for i := 2; i+1 < len(lines); i += 2 { // a function and its place, by turns
		name := lines[i]
		if open := strings.LastIndexByte(name, '('); open > 0 {
			name = name[:open]
		}
		if strings.HasPrefix(name, "runtime.") || name == "panic" {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		return name + ", " + place[strings.LastIndexByte(place, '/')+1:]
	}
	return ""
}

// Catch turns a panic of the function that defers it into a [*PanicError] in err:
//
//	go func() {
//		defer wg.Done()
//		defer run.Catch(&errs[i])
//		errs[i] = work(i)
//	}()
//
// Without a panic it does nothing. It must be deferred itself, not called by a deferred
// function.
func Catch(err *error) {
	if v := recover(); v != nil {
		e := &PanicError{Stack: debug.Stack()}
		e.Value, e.At = Explained(v)
		*err = e
	}
}

// errGoexit is the error of work that ended its goroutine instead of returning.
var errGoexit = errors.New("run: the work ended its goroutine (runtime.Goexit) instead of returning")

// guarded calls work and then finish, whatever becomes of work: it may return, panic or
// end its goroutine.
func guarded(ctx context.Context, t *Trace, work func(context.Context, *Trace) (any, error), finish func(any, error)) {
	var result any
	err := errGoexit // stays if work never returns
	defer func() { finish(result, err) }()
	defer Catch(&err)
	if work == nil {
		err = errors.New("run: started without work: the function is nil")
		return
	}
	if Within != nil {
		defer Within(ctx)()
	}
	result, err = work(ctx, t)
}

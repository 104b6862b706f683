package box

import (
	"fmt"
	"log/slog"
)

// wError is the wrapper of error. It answers what package errors asks of an error as an
// error without the method would be treated: Unwrap gives nil, Is and As give false.
type wError struct{ Obj }

// wErrors is the same for a type that wraps several errors.
type wErrors struct{ Obj }

func (w wError) LogValue() slog.Value  { return LogValue(w.Obj) }
func (w wErrors) LogValue() slog.Value { return LogValue(w.Obj) }

// Error makes an error of a cell's value whose type has the method Error.
func Error(o Obj) error {
	if _, ok := o.D.Method("Unwrap").(func(any) []error); ok {
		return wErrors{o}
	}
	return wError{o}
}

func (w wError) Error() string        { return M(w.Obj, "Error").(func(any) string)(w.V) }
func (w wError) Unwrap() error        { return Unwrap(w.Obj) }
func (w wError) Is(target error) bool { return Is(w.Obj, target) }
func (w wError) As(target any) bool   { return As(w.Obj, target) }

func (w wErrors) Error() string        { return M(w.Obj, "Error").(func(any) string)(w.V) }
func (w wErrors) Unwrap() []error      { return M(w.Obj, "Unwrap").(func(any) []error)(w.V) }
func (w wErrors) Is(target error) bool { return Is(w.Obj, target) }
func (w wErrors) As(target any) bool   { return As(w.Obj, target) }

// Unwrap calls the method of o's type if it has one.
func Unwrap(o Obj) error {
	if f, ok := o.D.Method("Unwrap").(func(any) error); ok {
		return f(o.V)
	}
	return nil
}

// Is calls the method of o's type if it has one.
func Is(o Obj, target error) bool {
	if f, ok := o.D.Method("Is").(func(any, error) bool); ok {
		return f(o.V, target)
	}
	return false
}

// As calls the method of o's type if it has one.
func As(o Obj, target any) bool {
	if f, ok := o.D.Method("As").(func(any, any) bool); ok {
		return f(o.V, target)
	}
	return false
}

// LogValue is what log/slog logs of a cell's error. Its JSON handler writes the text of an
// error unless the error marshals itself, which every Obj does; so it is given one that does
// so only if the cell's type does.
func LogValue(o Obj) slog.Value {
	switch l := (logged{o}); {
	case Has[func(any) slog.Value](o, "LogValue"):
		return M(o, "LogValue").(func(any) slog.Value)(o.V)
	case Has[func(any) ([]byte, error)](o, "MarshalJSON"):
		return slog.AnyValue(loggedJSON{l})
	case Has[func(any) ([]byte, error)](o, "MarshalText"):
		return slog.AnyValue(loggedText{l})
	default:
		return slog.AnyValue(l)
	}
}

// logged is an error that does not marshal itself.
type logged struct{ o Obj }

func (l logged) Boxed() Obj                    { return l.o }
func (l logged) Error() string                 { return M(l.o, "Error").(func(any) string)(l.o.V) }
func (l logged) Format(f fmt.State, verb rune) { l.o.Format(f, verb) }
func (l logged) Unwrap() error                 { return Unwrap(l.o) }
func (l logged) Is(target error) bool          { return Is(l.o, target) }
func (l logged) As(target any) bool            { return As(l.o, target) }

type loggedJSON struct{ logged }

func (l loggedJSON) MarshalJSON() ([]byte, error) {
	return M(l.o, "MarshalJSON").(func(any) ([]byte, error))(l.o.V)
}

type loggedText struct{ logged }

func (l loggedText) MarshalText() ([]byte, error) {
	return M(l.o, "MarshalText").(func(any) ([]byte, error))(l.o.V)
}

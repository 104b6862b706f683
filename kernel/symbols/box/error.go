package box

// wError is the wrapper of error. It answers what package errors asks of an error as an
// error without the method would be treated: Unwrap gives nil, Is and As give false.
type wError struct{ Obj }

// wErrors is the same for a type that wraps several errors.
type wErrors struct{ Obj }

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

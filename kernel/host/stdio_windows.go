package host

// stdio does nothing here: what a cell has closed stays closed.
type stdio struct{}

func openStdio() *stdio { return &stdio{} }

func (*stdio) repair() {}

func (*stdio) close() {}

//go:build amd64 || arm64

package eval

// goroutine tells the running goroutine from the others, by the address of what the run-time system
// keeps of it, and how many bytes of its stack are in use. A goroutine that begins may have the number of
// one that has ended.
func goroutine() (id, stack uintptr)

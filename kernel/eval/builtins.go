package eval

// builtins describes the functions that the language has itself, whose types go/types does not spell out.
var builtins = map[string]struct{ signature, text string }{
	"append":  {"func append(slice []T, elems ...T) []T", "append gives a slice that ends in elems. Where slice has no room for them it is copied; else its array is written to.\n\n\tx = append(x, 1, 2)\n\tx = append(x, other...)"},
	"cap":     {"func cap(v []T) int", "cap is how many elements a slice can grow to without being copied, the length of an array, or how many values a channel holds."},
	"clear":   {"func clear(m map[K]V)", "clear removes all entries of a map, or sets all elements of a slice to zero."},
	"close":   {"func close(c chan<- T)", "close says that nothing more is sent: what was sent is received, then range ends and v, ok := <-c gives zero and false. To send on a closed channel panics."},
	"complex": {"func complex(r, i float64) complex128", "complex makes a complex number of its real and imaginary part."},
	"copy":    {"func copy(dst, src []T) int", "copy writes the elements of src over those of dst, as many as the shorter one has, and gives their number. The two may overlap."},
	"delete":  {"func delete(m map[K]V, key K)", "delete removes the entry of a key, if there is one."},
	"imag":    {"func imag(c complex128) float64", "imag is the imaginary part of c."},
	"len":     {"func len(v []T) int", "len is the number of elements of a slice, array or map, of bytes of a string, or of values that wait in a channel."},
	"make":    {"func make(T, size ...int) T", "make makes a slice, map or channel.\n\n\tmake([]int, n)      n zeros\n\tmake([]int, 0, n)   empty, with room for n\n\tmake(map[string]int)\n\tmake(chan int, n)   holds n values that nobody has received"},
	"max":     {"func max(x T, y ...T) T", "max is the largest of numbers or strings. With a NaN among them it is NaN."},
	"min":     {"func min(x T, y ...T) T", "min is the smallest of numbers or strings. With a NaN among them it is NaN."},
	"new":     {"func new(T) *T", "new gives a pointer to a new variable: of type T and zero, or with the value of an expression, new(5)."},
	"panic":   {"func panic(v any)", "panic stops the function: what it deferred runs, then that of its callers, until one recovers or the cell ends with the panic."},
	"print":   {"func print(args ...T)", "print writes to standard error; fmt.Print is the usual one."},
	"println": {"func println(args ...T)", "println writes to standard error; fmt.Println is the usual one."},
	"real":    {"func real(c complex128) float64", "real is the real part of c."},
	"recover": {"func recover() any", "recover, called by a deferred function, ends a panic and gives its value. Without a panic it gives nil."},
}

package mirror

import (
	"errors"
	"reflect"
	"sync"
	"unsafe"
)

// A method of a type is an address, where a function value is an address and what it holds on to. So there is a stock of
// addresses in assembly, each of which calls the function value of its number.

// stock is some hundred runs of a cell that declares types with many methods.
const stock = 1 << 16

var (
	stubMu sync.Mutex
	taken  int
	table  [stock]unsafe.Pointer // function values, by number; assembly reads it
	blocks []reflect.Value       // descriptions of types
)

// stub gives an address to call f by.
func stub(f reflect.Value) (unsafe.Pointer, error) {
	stubMu.Lock()
	defer stubMu.Unlock()
	if !Works() {
		return nil, errors.New("mirror: types with methods cannot be made on this system")
	}
	if taken == stock {
		return nil, errors.New("mirror: types have too many methods")
	}
	x := f.Interface()
	table[taken] = (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1]
	taken++
	return unsafe.Add(stubs(), (taken-1)*stubSize), nil
}

func keep(block reflect.Value) {
	stubMu.Lock()
	defer stubMu.Unlock()
	blocks = append(blocks, block)
}

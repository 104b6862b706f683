//go:build amd64 || arm64

package mirror

import "unsafe"

// stubs gives the first address of the stock.
func stubs() unsafe.Pointer

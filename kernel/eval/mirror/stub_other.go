//go:build !amd64 && !arm64

package mirror

import "unsafe"

const stubSize = 0

func stubs() unsafe.Pointer { return nil }

//go:build !amd64 && !arm64

// Functions without a body need an assembly file in the package: see lend.go.

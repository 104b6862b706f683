#include "textflag.h"

// The run-time system's g begins with the bounds of the stack: lo, hi.

// func goroutine() (id, stack uintptr)
TEXT ·goroutine(SB), NOSPLIT, $0-16
	MOVD g, id+0(FP)
	MOVD 8(g), R0
	MOVD RSP, R1
	SUB  R1, R0, R0
	MOVD R0, stack+8(FP)
	RET

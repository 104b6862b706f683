#include "textflag.h"

// The run-time system's g begins with the bounds of the stack: lo, hi.

// func goroutine() (id, stack uintptr)
TEXT ·goroutine(SB), NOSPLIT, $0-16
	MOVQ (TLS), AX
	MOVQ AX, id+0(FP)
	MOVQ 8(AX), AX
	SUBQ SP, AX
	MOVQ AX, stack+8(FP)
	RET

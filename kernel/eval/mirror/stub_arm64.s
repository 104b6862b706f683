#include "textflag.h"

// Calls of methods: see stub.go. Each of the stock of addresses calls the function value of its number in table, as a
// compiled call of a function value does. Arguments stay where they are.

TEXT ·indexed(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $·table(SB), R27
	MOVD (R27)(R26<<3), R26
	MOVD (R26), R27
	JMP  (R27)

#define STUB(i) MOVD $(i), R26; JMP ·indexed(SB)
#define S4(i) STUB(i+0); STUB(i+1); STUB(i+2); STUB(i+3)
#define S16(i) S4(i+0); S4(i+4); S4(i+8); S4(i+12)
#define S64(i) S16(i+0); S16(i+16); S16(i+32); S16(i+48)
#define S256(i) S64(i+0); S64(i+64); S64(i+128); S64(i+192)
#define S1024(i) S256(i+0); S256(i+256); S256(i+512); S256(i+768)
#define S4096(i) S1024(i+0); S1024(i+1024); S1024(i+2048); S1024(i+3072)
#define S16384(i) S4096(i+0); S4096(i+4096); S4096(i+8192); S4096(i+12288)

// func stubs() unsafe.Pointer
TEXT ·stubs(SB), NOSPLIT, $0-8
	MOVD $·stock(SB), R0
	MOVD R0, ret+0(FP)
	RET

TEXT ·stock(SB), NOSPLIT|NOFRAME, $0-0
	S16384(0)
	S16384(16384)
	S16384(32768)
	S16384(49152)

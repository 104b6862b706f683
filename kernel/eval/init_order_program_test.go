package eval

import "fmt"

// This file is compiled, and run as a cell: see TestOrder.

var orderTotal = orderCompute()
var orderUsage = func() string { return "usage " + orderName }
var orderName = "n" + fmt.Sprint(len(orderTable))
var orderTable = []int{1, 2, 3}
var orderCount int
var orderA, orderB = orderC + 1, 2
var orderC = orderB * 10

var (
	orderD, orderE = orderPair()
	orderF         = orderLater(func() int { return orderG })
	orderG         = 7
)

var _ = orderNote("blank", orderH)
var orderH = orderNote("h", 1)
var orderNotes []string
var orderMethod = new(orderT).get()
var orderI = 5
var orderX, orderY, orderZ = orderNote("x", orderW), orderNote("y", 3), orderNote("z", orderY)
var orderW = orderNote("w", orderZ)
var orderIface interface{ get() int } = &orderT{orderI}
var orderValue = (*orderT).get(&orderT{2})
var orderP, orderQ = orderQ + 1, 1
var orderR, orderS = 1, orderReads()

type orderT struct{ n int }

func (t *orderT) get() int { return t.n + orderI }

func orderCompute() int             { orderCount++; return len(orderTable) }
func orderReads() int               { return orderR }
func orderPair() (int, int)         { return orderG, orderC }
func orderLater(f func() int) int   { return f() }
func orderNote(s string, n int) int { orderNotes = append(orderNotes, s); return n }
func init()                         { orderNote("init", 0) }

func orderProgram() string {
	return fmt.Sprintln(orderTotal, orderName, orderCount, orderA, orderB, orderC, orderD, orderE, orderF, orderG, orderH, orderNotes,
		orderMethod, orderUsage(), orderX, orderY, orderZ, orderW, orderIface.get(), orderValue, orderP, orderQ, orderR, orderS)
}

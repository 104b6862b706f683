package run

import (
	"encoding/binary"
	"math"
	"time"
)

const (
	pointBytes = 4 * 8 // step, seconds, work, value
	spanBytes  = 4 * 8 // worker and index of the name, start, end, staleness
)

var le = binary.LittleEndian

func appendPoints(to []byte, points []Point) []byte {
	for _, p := range points {
		for _, v := range [...]float64{p.Step, p.Seconds, p.Work, p.Value} {
			to = le.AppendUint64(to, math.Float64bits(v))
		}
	}
	return to
}

func cutPoint(from []byte) (Point, []byte) {
	at := func(i int) float64 { return math.Float64frombits(le.Uint64(from[8*i:])) }
	return Point{at(0), at(1), at(2), at(3)}, from[pointBytes:]
}

// appendSpans writes spans and returns the table that their names are indices into.
func appendSpans(to []byte, spans []Span) (data []byte, names []string) {
	index := map[string]int{}
	for _, s := range spans {
		i, known := index[s.Name]
		if !known {
			i = len(names)
			index[s.Name] = i
			names = append(names, s.Name)
		}
		to = le.AppendUint32(to, uint32(int32(s.Worker)))
		to = le.AppendUint32(to, uint32(i))
		for _, v := range [...]int64{int64(s.Start), int64(s.End), int64(s.Stale)} {
			to = le.AppendUint64(to, uint64(v))
		}
	}
	return to, names
}

func cutSpan(from []byte, names []string) (Span, []byte) {
	s := Span{
		Worker: int(int32(le.Uint32(from))),
		Start:  time.Duration(le.Uint64(from[8:])),
		End:    time.Duration(le.Uint64(from[16:])),
		Stale:  int(int64(le.Uint64(from[24:]))),
	}
	if i := int(le.Uint32(from[4:])); i < len(names) {
		s.Name = names[i]
	}
	return s, from[spanBytes:]
}

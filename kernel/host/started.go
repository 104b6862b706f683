package host

// mostStarted is how many cells are remembered: a goroutine of one that was run longer ago is
// said to be of the latest.
const mostStarted = 4096

// started remembers by which number on the link each cell was run, latest run first. The zero
// value remembers nothing.
type started struct {
	ids   map[int]uint64
	order []int
}

func (s *started) add(n int, id uint64) {
	if s.ids == nil {
		s.ids = map[int]uint64{}
	}
	if _, known := s.ids[n]; !known {
		s.order = append(s.order, n)
	}
	s.ids[n] = id
	if len(s.order) > mostStarted {
		delete(s.ids, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *started) id(n int) (uint64, bool) {
	id, ok := s.ids[n]
	return id, ok
}

package server

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// cpuMeter tells how busy some processes were since it was last asked.
type cpuMeter struct {
	mu   sync.Mutex
	at   time.Time
	used time.Duration
}

// percent is the processor time of the processes since the last call, in per cent of one
// processor; since their start at the first call. It is 0 where it cannot be told.
func (m *cpuMeter) percent(pids []int) float64 {
	var used time.Duration
	for _, pid := range pids {
		used += processorTime(pid)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	since, before := now.Sub(m.at), m.used
	first := m.at.IsZero()
	m.at, m.used = now, used
	if first || since <= 0 || used < before { // less than before: another evaluator
		return 0
	}
	return 100 * (used - before).Seconds() / since.Seconds()
}

// processorTime is the user and system time of a process (proc(5), fields 14 and 15 of stat,
// in hundredths of a second on every Linux).
func processorTime(pid int) time.Duration {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	s := string(b)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:]) // the name may hold blanks
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

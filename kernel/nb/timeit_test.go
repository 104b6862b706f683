package nb_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trivium/kernel/nb"
)

func TestTimeit(t *testing.T) {
	for _, c := range []struct {
		each        time.Duration
		calls, runs int
		text        string
	}{
		{5 * time.Millisecond, 4, 20, "5ms per call: median of 20 runs of 4 calls, from 5ms to 5ms"},
		{time.Second, 1, 2, "1s per call: median of 2 runs of 1 call, from 1s to 1s"},
		{time.Minute, 1, 1, "1m0s per call: median of 1 run of 1 call, from 1m0s to 1m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			got := nb.Timeit(func() { time.Sleep(c.each) })
			if got.Calls != c.calls || len(got.Runs) != c.runs || got.Median() != c.each || got.String() != c.text {
				t.Errorf("%v: %d runs of %d calls, %s", c.each, len(got.Runs), got.Calls, got)
			}
		})
	}
}

func TestTimingIsDrawn(t *testing.T) {
	timing := &nb.Timing{Calls: 2, Runs: []time.Duration{1e6, 3e6, 2e6}}
	data, _ := timing.MIMEBundle()
	page := fmt.Sprint(data["text/html"])
	if n := strings.Count(page, "<circle"); n != 3 {
		t.Errorf("%d points for 3 runs", n)
	}
	if !strings.Contains(page, "2ms") || !strings.Contains(fmt.Sprint(data["text/plain"]), "2ms per call") {
		t.Errorf("the median is not told: %v", data)
	}
	for d := xml.NewDecoder(strings.NewReader(page)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, page)
		}
	}
	if data, _ := (&nb.Timing{}).MIMEBundle(); data["text/html"] != nil || data["text/plain"] != "nothing measured" {
		t.Errorf("an empty timing: %v", data)
	}
}

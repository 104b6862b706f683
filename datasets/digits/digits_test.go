package digits

import (
	"fmt"
	"strings"
	"testing"
)

// UCI gives these counts for the test part of the set.
func TestCounts(t *testing.T) {
	s := Load()
	want := []int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}
	for c := range want {
		if got := s.Train.Counts()[c] + s.Test.Counts()[c]; got != want[c] {
			t.Errorf("digit %d: %d samples, want %d", c, got, want[c])
		}
	}
	if s.Train.Len() != 1437 || s.Test.Len() != 360 {
		t.Errorf("%d and %d", s.Train.Len(), s.Test.Len())
	}
}

func TestParseRefuses(t *testing.T) {
	good := strings.Repeat("16,", 64) + "9"
	if _, err := parse(good); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		good + "\n1,2":                    "line 2: expected 65 numbers, found 2",
		strings.Repeat("17,", 64) + "9":   "0 to 16",
		strings.Repeat("1,", 64) + "10":   "label 10",
		strings.Repeat("1,", 64) + "five": "found five",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func Example() {
	split := Load()
	fmt.Println(split.Test)
	// Output: digits: 360 samples of 64 features (8×8 pixels), 10 classes: 0 35, 1 36, 2 35, 3 37, 4 37, 5 37, 6 37, 7 36, 8 33, 9 37
}

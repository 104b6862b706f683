package datasets

import (
	"math"
	"reflect"
	"sort"
	"sync"
	"testing"
)

func TestBatchesInOrderShare(t *testing.T) {
	s := counting(t, 10, 3)
	b := s.Batches(4)
	if b.Len() != 3 {
		t.Fatalf("%d batches", b.Len())
	}
	for k, want := range [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}, {0, 1, 2, 3}} {
		at := b.At(k)
		if got := ids(at.X); !reflect.DeepEqual(got, want) || at.Len() != len(want) {
			t.Errorf("batch %d has %v", k, got)
		}
		if !at.Shared || &at.X.Data[0] != &s.x.Data[2*want[0]] {
			t.Errorf("batch %d is a copy", k)
		}
	}
}

// Each epoch must hold every sample once, whatever was asked for before and by whom.
func TestShuffledBatches(t *testing.T) {
	s := counting(t, 103, 4)
	for name, make := range map[string]func(seed uint64) *Batches{
		"shuffled":   s.Batches(10).Shuffled,
		"stratified": s.Batches(10).Stratified,
	} {
		t.Run(name, func(t *testing.T) {
			b := make(3)
			epochs := map[int][]int{}
			var mu sync.Mutex
			var wg sync.WaitGroup
			for _, e := range []int{2, 0, 1, 0} {
				wg.Go(func() {
					var all []int
					for k := range b.Len() {
						x := b.At(e*b.Len() + k)
						for i, id := range ids(x.X) {
							if x.Labels[i] != id%4 {
								t.Errorf("sample %d came with label %d", id, x.Labels[i])
							}
						}
						all = append(all, ids(x.X)...)
					}
					mu.Lock()
					defer mu.Unlock()
					if before, ok := epochs[e]; ok && !reflect.DeepEqual(before, all) {
						t.Errorf("epoch %d came in two orders", e)
					}
					epochs[e] = all
				})
			}
			wg.Wait()
			if reflect.DeepEqual(epochs[0], epochs[1]) {
				t.Error("two epochs have one order")
			}
			if again := make(3).At(0); !reflect.DeepEqual(ids(again.X), epochs[0][:10]) {
				t.Error("the same seed gives another order")
			}
			if other := make(4).At(0); reflect.DeepEqual(ids(other.X), epochs[0][:10]) {
				t.Error("another seed gives the same order")
			}
			for e, all := range epochs {
				sort.Ints(all)
				for i, id := range all {
					if i != id {
						t.Fatalf("epoch %d: sample %d is absent or doubled", e, i)
					}
				}
			}
		})
	}
}

func TestStratifiedBatchesHaveTheSharesOfTheSet(t *testing.T) {
	labels := make([]int, 1000)
	for i := range labels {
		switch { // 70%, 25%, 5%
		case i < 50:
			labels[i] = 2
		case i < 300:
			labels[i] = 1
		}
	}
	s, err := New("skewed", counting(t, 1000, 1).x, labels, numbered(3), Image{})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Batches(64).Stratified(1)
	for k := range 2 * b.Len() {
		x := b.At(k)
		n := make([]int, 3)
		for _, l := range x.Labels {
			n[l]++
		}
		for c, p := range []float64{0.70, 0.25, 0.05} {
			if d := math.Abs(float64(n[c]) - p*float64(x.Len())); d > 1+3*p {
				t.Errorf("batch %d has %d of class %d among %d, off by %.2f", k, n[c], c, x.Len(), d)
			}
		}
	}
}

func TestFillUsesMemoryAgain(t *testing.T) {
	b := counting(t, 100, 4).Batches(10).Shuffled(1)
	var x Batch
	b.Fill(0, &x)
	k := 0
	if n := testing.AllocsPerRun(8, func() { k++; b.Fill(k, &x) }); n > 0 {
		t.Errorf("%v allocations within an epoch", n)
	}
	// A batch that shares the set's numbers must not be written over.
	s := counting(t, 100, 4)
	s.Batches(10).Fill(0, &x)
	s.Batches(10).Shuffled(1).Fill(0, &x)
	if got := ids(s.X())[:3]; !reflect.DeepEqual(got, []int{0, 1, 2}) {
		t.Errorf("the set begins with samples %v now", got)
	}
}

func TestBatchesOfNothing(t *testing.T) {
	if x := counting(t, 5, 1).Slice(0, 0).Batches(3).Shuffled(0).At(2); x.Len() != 0 || x.X.Rows != 0 || x.X.Cols != 2 {
		t.Errorf("a batch of nothing is %+v", x)
	}
	if n := counting(t, 5, 1).Batches(0).At(0).Len(); n != 5 {
		t.Errorf("a batch of all has %d samples", n)
	}
}

package amp

// A cache holds what a node remembers, under states. It is a hash table of its own because the
// library's map allocates as it is filled and emptied, which is all that happens to this one.
// Places are found by linear probing; entries stay where they are while they live.
type cache[E any] struct {
	slots   []int32 // 1 + number of an entry, 0 for none; a power of two of them
	entries []cacheEntry[E]
	free    []int32
	n       int
}

type cacheEntry[E any] struct {
	key   State
	hash  uint32
	used  bool
	value E
}

// find returns the slot of a state, or the empty one where it belongs.
func (c *cache[E]) find(key *State, hash uint32) (slot uint32, found bool) {
	mask := uint32(len(c.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		k := c.slots[i]
		if k == 0 {
			return i, false
		}
		if e := &c.entries[k-1]; e.hash == hash && e.key.same(key) {
			return i, true
		}
	}
}

// get returns the value under a state, nil if there is none. It is valid until the next put.
func (c *cache[E]) get(key *State) *E {
	if c.n == 0 {
		return nil
	}
	i, found := c.find(key, key.hash())
	if !found {
		return nil
	}
	return &c.entries[c.slots[i]-1].value
}

// put returns the place for a value under a state, and whether there was one.
func (c *cache[E]) put(key *State) (v *E, existed bool) {
	if 2*(c.n+1) > len(c.slots) {
		c.grow()
	}
	hash := key.hash()
	i, found := c.find(key, hash)
	if found {
		return &c.entries[c.slots[i]-1].value, true
	}
	var k int32
	if last := len(c.free) - 1; last >= 0 {
		k, c.free = c.free[last], c.free[:last]
	} else {
		c.entries = append(c.entries, cacheEntry[E]{})
		k = int32(len(c.entries) - 1)
	}
	e := &c.entries[k]
	e.key, e.hash, e.used = *key, hash, true
	c.slots[i] = k + 1
	c.n++
	return &e.value, false
}

// take removes what lies under a state and returns it.
func (c *cache[E]) take(key *State) (v E, found bool) {
	if c.n == 0 {
		return v, false
	}
	i, found := c.find(key, key.hash())
	if !found {
		return v, false
	}
	k := c.slots[i] - 1
	v = c.entries[k].value
	c.entries[k] = cacheEntry[E]{} // drops what it refers to
	c.free = append(c.free, k)
	c.n--
	// Entries after the hole move up unless they are already at or before their place.
	mask := uint32(len(c.slots) - 1)
	for j := i; ; {
		j = (j + 1) & mask
		if c.slots[j] == 0 {
			break
		}
		home := c.entries[c.slots[j]-1].hash & mask
		if (j-home)&mask >= (j-i)&mask {
			c.slots[i] = c.slots[j]
			i = j
		}
	}
	c.slots[i] = 0
	return v, true
}

func (c *cache[E]) grow() {
	c.slots = make([]int32, max(2*len(c.slots), 16))
	mask := uint32(len(c.slots) - 1)
	for k := range c.entries {
		if !c.entries[k].used {
			continue
		}
		i := c.entries[k].hash & mask
		for c.slots[i] != 0 {
			i = (i + 1) & mask
		}
		c.slots[i] = int32(k + 1)
	}
}

// each calls f for every entry.
func (c *cache[E]) each(f func(key State, v *E)) {
	for k := range c.entries {
		if e := &c.entries[k]; e.used {
			f(e.key, &e.value)
		}
	}
}

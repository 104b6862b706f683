//go:build !race

package mgrit

const raceEnabled = false

//go:build !race

package amp

const raceEnabled = false

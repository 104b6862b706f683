//go:build race

package amp

const raceEnabled = true

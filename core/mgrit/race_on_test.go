//go:build race

package mgrit

const raceEnabled = true // everything takes ten times as long

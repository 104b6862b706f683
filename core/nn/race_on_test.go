//go:build race

package nn

const raceDetector = true // under which sync.Pool forgets at random

//go:build race

package train

const raceDetector = true // under which sync.Pool forgets at random

//go:build !unix

package viz

import "time"

func processorTime() time.Duration { return 0 }

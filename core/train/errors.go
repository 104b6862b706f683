package train

import "fmt"

// A DivergedError says where a training stopped making numbers.
type DivergedError struct {
	Step, Epoch int     // from 1
	Layer       string  // the first with weights or results that are not finite; empty: only the loss
	Loss        float64 // NaN or infinite
	LastStep    int     // the last with a finite loss, 0 if there was none
	LastLoss    float64
}

func (e *DivergedError) Error() string {
	where := "no layer: the loss alone"
	if e.Layer != "" {
		where = e.Layer
	}
	last := "there was no finite loss before"
	if e.LastStep > 0 {
		last = fmt.Sprintf("the last finite loss was %.6g at step %d", e.LastLoss, e.LastStep)
	}
	return fmt.Sprintf("train: the loss is %v at step %d (epoch %d); the first layer that is not finite is %s; %s: try a smaller Rate, or Clip",
		e.Loss, e.Step, e.Epoch, where, last)
}

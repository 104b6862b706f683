package eval

import (
	"fmt"
	"go/types"
)

func isErrorType(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func (s *Session) render(t types.Type, v any) string { return fmt.Sprintf("%+v", v) }

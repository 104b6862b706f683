package datasets

import (
	"fmt"
	"strings"
)

// A FormatError says where a file is not what it should be.
type FormatError struct {
	File        string
	Line        int   // from 1; 0 for binary files
	Offset      int64 // in bytes, of binary files (after decompression)
	Want, Found string
}

func (e *FormatError) Error() string {
	at := fmt.Sprintf("byte %d", e.Offset)
	if e.Line > 0 {
		at = fmt.Sprintf("line %d", e.Line)
	}
	return fmt.Sprintf("datasets: %s, %s: expected %s, found %s", e.File, at, e.Want, e.Found)
}

// A MissingError says that data are not on this computer, and what to do about it.
type MissingError struct {
	Source Source
	Tried  []string // where they were looked for
}

func (e *MissingError) Error() string {
	s := fmt.Sprintf("datasets: %s is not here (looked in %s). Get it from %s", e.Source.Name, strings.Join(e.Tried, ", "), e.Source.From)
	if e.Source.Licence != "" {
		s += " (" + e.Source.Licence + ")"
	}
	s += " and give its folder, or put it into $TRIVIUM_DATA/" + e.Source.Folder
	if e.Source.Instead != "" {
		s += ". Until then, " + e.Source.Instead + " stands in"
	}
	return s
}

package datasets

import (
	"os"
	"path/filepath"
)

// A Source says which files make up a set of data that the project cannot carry, and where
// people get them.
type Source struct {
	Name    string   // as people know it
	Folder  string   // its folder in $TRIVIUM_DATA and in the cache
	Files   []string // one of these, relative to the folder, must be there; patterns of filepath.Match
	From    string   // where to get it
	Licence string
	Instead string // the call that makes data of its kind
}

// Locate returns the folder in which one of the source's files lies: the given path (a folder,
// or the file itself), $TRIVIUM_DATA, or the folder trivium in the user's cache, in this order; the
// latter two with the source's folder or without. An empty path means the other two. Where there is
// nothing it returns a *MissingError.
func Locate(s Source, path string) (string, error) {
	var roots []string
	if path != "" {
		roots = append(roots, path)
	} else {
		if d := os.Getenv("TRIVIUM_DATA"); d != "" {
			roots = append(roots, filepath.Join(d, s.Folder), d)
		}
		if d, err := os.UserCacheDir(); err == nil {
			roots = append(roots, filepath.Join(d, "trivium", s.Folder))
		}
	}
	for _, r := range roots {
		if info, err := os.Stat(r); err == nil && !info.IsDir() {
			return r, nil
		}
		for _, f := range s.Files {
			if m, err := filepath.Glob(filepath.Join(r, f)); err == nil && len(m) > 0 {
				return r, nil
			}
		}
	}
	if len(roots) == 0 {
		roots = []string{"no folder: $TRIVIUM_DATA is not set"}
	}
	return "", &MissingError{s, roots}
}

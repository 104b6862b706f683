// Package notebooks holds the lessons. Its tests run each of them from a fresh kernel, as
// somebody who opens it and chooses "run all cells" does, and try the links, commands and cells of
// everything that people read.
//
// The lessons' outputs are committed, so that a lesson reads on a page that shows notebooks
// without running them. After a change, renew them with
//
//	go run ./kernel run notebooks/01-mgrit.ipynb -o notebooks/01-mgrit.ipynb -small
package notebooks

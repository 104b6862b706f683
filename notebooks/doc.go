// Package notebooks holds the lessons. Its test runs each of them from a fresh kernel, as
// somebody who opens it and chooses "run all cells" does.
//
// Their outputs are committed, so that a lesson reads on a page that shows notebooks
// without running them. After a change, renew them with
//
//	go run ./kernel run notebooks/01-mgrit.ipynb -o notebooks/01-mgrit.ipynb
package notebooks

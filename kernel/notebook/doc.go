// Package notebook reads, runs and writes Jupyter notebooks (nbformat 4) without Jupyter.
//
// A notebook is a JSON file: a list of cells, each with its source and, for code, the outputs
// of its last run. [Read] keeps everything it does not understand in the order in which it
// stands, so that a notebook that was only executed differs from the one that was read in
// outputs and execution counts alone. What is written is nbformat 4.5: cells without an id get one.
//
// [Start] starts a kernel process on loopback sockets with a private connection file, and a
// [Runner] sends it the code cells one after another as a front end would. Outputs are gathered
// by the cell that made them, also when they come later: a live figure goes on changing while
// other cells run, and the notebook ends up with its last frame. [Notebook.WriteHTML] writes one page that
// holds everything it shows and asks no other machine for anything.
//
// The format is described at https://nbformat.readthedocs.io, the messages at
// https://jupyter-client.readthedocs.io/en/stable/messaging.html.
package notebook

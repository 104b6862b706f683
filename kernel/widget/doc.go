// Package widget lets a page talk to the evaluator: sliders, drop-downs, check boxes and
// buttons in the output of a cell.
//
// Two roads lead from a page to here. Both are comms, the protocol's conversations between an
// object in the page and one in the kernel, and a [Hub] holds this end of all of them:
//
//   - Models of the ipywidgets protocol ([Model]), which JupyterLab, Notebook and VS Code show
//     with the widget manager that they have. Their state lives here, so it survives a reload
//     of the page: the manager asks for it again.
//   - A few lines of script in an HTML output ([Page]), for front ends without a widget
//     manager. They open a channel of their own to the Jupyter server that the page came from.
//
// A [Panel] puts controls and a function of a cell together: whenever a control is moved, the
// function is called with the newest values and its results replace what it showed before. The
// function is code of a cell, so it takes its turn with cells. While it waits or runs, only
// the newest values are kept. Cells reach panels by nb.Interact.
package widget

package notebook_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"trivium/kernel/notebook"
)

// A notebook that is read and written again is the same, in Jupyter's layout.
func Example() {
	nb, err := notebook.Read(strings.NewReader(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {},
		"cells": [{"cell_type": "markdown", "id": "one", "metadata": {}, "source": "# A lesson\nText."}]}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(nb.Title())
	if err := nb.Write(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// A lesson
	// {
	//  "nbformat": 4,
	//  "nbformat_minor": 5,
	//  "metadata": {},
	//  "cells": [
	//   {
	//    "cell_type": "markdown",
	//    "id": "one",
	//    "metadata": {},
	//    "source": "# A lesson\nText."
	//   }
	//  ]
	// }
}

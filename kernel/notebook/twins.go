package notebook

// DropTwins leaves out of all outputs the PNG of a picture that is there as SVG too, which every
// front end with a browser shows. It makes a notebook with many figures three times smaller.
func (nb *Notebook) DropTwins() {
	for _, c := range nb.Cells {
		for _, out := range c.Outputs {
			if out.Data["image/svg+xml"] != nil && out.Data["image/png"] != nil {
				delete(out.Data, "image/png")
				out.raw = nil
			}
		}
	}
}

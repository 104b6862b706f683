package trees

// Tree returns tree i as core/amp's network takes it: lists with an entry for each node.
func (b *Bank) Tree(i int) (left, right, word, label []int) {
	t := b.Trees[i]
	return t.Left, t.Right, t.Word, t.Label
}

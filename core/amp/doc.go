// Package amp trains networks asynchronously: layers are nodes that send each other messages, and
// each changes its own parameters when it has seen enough gradients.
//
// A network whose shape depends on the data (a sentence's tree, a molecule's bonds) cannot be
// cut into batches of equal shape, and so leaves processors idle. Here many instances are on their way through one
// static graph at once, each taking the way it needs. What a message belongs to and where it goes lies in its
// [State]; nodes keep what backward needs under that state. So several instances, and several steps of one loop, can
// be inside a node at the same time.
//
//	g := amp.TreeLSTM(amp.TreeOptions{Hidden: 150})
//	r := amp.Start(ctx, g, bank, amp.Options{Workers: 2, MaxActiveKeys: 16, MinUpdateFrequency: 50})
//
// returns at once; [Run.Wait] waits for the end, and [Train] does both. MaxActiveKeys is how many instances
// are on their way: 1 is training one after the other, more keeps workers busy and makes gradients stale, by the
// number of updates between a message's way forward and back.
// MinUpdateFrequency is how many gradients a node gathers for an update.
//
// # Graphs
//
// Nodes with parameters are [Graph.PPT] and [Graph.Layer]; nodes without are [Graph.NPT],
// [Graph.Apply], [Graph.Sum]; nodes of control are [Graph.Cond], [Graph.Phi], [Graph.Isu]; those that
// make one message of several or the reverse are [Graph.Concat], [Graph.Split], [Graph.Bcast], [Graph.Flatmap],
// [Graph.Group] and [Graph.Ungroup]; [Graph.Classify] and [Graph.Regress] turn messages round. Each forward message
// brings back exactly one gradient. [Graph.Check] says what is wrong with a graph before it runs.
// [MLP], [Lists], [TreeLSTM], [Stories] and [Molecules] are graphs that are ready.
//
// # Workers
//
// A worker is a goroutine that hosts nodes, with one queue. Replicas of a node let several workers do the same; an
// instance stays with one replica of each, on one worker, and so do the nodes of control that it passes, which every
// worker then has. So functions of states may be called by several workers at once.
//
// A worker does what goes backward first, and takes all messages that wait
// at a node as one product, up to Options.Batch: that is where the speed is on machines with few processors. Without
// messages it sleeps. What is sent lies in blocks that are used again, so that nothing is allocated once a
// training is under way. While a worker has nothing to do, others do first what it waits for.
//
// In a timeline on a machine that has no more cores than workers, gaps of about 10 ms are the slices of time that Go's
// scheduler gives to something else: in a notebook most often the drawing of that very picture while it is live.
//
// A gradient of a node that an instance uses u times is at most ceil((MaxActiveKeys-1)·u/MinUpdateFrequency) updates of other
// instances late where instances end in the order in which they enter, as on one worker. Among several, one that is
// overtaken sees more; Correct: [Bound] sets a limit that holds always.
//
// The method is that of A. Gaunt, M. Johnson, M. Riechert, D. Tarlow, R. Tomioka, D. Vytiniotis, S. Webster,
// "AMPNet: Asynchronous Model-Parallel Training for Dynamic Neural Networks" (arXiv:1705.09786, 2017).
// Corrections of stale gradients are a [Correction]; what more processors would bring is a [Plan].
package amp

// Package sim runs one group of package group, the production code, among modelled members, a modelled network, store and
// clock. It is single-threaded, and everything that happens is drawn from a seed: the same seed gives the same run, bit for
// bit.
//
// A run has three parts. In the first, anything may happen: requests and answers are lost, late, doubled and overtaken;
// the store refuses batches, or nobody knows what became of one; the coordinator crashes between record and reply and
// replays its log; its clock jumps; members fall silent, die, come back and change their minds; administrators delete
// things. In the second nothing fails any more, and in bounded virtual time all living members must share the work of a
// Stable group. In the third nobody is left, and the group must end Empty with every request answered.
//
// What must hold at each step is the list of invariants in package group's documentation. Here it is checked from outside,
// by what a caller sees: see audit for answers, states and sessions, and ledger for offsets. [Options.Check] adds a look
// from inside.
//
// A failure is a [Violation], which has the moves that led to it. [Shrink] takes out those that it does not need.
package sim

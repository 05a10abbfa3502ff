// Package preview shows what an assignor would do with a group before it is rolled out: who gets what, what moves, how even
// it is, and whether the broker can keep it.
//
//	in, err := preview.Read("plan.json", data)         // or Fetch, of a live group
//	solved, err := preview.Solve(ctx, assignor, in)
//	report := solved.Report()                          // judged; JSON as it is, Table and SVG for people
//
// The members are taken to real bytes, as each would send them for that assignor, and decoded again as a leader does. So a
// version of the subscription that lacks a field loses it, and what cannot be is dropped and noted, as in a group.
//
// [Cases] does this for many inputs, one a line.
//
// An input is a [vector.Input]: it has the form of the cases in testdata/vectors.
package preview

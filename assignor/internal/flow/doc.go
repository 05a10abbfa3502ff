// Package flow shares units out to members: as evenly as can be and, among all the ways to do so, at the least cost; exactly
// so in both.
//
// Each unit comes from a source, and a source reaches some of the members. Even means the least sum of the squares of
// the members' loads. Where that is reached, the loads are also as near to each other as can be in every other sense, and
// only which member has one unit more than another is still open (A. Frank and K. Murota, "Decreasing minimization on
// M-convex sets"). So the members fall into parts, each with its own sources, whose loads differ by one at most. Within a part,
// the rest is a flow of least cost between fixed bounds. [Graph.Solve] tries a part with the bounds that its average
// asks for; a cut that bars the flow is the border between two parts of other averages, which are then solved by themselves.
//
// The costs are those of a sticky assignment: a member takes some units of a source with a gain each, those that it
// has already, and some sources are far from some members, which outweighs any number of gains. Of further units each source may
// say who is rather to get them, which any move outweighs. What the costs leave open,
// small graphs settle by how evenly each source serves its members ([Graph].Even).
package flow

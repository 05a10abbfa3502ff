// Package timeline shows what members of a group, and their coordinator, do: to a person as text, to a program as JSON
// lines. The commands of joinsync print with it.
//
// A [Timeline] takes [Event] values from any goroutine and prints them one after another from one of its own, so that
// nothing interleaves. A [Watch] makes the events of one member: it stands between the member and its transport, and
// reads the contents of each step from the very requests and answers.
//
// # Text
//
// Times are seconds since the start. The first join that is seen is shown in full, in its seven steps: the lines of
// other members wait until it is over. From then on each generation is a header, which says why it came and who leads,
// with one bar for each member. Lines have at most 100 columns. What peers send (names, ids, errors) is cut to a
// bound and cleaned of what a terminal would act on.
//
// # JSON
//
// One object a line, for programs. [Fields] documents it: `joinsync help json` prints that.
package timeline

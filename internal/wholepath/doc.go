// Package wholepath has no code of its own, only tests: those of the whole path at once. Consumers of package client, a
// hundred of them, join a group of package coordinator in the same process, share work, commit how far they have come,
// leave, die, fall silent, come late and restart, while links break, the store fails and the coordinator moves. The same
// goes over connections too: then the members' sessions are franz-go's, and the coordinator is in a broker of
// coordinator/broker.
//
// Everything runs in a testing/synctest bubble: hours of sessions, heartbeats and back-off pass in milliseconds, and no
// goroutine may be left at the end. What has to hold at every moment is checked as it happens (see ledger), what has to
// hold once nothing more happens is checked then (see party.settle):
//
//   - the coordinator's description of the group is what its members believe;
//   - every partition has an owner, and never two in one generation;
//   - generations only grow;
//   - no request of an old generation is granted once members work in a newer one;
//   - who takes a partition over sees the last offset that was committed for it, and all commits and fetches together are
//     linearizable, which porcupine tells from their history.
//
// Random schedules draw from a seed, which is part of the test's name. The same seed gives the same schedule, but not
// the same order among goroutines that run at the same moment. It is a module of its own, so that who imports the library does
// not get porcupine among its requirements.
package wholepath

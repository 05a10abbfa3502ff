// Package differ compares our server with a real Apache Kafka 4.4.0 in random schedules of group requests. It has no code
// for others, only tests:
//
//	make differ STEPS=100000           # seeds drawn at random, and printed
//	make differ STEPS=1 SEED=4711      # one schedule again
//
// # A schedule
//
// A seed gives a schedule: some tens of requests by one to six clients, dynamic and static ones, as lines of package script.
// Most are what a client would plausibly send next, going by what it was answered; some have a member id, a generation, an
// instance id, a group or a version that is not quite right; some are of administrators; some are sent two at a time; clients
// hang up; in some schedules sessions and rebalances are short, and time passes.
//
// A schedule is recorded on Kafka, many at a time, each with groups of its own, and then replayed on our server in virtual
// time. All answers are compared as package script writes them, and that a request has none, or has its answer only in a later
// step. Requests sent at once may have been handled in any order: one must give all the answers of Kafka, up to the end.
//
// Where they diverge, the schedule is run once more on Kafka with more patience; what is not seen again was misread, and is
// counted. What is left is shrunk, and printed as a script with the answers of both.
//
// # What Kafka leaves open
//
// Kafka was compared with itself first (go test ./internal/differ -run Itself -args -self). It leaves open what package script
// takes out of answers, and:
//
//   - the choice of a new leader among several members, by a hash of random ids (G-012): a schedule ends there;
//   - the order of answers that come of one step;
//   - what others see of a group between a request and the timer which that makes due at once, and which begins the generation of
//     a first member, and ends that of a group without members: nothing is sent meanwhile, see script.Player;
//   - whether a description finds a group of which nothing is written, until there is another record in its partition: that is
//     seen to as well;
//   - who comes first, of two joins at once: they are not sent;
//   - a SyncGroup whose assignment is being written when its member leaves, which is never answered: they are not sent at once;
//   - the names of members in a description that have no answer yet: they show as A-*.
//
// # Time
//
// Nothing may depend on how fast the machine is. Sessions and rebalances last ten minutes, or in a timed schedule 5 s and
// 5.6 s. There time passes in two or three pieces of 4 s, from the beginning of the schedule and not from the last step, so that
// delays do not add up. What ends, and what comes of it after as long again, is then at least 0.4 s away from any step and from
// everything else: it is due after 5, 5.6, 9, 9.6, 10, 10.6 and 11.2 s. Steps that take a tenth of the time that is to pass make
// the run void.
package differ

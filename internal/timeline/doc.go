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
// One object a line. Each has at_ms, the time since the start in milliseconds, and event, its kind; which of the other
// fields it has depends on the kind, and a field that is empty is left out. The kinds, with their fields, where member
// is the short name of the member that the event is about:
//
//	opened      text                                   what begins
//	started     member                                 a member is about to join
//	join_group  member member_id group session_timeout_ms protocols reason    step 1: JoinGroup is sent
//	member_id   member member_id                       step 2: the coordinator gives a member id (KIP-394)
//	joined      member member_id generation protocol leader members            step 3: JoinGroup is answered; members
//	                                                   (with their topics) in the leader only
//	planned     member generation protocol members     step 4: the leader has assigned; members with partitions
//	sync_group  member generation assignments bytes    step 5: SyncGroup is sent
//	synced      member generation partitions bytes     step 6: SyncGroup is answered
//	assigned    member member_id generation partitions step 7: the member owns its partitions
//	generation  member generation reason protocol leader members topics    all of a generation, as the leader knows it; a
//	                                                   follower is told no more than its own part, and says only that;
//	                                                   topics has the number of partitions of each, as far as known
//	rejoining   member generation reason               a member will join again
//	released    member generation partitions lost leaving    a member has given up what it owned
//	fetched     member offsets                         committed offsets, as a member was told; -1: nothing committed
//	committed   member offsets                         offsets that the coordinator has accepted
//	consumed    member offsets records                 records read; offsets are the next ones to read
//	retrying    member error after_ms                  a request failed and is tried again
//	leaving     member reason                          a member is told to leave
//	left        member error                           LeaveGroup was sent; error if it was refused or not answered
//	killed      member text                            a member is killed
//	removed     member reason                          the coordinator has removed a member
//	rebalance   member reason                          the coordinator begins a rebalance
//	ended       member error                           a member is over
//	warning     member text                            something that deserves attention
//	partition   story                                  what became of one partition: topic, partition, records, reads,
//	                                                   committed, and owners by generation
//	check       text outcome                           one thing that was checked: ok, detail
//	closed      text failed                            the end, and the number of failed checks
//	dropped     records                                so many events were lost, because the output was too slow
package timeline

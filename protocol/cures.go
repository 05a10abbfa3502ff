package protocol

// cures says, for the codes that a person meets while joining a group, what is wrong and what to do. Kafka's own
// descriptions stop at the first half.
var cures = map[ErrorCode]string{
	UnknownTopicOrPartition:   "no such topic or partition: check the topic's name, or create it",
	OffsetMetadataTooLarge:    "the metadata of a committed offset is too long: shorten it to the broker's offset.metadata.max.bytes",
	CoordinatorLoadInProgress: "the coordinator is still loading the group: try again shortly",
	CoordinatorNotAvailable: "no coordinator is available for the group: try again, and if it stays so check that the brokers are up and " +
		"that __consumer_offsets can be created",
	NotCoordinator:    "the group has moved to another coordinator: look the coordinator up again",
	InvalidTopic:      "the topic name is not legal: use 1 to 249 of the characters a-z A-Z 0-9 . _ -, and not . or .. alone",
	IllegalGeneration: "the group has moved on to another generation: join again",
	InconsistentGroupProtocol: "the member's protocols do not fit the group: use the protocol type of the other members, and at least one " +
		"protocol (assignor) that all of them list",
	InvalidGroupID:  "the group id is not legal: choose one that is not empty",
	UnknownMemberID: "the coordinator does not know the member, perhaps because its session expired: join again without a member id",
	InvalidSessionTimeout: "the session timeout is out of the broker's bounds: choose one from group.min.session.timeout.ms to " +
		"group.max.session.timeout.ms",
	RebalanceInProgress:        "the group is rebalancing: join again",
	InvalidCommitOffsetSize:    "the commit does not fit into one batch: commit fewer partitions, or shorter metadata, at once",
	TopicAuthorizationFailed:   "the user has no right to the topic: grant READ and DESCRIBE on it",
	GroupAuthorizationFailed:   "the user has no right to the group: grant READ on it",
	ClusterAuthorizationFailed: "the user has no right to the cluster: grant the operation on it",
	UnsupportedSASLMechanism:   "the broker does not offer the SASL mechanism: choose one of its sasl.enabled.mechanisms",
	IllegalSASLState:           "the broker did not expect this request in the middle of authentication: check that the listener is one with SASL",
	UnsupportedVersion:         "the two sides have no version of the API in common: upgrade the older one",
	SASLAuthenticationFailed:   "the broker refused the credentials: check user name, password and SASL mechanism",
	NonEmptyGroup:              "the group has members: stop them first",
	GroupIDNotFound:            "no such group: check the group id",
	MemberIDRequired:           "the coordinator has chosen a member id: join again with it (KIP-394)",
	GroupMaxSizeReached:        "the group is full: stop a member, or raise the broker's group.max.size",
	FencedInstanceID: "another member has taken over the group instance id: give each running member an instance id of its own " +
		"(KIP-345)",
	GroupSubscribedToTopic: "the group consumes the topic: unsubscribe its members first",
	UnstableOffsetCommit:   "a transaction over these offsets is still open: try again when it has ended (KIP-447)",
	FencedMemberEpoch:      "the coordinator has fenced the member: give up all partitions and join again (KIP-848)",
	UnreleasedInstanceID:   "a running member holds the group instance id: stop that one first (KIP-345)",
	UnsupportedAssignor:    "the coordinator does not offer the assignor: choose one of its group.consumer.assignors",
	StaleMemberEpoch:       "the member's epoch is out of date: try again with the epoch of its last heartbeat (KIP-848)",
}

package assignor

// rackTable knows the racks of the replicas.
type rackTable struct {
	brokers map[int32]string
}

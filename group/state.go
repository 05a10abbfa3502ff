package group

// State is the phase that a group is in. Its names are those on the wire (G-001).
type State uint8

// The states, with who may come before each (G-002). Dead is both the end of a group whose partition was unloaded and
// what there is before a group exists.
const (
	Dead                State = iota // from any
	Empty                            // from PreparingRebalance, or just created
	PreparingRebalance               // from Empty, CompletingRebalance, Stable
	CompletingRebalance              // from PreparingRebalance
	Stable                           // from CompletingRebalance
)

var stateNames = [...]string{"Dead", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable"}

// String returns Kafka's name of the state.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "Unknown"
}

// Time is a moment in milliseconds since the Unix epoch, as Kafka writes it.
type Time int64

// Never is later than every moment: the deadline of a group that waits for nothing.
const Never = Time(1<<63 - 1)

// Millis is a duration in milliseconds, as Kafka sends it.
type Millis int32

// after returns the moment d from now. A negative duration counts as none, so that no deadline lies in the past.
func (now Time) after(d Millis) Time { return now + Time(max(d, 0)) }

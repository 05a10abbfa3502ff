package preview

// Report is a plan with what it is worth. Of a cooperative assignor everything but Out and Record is about Pre, where the plan
// leads to.
type Report struct {
	Assignor string                `json:"assignor"`
	Out      map[string]Partitions `json:"out"`           // by member id, what it is sent
	Pre      map[string]Partitions `json:"pre,omitempty"` // by member id, what it is meant to have; of a cooperative assignor only
	Facts    Facts                 `json:"facts"`
	Members  []MemberFacts         `json:"members"` // in the order in which an assignor sees them
	Record   Record                `json:"record"`
	Notes    []string              `json:"notes,omitempty"` // what of the input had to be dropped
}

// Report judges the plan.
func (s *Solved) Report(limit int) *Report {
	r := &Report{Assignor: s.by.Name(), Out: s.Out(), Pre: s.Pre(), Record: s.record(limit)}
	r.Facts, r.Members = s.judge()
	for _, note := range s.plan.Notes() {
		r.Notes = append(r.Notes, note.String())
	}
	return r
}

package differ

import (
	"reflect"
	"testing"
)

func TestLinesAreRead(t *testing.T) {
	req := readRequest(`A: JoinGroup v9 member=$A protocols=[range:orders(v=1 owned=orders/0)] reason="a (b"`)
	if want := (message{client: "A", api: "JoinGroup", version: 9, fields: map[string]string{
		"member": "$A", "protocols": "[range:orders(v=1 owned=orders/0)]", "reason": `"a (b"`,
	}}); !reflect.DeepEqual(req, want) {
		t.Errorf("got %+v", req)
	}
	if other := readRequest("advance 2s"); other.client != "" {
		t.Errorf("got %+v of what is no request", other)
	}
	for line, want := range map[string]message{
		"→ NONE gen=2 leader=$B":           {client: "A", api: "JoinGroup", code: "NONE", fields: map[string]string{"gen": "2", "leader": "$B"}},
		"parked":                           {client: "A", api: "JoinGroup", code: "parked"},
		"✗ connection closed":              {client: "A", api: "JoinGroup", code: "connection", fields: map[string]string{}},
		"B SyncGroup → NONE":               {client: "B", api: "SyncGroup", code: "NONE", fields: map[string]string{}},
		"B SyncGroup parked":               {client: "B", api: "SyncGroup", code: "parked"},
		"→ groups=[g:NONE(state=Empty) h]": {client: "A", api: "JoinGroup", code: "groups=[g:NONE(state=Empty) h]", fields: map[string]string{"groups": "[g:NONE(state=Empty) h]"}},
	} {
		if got := readAnswer(line, req); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", line, got)
		}
	}
}

package protocol

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

func TestErrorCodesHaveKafkasNamesAndRetriability(t *testing.T) {
	file, err := os.Open("testdata/error-codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for ; lines.Scan(); n++ {
		var code ErrorCode
		var name string
		var retriable bool
		if _, err := fmt.Sscanf(lines.Text(), "%d %s %t", (*int16)(&code), &name, &retriable); err != nil {
			t.Fatal(err)
		}
		if code.String() != name || code.Retriable() != retriable {
			t.Errorf("code %d is %v, retriable %t; Kafka says %s", int16(code), code, code.Retriable(), lines.Text())
		}
	}
	if err := lines.Err(); err != nil || n < 138 {
		t.Fatalf("%d codes, %v", n, err)
	}
}

func TestErrorCodeAsError(t *testing.T) {
	if err := None.Err(); err != nil {
		t.Errorf("code 0 is the error %v", err)
	}
	err := fmt.Errorf("sync group %q: %w", "g", RebalanceInProgress.Err())
	if !errors.Is(err, kerr.RebalanceInProgress) || !errors.Is(err, RebalanceInProgress) {
		t.Errorf("%v does not wrap kerr's error and the code", err)
	}
	if errors.Is(err, kerr.IllegalGeneration) {
		t.Errorf("%v claims to be another error", err)
	}
	if code, ok := errors.AsType[ErrorCode](err); !ok || code != RebalanceInProgress {
		t.Errorf("the code inside the error is %v", code)
	}
}

func TestUnknownErrorCodeKeepsItsNumber(t *testing.T) {
	for _, number := range []int16{1234, -2, -32768, 32767} {
		code := ErrorCode(number)
		err := fmt.Errorf("join group: %w", code.Err())
		if got, ok := errors.AsType[ErrorCode](err); !ok || int16(got) != number {
			t.Errorf("%d came back as %d", number, int16(got))
		}
		if want := fmt.Sprintf("ERROR_CODE_%d", number); code.String() != want || code.Error() != want {
			t.Errorf("%d prints as %s, %s", number, code.String(), code.Error())
		}
		if errors.Is(err, kerr.UnknownServerError) || code.Retriable() {
			t.Errorf("%v pretends to be a code that we know", err)
		}
	}
	if !errors.Is(UnknownServerError.Err(), kerr.UnknownServerError) {
		t.Error("-1 is no longer Kafka's unknown server error")
	}
}

// TestErrorTextsSayWhatToDo: every code that has a cure shows its name, what is wrong and, after a colon, what to do.
func TestErrorTextsSayWhatToDo(t *testing.T) {
	for code, cure := range cures {
		text := code.Error()
		if !strings.HasPrefix(text, code.String()+": ") || strings.Count(cure, ": ") != 1 || strings.HasSuffix(cure, ".") {
			t.Errorf("the text of %v is not NAME: what is wrong: what to do, but %q", code, text)
		}
	}
	want := "THROTTLING_QUOTA_EXCEEDED: the throttling quota has been exceeded"
	if got := ErrorCode(89).Error(); got != want {
		t.Errorf("a code without a cure reads %q, want %q", got, want)
	}
}

func ExampleErrorCode() {
	err := fmt.Errorf("join group %q: %w", "orders", ErrorCode(26).Err())
	fmt.Println(err)
	fmt.Println(errors.Is(err, kerr.InvalidSessionTimeout), ErrorCode(9999))
	// Output:
	// join group "orders": INVALID_SESSION_TIMEOUT: the session timeout is out of the broker's bounds: choose one from group.min.session.timeout.ms to group.max.session.timeout.ms
	// true ERROR_CODE_9999
}

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/verify"
)

// MaxReport is the size in bytes of the largest report that Read takes.
const MaxReport = 512 << 20

// Read reads a JSON report as JSON writes it, and trusts nothing in it: a job that works for strangers may have
// written it. Unknown members, keys that occur twice or in another spelling, malformed digests, and counts, statuses,
// result or exit code that do not follow from the rest are errors.
func Read(data []byte) (*verify.Report, error) {
	if len(data) > MaxReport {
		return nil, fmt.Errorf("report of %d bytes, more than %d", len(data), MaxReport)
	}
	canonical, err := canon.Append(nil, data)
	if err != nil {
		return nil, fmt.Errorf("no report: %w", err)
	}
	var r verify.Report
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("no report: %w", readable(err))
	}
	// encoding/json matches member names whatever their case, and takes null for anything. What we would have written
	// is what may be read.
	again, err := json.Marshal(&r)
	if err != nil {
		return nil, err
	}
	if again, err = canon.Append(again[:0:0], again); err != nil {
		return nil, err
	}
	if at := firstDifference(canonical, again); at >= 0 {
		return nil, fmt.Errorf("no report: not as contractpin writes it, near %s", excerpt(canonical, at))
	}
	if err := check(&r); err != nil {
		return nil, fmt.Errorf("not a sound report: %w", err)
	}
	return &r, nil
}

// readable keeps a decoder's error free of what the document holds.
func readable(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return fmt.Errorf("member %s is of the wrong type", strconv.QuoteToASCII(cutString(t.Field, 100)))
	}
	return errors.New(strconv.QuoteToASCII(cutString(err.Error(), 200)))
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

func excerpt(b []byte, at int) string {
	return strconv.QuoteToASCII(string(b[max(0, at-30):min(len(b), at+30)]))
}

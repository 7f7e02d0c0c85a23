package mcp

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// read returns the data of all events, each in brackets with what else it has, and how the stream ended.
func read(r io.Reader, most int64) (string, error) {
	var b strings.Builder
	events := newEventReader(r, most)
	for {
		e, err := events.next()
		if err != nil {
			return b.String(), err
		}
		b.WriteString(e.name + "[" + string(e.data) + "]" + e.id)
		if e.retry > 0 {
			b.WriteString("@" + e.retry.String())
		}
	}
}

func TestEventReader_followsTheStandard(t *testing.T) {
	for stream, want := range map[string]string{
		"data: a\n\ndata: b\n\n":                   "[a][b]",
		"data: a\r\n\r\ndata: b\r\n\r\n":           "[a][b]",
		"data: a\r\rdata: b\r\r":                   "[a][b]",
		"data: a\r\n\ndata: b\n\r\n":               "[a][b]", // a CRLF is one line's end
		"data:a\ndata: b\ndata:  c\n\n":            "[a\nb\n c]",
		"data\n\n":                                 "[]",
		"data\ndata\n\n":                           "[\n]",
		": comment\n\ndata: a\n: comment\n\n":      "[a]",
		":\n\n\n\n":                                "",
		"event: endpoint\ndata: /x\n\ndata: a\n\n": "endpoint[/x][a]",
		"event: gone\n\ndata: a\n\n":               "[a]", // an event without data is none, and its name goes with it
		"id: 1\ndata: a\n\ndata: b\n\n":            "[a]1[b]1",
		"id: 1\n\ndata: b\n\n":                     "[b]1",
		"id: 1\ndata: a\n\nid\ndata: b\n\n":        "[a]1[b]",
		"id: a\x00b\ndata: a\n\n":                  "[a]",
		"retry: 10\ndata: a\n\n":                   "[a]@10ms",
		"retry: 1s\ndata: a\n\n":                   "[a]",
		"\uFEFFdata: a\n\n":                        "[a]",
		"data: a\n\n\uFEFFdata: b\n\n":             "[a]", // only at the beginning
		"data : a\nDATA: b\nx: y\ndata: c\n\n":     "[c]",
		"data: a\n\ndata: cut off":                 "[a]",
		"data: a\n\ndata: cut off\n":               "[a]",
		"data: \u00e9\U0001F600\n\n":               "[\u00e9\U0001F600]",
		"data: a:b\n\n":                            "[a:b]",
	} {
		for name, r := range map[string]io.Reader{
			"at once":      strings.NewReader(stream),
			"byte by byte": iotest.OneByteReader(strings.NewReader(stream)),
		} {
			if got, err := read(r, 1<<20); got != want || !errors.Is(err, io.EOF) {
				t.Errorf("%q %s: %q, %v; want %q", stream, name, got, err, want)
			}
		}
	}
}

func TestEventReader_doesNotWaitForWhatFollowsAnEvent(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\n\r", "data: a\r\r"} {
		r, w := io.Pipe()
		got := make(chan *event)
		go func() {
			e, _ := newEventReader(r, 1<<20).next()
			got <- e
		}()
		_, _ = io.WriteString(w, stream)
		select {
		case e := <-got:
			if string(e.data) != "a" {
				t.Errorf("%q: %q", stream, e.data)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%q: still waiting", stream)
		}
		w.Close()
	}
}

func TestEventReader_limitCountsOneEvent(t *testing.T) {
	small := strings.Repeat("data: 0123456789\n\n", 100)
	if got, err := read(strings.NewReader(small), 20); len(got) != 1200 || !errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	var large *tooLargeError
	for _, stream := range []string{"data: " + strings.Repeat("x", 200), strings.Repeat("data: x\n", 100), strings.Repeat(": x\n", 100)} {
		if _, err := read(strings.NewReader(stream), 100); !errors.As(err, &large) {
			t.Errorf("%.20q: %v", stream, err)
		}
	}
}

func FuzzEventReader(f *testing.F) {
	for _, s := range []string{"data: a\n\n", "data: a\r\rid: 1\r\n\r\n", "\uFEFFevent: e\ndata\n\n", "data: cut", "retry: 5\n\n:\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		whole, err := read(strings.NewReader(stream), 1<<10)
		pieces, errPieces := read(iotest.OneByteReader(strings.NewReader(stream)), 1<<10)
		if whole != pieces || (err == nil) != (errPieces == nil) || err.Error() != errPieces.Error() {
			t.Errorf("%q: %q (%v) at once, %q (%v) byte by byte", stream, whole, err, pieces, errPieces)
		}
		if strings.ContainsRune(stream, 0) || len(stream) > 500 {
			return
		}
		// The line's ends are interchangeable where they are used alike.
		if !strings.Contains(stream, "\r") {
			crlf, _ := read(strings.NewReader(strings.ReplaceAll(stream, "\n", "\r\n")), 1<<10)
			cr, _ := read(strings.NewReader(strings.ReplaceAll(stream, "\n", "\r")), 1<<10)
			if crlf != whole || cr != whole {
				t.Errorf("%q: LF %q, CRLF %q, CR %q", stream, whole, crlf, cr)
			}
		}
	})
}

package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// event is one server-sent event.
type event struct {
	name  string // "" is "message"
	data  []byte
	id    string // the last event id, which outlives the event that set it
	retry time.Duration
}

// eventReader reads server-sent events as the HTML standard defines them ("Interpreting an event stream"). go-sdk's reader
// knows neither a lone CR as a line's end, nor a field without a colon, nor a byte order mark, and hands out an event
// that was cut off.
type eventReader struct {
	in     *bufio.Reader
	most   int64 // bytes of one event, comments included
	begun  bool
	skipLF bool // the last line ended in CR; a LF that follows belongs to it
	id     string
	retry  time.Duration
}

func newEventReader(r io.Reader, most int64) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(r, 32<<10), most: most}
}

// next returns the next event that carries data. At the end of the stream it returns io.EOF and drops what was not
// finished by a blank line.
func (r *eventReader) next() (*event, error) {
	var (
		e       event
		hasData bool
		size    int64
	)
	for {
		text, err := r.line(r.most - size)
		if err != nil {
			return nil, err
		}
		size += int64(len(text)) + 1
		if len(text) == 0 {
			if !hasData {
				e, size = event{}, 0
				continue
			}
			e.id, e.retry = r.id, r.retry
			return &e, nil
		}
		field, value, _ := bytes.Cut(text, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "data":
			if hasData {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
			hasData = true
		case "event":
			e.name = string(value)
		case "id":
			if !bytes.ContainsRune(value, 0) {
				r.id = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				r.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line reads up to CR, LF or CRLF, without waiting for what follows a CR. A last line without an end is dropped.
func (r *eventReader) line(most int64) ([]byte, error) {
	var whole []byte
	for {
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		if !r.begun {
			r.begun = true
			if mark, _ := r.in.Peek(3); string(mark) == "\uFEFF" {
				r.in.Discard(3)
				continue
			}
		}
		buffered, _ := r.in.Peek(r.in.Buffered())
		if r.skipLF {
			r.skipLF = false
			if buffered[0] == '\n' {
				r.in.Discard(1)
				continue
			}
		}
		end := lineEnd(buffered)
		part := buffered
		if end >= 0 {
			part = buffered[:end]
		}
		if int64(len(whole)+len(part)) > most {
			return nil, &tooLargeError{fmt.Sprintf("an event of the server's stream is larger than the limit of %s", bytesOf(r.most))}
		}
		whole = append(whole, part...)
		if end < 0 {
			r.in.Discard(len(part))
			continue
		}
		r.skipLF = buffered[end] == '\r'
		r.in.Discard(end + 1)
		return whole, nil
	}
}

// lineEnd finds the first CR or LF; -1 where there is none.
func lineEnd(b []byte) int {
	end := bytes.IndexByte(b, '\n')
	if end >= 0 {
		b = b[:end]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return end
}

package contract

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// describeJSON lists what differs between two canonical JSON values, by JSON Pointer.
func describeJSON(old, new []byte) []Detail {
	w := &walk{}
	w.value("", old, new)
	return more(w.out)
}

type walk struct {
	out   []Detail
	depth int
}

func (w *walk) add(d Detail) { w.out = append(w.out, d.bounded()) }

// value compares two canonical values; equal bytes are equal values.
func (w *walk) value(at string, old, new json.RawMessage) {
	w.depth++
	defer func() { w.depth-- }()
	switch {
	case bytes.Equal(old, new):
	case w.depth > maxDepth:
		w.add(Detail{Kind: DetailChanged, Pointer: at, Old: string(old), New: string(new)})
	case old[0] == '{' && new[0] == '{':
		w.object(at, members(old), members(new))
	case old[0] == '[' && new[0] == '[':
		w.array(at, old, new)
	default:
		d := Detail{Kind: DetailChanged, Pointer: at, Old: string(old), New: string(new)}
		if isString(old) && isString(new) && len(old)+len(new) > 80 {
			d.compareTexts(textOf(old), textOf(new))
		}
		w.add(d)
	}
}

func (w *walk) object(at string, old, new map[string]json.RawMessage) {
	for _, k := range keys(old, new) {
		a, b := old[k], new[k]
		p := at + "/" + pointerToken(k)
		switch {
		case a == nil:
			w.add(Detail{Kind: DetailAdded, Pointer: p, New: string(b)})
		case b == nil:
			w.add(Detail{Kind: DetailRemoved, Pointer: p, Old: string(a)})
		default:
			w.value(p, a, b)
		}
	}
}

// array compares by members: those on both sides are matched wherever they stand, the others are paired in order where
// both are objects or arrays, else added or removed. The pointer of a member is its place in the new array, of a removed
// one its place in the old.
func (w *walk) array(at string, old, new json.RawMessage) {
	a, b := elements(old), elements(new)
	where := map[string][]int{}
	for j, v := range b {
		where[string(v)] = append(where[string(v)], j)
	}
	var gone []int
	matched := make([]bool, len(b))
	for i, v := range a {
		js := where[string(v)]
		if len(js) == 0 {
			gone = append(gone, i)
			continue
		}
		matched[js[0]] = true
		where[string(v)] = js[1:]
	}
	var come []int
	for j := range b {
		if !matched[j] {
			come = append(come, j)
		}
	}
	if len(gone) == 0 && len(come) == 0 {
		w.add(Detail{Kind: DetailMoved, Pointer: at, Old: string(old), New: string(new)})
		return
	}
	for len(gone) > 0 && len(come) > 0 && nests(a[gone[0]]) && a[gone[0]][0] == b[come[0]][0] {
		w.value(at+"/"+strconv.Itoa(come[0]), a[gone[0]], b[come[0]])
		gone, come = gone[1:], come[1:]
	}
	for _, i := range gone {
		w.add(Detail{Kind: DetailRemoved, Pointer: at + "/" + strconv.Itoa(i), Old: string(a[i])})
	}
	for _, j := range come {
		w.add(Detail{Kind: DetailAdded, Pointer: at + "/" + strconv.Itoa(j), New: string(b[j])})
	}
}

func nests(v json.RawMessage) bool { return v[0] == '{' || v[0] == '[' }

// members and elements split one level of a canonical value; its parts stay canonical bytes.
func members(v json.RawMessage) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	_ = json.Unmarshal(v, &m) // canonical bytes are valid JSON
	return m
}

func elements(v json.RawMessage) []json.RawMessage {
	var e []json.RawMessage
	_ = json.Unmarshal(v, &e)
	return e
}

func keys(a, b map[string]json.RawMessage) []string {
	var ks []string
	for k := range a {
		ks = append(ks, k)
	}
	for k := range b {
		if _, both := a[k]; !both {
			ks = append(ks, k)
		}
	}
	slices.Sort(ks)
	return ks
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func pointerToken(key string) string { return pointerEscapes.Replace(key) }

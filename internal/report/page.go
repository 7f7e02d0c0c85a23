package report

import (
	"fmt"
	"strings"
)

// A page is markdown that must not grow beyond a limit. It is laid out from parts that are kept or left out whole, so
// that nothing is ever cut inside a fence or a row: first what must stand, then sections, then their rows, then their
// details, as long as each fits.
type page struct {
	limit int
	size  func(string) int
	where string // where the reader finds what is left out

	top      string // verdict and counts: always there
	sections []*section
	bottom   string // always there
}

// A section is a part with rows and details of its own. Everything in it is rendered only when there is room.
type section struct {
	must    bool   // others give way to it
	open    string // heading and what must be said
	table   string // head of the table
	rows    lazy
	between string // after the table
	details lazy
	close   string // the accept command and what closes the block

	shownRows, shownDetails int
	rowText, detailText     strings.Builder
}

// lazy is n pieces of markdown, the i-th made on demand; what names them where some are left out: "row", "change".
type lazy struct {
	n    int
	make func(i int) string
	what string
}

// noteRoom is what a note about things left out may take.
const noteRoom = 240

// render lays the page out. Rows may take most of what the sections leave, so that a flood of rows cannot push out the
// details of what matters most: sections, rows and details come in order of weight.
func (p *page) render() string {
	room := p.limit - p.size(p.top) - p.size(p.bottom) - noteRoom
	kept, room := p.keep(room)
	forRows := room
	if hasDetails(kept) {
		forRows = room * 7 / 10
	}
	room -= forRows
	room += p.fill(kept, forRows, rowsOf)
	p.fill(kept, room, detailsOf)

	var b strings.Builder
	b.WriteString(p.top)
	for _, s := range kept {
		s.write(&b, p.where)
	}
	if n := len(p.sections) - len(kept); n > 0 {
		fmt.Fprintf(&b, "\n*%s left out here for length: see %s.*\n\n", count(n, "more section"), p.where)
	}
	b.WriteString(p.bottom)
	return b.String()
}

func rowsOf(s *section) (*lazy, *int, *strings.Builder) { return &s.rows, &s.shownRows, &s.rowText }

func detailsOf(s *section) (*lazy, *int, *strings.Builder) {
	return &s.details, &s.shownDetails, &s.detailText
}

// keep chooses the sections that there is room for, without their rows and details: those that must stand, whose rows
// get a quarter of the room at once, then the others in their order. It returns the room that is left.
func (p *page) keep(room int) ([]*section, int) {
	fits := map[*section]bool{}
	for _, must := range []bool{true, false} {
		for _, s := range p.sections {
			need := p.size(s.open) + p.size(s.table) + p.size(s.between) + p.size(s.close) + 2*noteRoom
			if s.must == must && need <= room {
				fits[s], room = true, room-need
				if must {
					room -= room/4 - p.fill([]*section{s}, room/4, rowsOf)
				}
			}
		}
	}
	var kept []*section
	for _, s := range p.sections {
		if fits[s] {
			kept = append(kept, s)
		}
	}
	return kept, room
}

func hasDetails(ss []*section) bool {
	for _, s := range ss {
		if s.details.n > 0 {
			return true
		}
	}
	return false
}

// fill gives every section its share of the room, then what others did not need, and returns what is left over.
func (p *page) fill(ss []*section, room int, part func(*section) (*lazy, *int, *strings.Builder)) int {
	for round := range 2 {
		for i, s := range ss {
			l, shown, text := part(s)
			share := room
			if round == 0 {
				share = room / (len(ss) - i)
			}
			for *shown < l.n {
				piece := l.make(*shown)
				n := p.size(piece)
				if n > share {
					break
				}
				share -= n
				room -= n
				text.WriteString(piece)
				*shown++
			}
		}
	}
	return room
}

func (s *section) write(b *strings.Builder, where string) {
	b.WriteString(s.open)
	if s.shownRows > 0 {
		b.WriteString(s.table)
		b.WriteString(s.rowText.String())
		b.WriteString("\n")
	}
	leftOut(b, &s.rows, s.shownRows, where)
	b.WriteString(s.between)
	b.WriteString(s.detailText.String())
	leftOut(b, &s.details, s.shownDetails, where)
	b.WriteString(s.close)
}

func leftOut(b *strings.Builder, l *lazy, shown int, where string) {
	if n := l.n - shown; n > 0 {
		fmt.Fprintf(b, "*… and %s: see %s.*\n\n", count(n, "more "+l.what), where)
	}
}

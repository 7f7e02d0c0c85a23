package visible

import (
	"unicode"
	"unicode/utf8"
)

// scripts whose letters can pass for Latin ones.
var scripts = []*unicode.RangeTable{unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu}

// lookalikes are the Cyrillic and Greek letters that most fonts draw like a Latin one.
const lookalikes = "АВЕЅІЈКМНОРСТХУЗаеѕіјорсухԁԛԝһӏҮү" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυχϳ"

var isLookalike = func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range lookalikes {
		m[r] = true
	}
	return m
}()

// mixed finds the letters that pose as Latin: those of another script in a word that also has Latin letters, and whole
// words of look-alikes where the text is otherwise Latin. The keys are byte offsets in s.
func mixed(s string) map[int]bool {
	if isASCII(s) {
		return nil
	}
	var out map[int]bool
	mark := func(at []int) {
		if out == nil {
			out = map[int]bool{}
		}
		for _, i := range at {
			out[i] = true
		}
	}
	var (
		foreign []int // offsets of the current word's letters of a script that can pass for Latin
		latin   bool  // the current word has a Latin letter
		alike   = true
		suspect [][]int // whole words of look-alikes
		honest  bool    // some word of another script is more than look-alikes
		anyLat  bool
	)
	end := func() {
		switch {
		case latin && len(foreign) > 0:
			mark(foreign)
		case len(foreign) > 0 && alike:
			suspect = append(suspect, foreign)
		case len(foreign) > 0:
			honest = true
		}
		anyLat = anyLat || latin
		foreign, latin, alike = nil, false, true
	}
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z'), r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r):
			latin = true
		case r >= utf8.RuneSelf && unicode.IsOneOf(scripts, r):
			foreign = append(foreign, i)
			alike = alike && isLookalike[r]
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			end()
		}
	}
	end()
	if anyLat && !honest {
		for _, at := range suspect {
			mark(at)
		}
	}
	return out
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

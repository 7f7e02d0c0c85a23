// Package visible makes hostile text safe to look at: what a server sends can hold terminal escapes, lines that a CI
// runner takes for commands, invisible, bidirectional or script-mixing characters.
package visible

// Name escapes a tool's or server's name: every character but printable ASCII becomes \u{0435} (four digits at least),
// \n, \r or \t. A backslash doubles.
func Name(s string) string { panic("being written") }

// Text escapes a text of several lines for reading: line feeds stay; control, invisible, bidi, tag and script-mixing
// characters become \u{202E}, a carriage return \r. Ordinary text of any script stays as it is.
func Text(s string) string { panic("being written") }

// Line is Text on one line: line feeds become \n; at most max bytes, cut on a character with "…". max 0: no limit.
// It never yields what a runner takes for a command ("::" at the start, "##[" anywhere).
func Line(s string, max int) string { panic("being written") }

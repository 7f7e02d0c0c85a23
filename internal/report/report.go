// Package report renders the result of a run (SPEC §6) and of a lock review: text, JSON, markdown and SARIF, all from
// verify.Report. It also reads reports back and merges them. It knows no server and no GitHub API.
//
// Whatever a server, a lock or a foreign report says is hostile: every output passes it through package visible, and
// the markdown keeps it in code spans and fences.
package report

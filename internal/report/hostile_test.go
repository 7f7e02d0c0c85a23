package report

import (
	"fmt"
	"strings"

	"github.com/contractpin/verify/internal/verify"
)

// tricks are texts with which a server might try to leave the place that it is shown in.
var tricks = []string{
	"tick`na``me", "```", "~~~", "````\n</details>", "pipe|name", `back\|slash`, `\`, `\\|`, "line\nbreak", "cr\rname", "tab\tname", "",
	" lead", "trail ", "@acme/everyone", "@octocat", "#12", "acme/widgets#12", "GH-12", "##[error]owned", "::error::owned", "  ::stop-commands::x",
	"<!-- contractpin-verify -->", "<!-- contractpin-verify key=contractpin.lock -->", "<!--", "-->", "</details><img src=x>", "<img src=x onerror=alert(1)>",
	"<script>alert(1)</script>", "</code></pre><h1>owned</h1>", "[click](http://example.invalid)", "![img](http://example.invalid/x.png)", "http://example.invalid/",
	"www.example.invalid", "<http://example.invalid>", "a@example.invalid", "[ref]\n\n[ref]: http://example.invalid", "&lt;b&gt;", "&#96;", "&commat;acme", "# heading",
	"- list\n- list", "> quote", "1. one", "***", "===", "| a | b |\n|---|---|\n| c | d |", "*bold* _it_ ~~no~~", "[^1]\n\n[^1]: note", ":smile:", "$x$", "$$\nx\n$$",
	"```suggestion\nx\n```", "\x1b[31mred\x1b[0m", "\x00", "\x7f", "\u202egnp.exe", "zero\u200bwidth", "tag\U000E0041", "re\u0430d", "\u2028", "\ufeff", "e\u0301",
	strings.Repeat("`", 200), strings.Repeat("long ", 400), "<details open><summary>x</summary>", "</table>", "<a name=x>", "'\"", "$(id)", "${GITHUB_TOKEN}", "${{ github.token }}", "`id`",
	"text ::error::owned", strings.Repeat("x ", 30) + "::error::owned",
}

// hostile are servers that use every trick in every place.
func hostile() []pair {
	var added, old, now []tool
	for i, s := range tricks {
		added = append(added, tool{"name": fmt.Sprintf("%s%d", s, i), "description": s, "inputSchema": map[string]any{s: s, "type": "object"}, "annotations": map[string]any{s: s}})
		old = append(old, tool{"name": fmt.Sprintf("d%d%s", i, s), "description": s, "inputSchema": map[string]any{"properties": map[string]any{"x" + s: s}, "required": []string{s}}})
		now = append(now, tool{"name": fmt.Sprintf("d%d%s", i, s), "description": "New.\n" + s + "\nEnd.", "annotations": map[string]any{s: s}, "inputSchema": map[string]any{"properties": map[string]any{"y" + s: s}, "required": []string{s, s}, s: tricks[(i+1)%len(tricks)]}})
	}
	all := strings.Join(tricks, "\n")
	pairs := []pair{{name: "added", new: added}, {name: "drifted", old: old, new: now}, {name: "unknown", old: old, new: now, unknown: true}, {name: "gone", old: now}}
	for i, s := range tricks {
		pairs = append(pairs, failing(s, []verify.Status{verify.Unreachable, verify.Malformed, verify.Blocked}[i%3], verify.Failure{Code: s, Message: "x " + s, Hint: s, Stderr: s + "\n" + all}))
	}
	pairs = append(pairs, failing("all", verify.Malformed, verify.Failure{Code: "x", Message: all, Hint: all, Stderr: all}))
	ok := same("warned")
	ok.answer = &verify.Answer{Warnings: append([]string{all}, tricks...), Listing: nil, Status: verify.Unreachable}
	return append(pairs, ok)
}

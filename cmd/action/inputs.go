package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
)

// defaults are action.yml's: an input that arrives unset or empty has its default here. github-token is not among them,
// so that an empty one stays empty.
var defaults = map[string]string{
	"lock-file":        "contractpin.lock",
	"allow-new":        "false",
	"require-pinned":   "false",
	"comment":          onDrift,
	"comment-behavior": update,
	"job-summary":      "true",
	"annotations":      "true",
	"fail-on-drift":    "true",
	"timeout":          "60s",
	"protocol":         "auto",
	"isolate":          "true",
	"docker-servers":   "false",

	"allow-untrusted-commands": "false",
	"issue-on-drift":           "false",
}

// Values of comment and comment-behavior.
const (
	onDrift = "on-drift"
	always  = "always"
	never   = "never"
	update  = "update"
	another = "new"
)

// inputs are the action's, each of its own type.
type inputs struct {
	lockFile        string
	servers         []string
	allowNew        bool
	configs         []string // client configurations; none given: those of the checkout
	noConfigs       bool     // config: none
	requirePinned   bool
	comment         string
	commentBehavior string
	commentKey      string
	prNumber        int
	jobSummary      bool
	annotations     bool
	failOnDrift     bool
	timeout         time.Duration
	concurrency     int
	protocol        string
	shard           *verify.Shard
	reports         []string
	headers         []string
	passEnv         []string
	isolate         bool
	dockerServers   bool
	allowUntrusted  bool
	reportFile      string
	sarifFile       string
	issueOnDrift    bool
	token           string
}

// reader reads inputs and keeps the first complaint.
type reader struct {
	get func(name string) string
	err error
}

// readInputs reads all of them. Even with an error the inputs that say where the result goes are as good as can be, so
// that the error gets there.
func readInputs(get func(name string) string) (inputs, error) {
	r := &reader{get: get}
	in := inputs{
		lockFile:        r.text("lock-file"),
		servers:         r.lines("servers"),
		allowNew:        r.flag("allow-new"),
		configs:         r.lines("config"),
		requirePinned:   r.flag("require-pinned"),
		comment:         r.choice("comment", onDrift, always, never),
		commentBehavior: r.choice("comment-behavior", update, another),
		commentKey:      r.text("comment-key"),
		prNumber:        r.number("pr-number"),
		jobSummary:      r.flag("job-summary"),
		annotations:     r.flag("annotations"),
		failOnDrift:     r.flag("fail-on-drift"),
		timeout:         r.duration("timeout"),
		concurrency:     r.number("concurrency"),
		protocol:        r.choice("protocol", "auto", "legacy", "modern"),
		reports:         r.lines("reports"),
		headers:         r.lines("headers"),
		passEnv:         r.names("pass-env"),
		isolate:         r.flag("isolate"),
		dockerServers:   r.flag("docker-servers"),
		allowUntrusted:  r.flag("allow-untrusted-commands"),
		reportFile:      r.text("report-file"),
		sarifFile:       r.text("sarif-file"),
		issueOnDrift:    r.flag("issue-on-drift"),
		token:           r.text("github-token"),
	}
	in.shard = r.shard("shard")
	if in.commentKey == "" {
		in.commentKey = in.lockFile
		if in.shard != nil { // or a green shard would resolve what a red one wrote
			in.commentKey += fmt.Sprintf("#%d/%d", in.shard.Index, in.shard.Count)
		}
	}
	if slices.Equal(in.configs, []string{"none"}) {
		in.configs, in.noConfigs = nil, true
	}
	switch {
	case in.requirePinned && in.noConfigs:
		r.complain("config", "none", "require-pinned needs one")
	case len(in.reports) > 0 && (in.requirePinned || len(in.configs) > 0):
		r.complain("reports", r.text("reports"), "set config and require-pinned in the jobs that wrote the reports")
	}
	if len(in.reports) > 0 && in.shard != nil {
		r.complain("shard", r.text("shard"), "reports merges all shards; leave shard out")
	}
	return in, r.err
}

// complain keeps the first complaint. The value is quoted: it may be anything.
func (r *reader) complain(name, value, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("input %s: %q: %s", name, value, want)
	}
}

func (r *reader) text(name string) string {
	if v := strings.TrimSpace(r.get(name)); v != "" {
		return v
	}
	return defaults[name]
}

func (r *reader) lines(name string) []string {
	var out []string
	for line := range strings.Lines(r.text(name)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// names are separated by spaces, commas or lines.
func (r *reader) names(name string) []string {
	return strings.FieldsFunc(r.text(name), func(c rune) bool { return strings.ContainsRune(" ,\t\r\n", c) })
}

// flag takes what YAML 1.2 takes for a boolean.
func (r *reader) flag(name string) bool {
	switch v := r.text(name); v {
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	default:
		r.complain(name, v, "want true or false")
		return defaults[name] == "true"
	}
}

func (r *reader) choice(name string, values ...string) string {
	v := r.text(name)
	if slices.Contains(values, v) {
		return v
	}
	last := len(values) - 1
	r.complain(name, v, "want "+strings.Join(values[:last], ", ")+" or "+values[last])
	return defaults[name]
}

func (r *reader) number(name string) int {
	v := r.text(name)
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		r.complain(name, v, "want a whole number from 1")
		return 0
	}
	return n
}

func (r *reader) duration(name string) time.Duration {
	v := r.text(name)
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		r.complain(name, v, "want a time such as 90s or 2m")
		return 0
	}
	return d
}

func (r *reader) shard(name string) *verify.Shard {
	v := r.text(name)
	s, err := run.ParseShard(v)
	if err != nil {
		r.complain(name, v, "want I/N with I from 1 to N, such as 3/8")
	}
	return s
}

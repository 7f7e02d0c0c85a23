// Package secret recognises what looks like a credential, so that none is stored in a lock (SPEC §5, Secrets), and hides
// the ones that a run was given.
//
// The rules are a short list on purpose. A scanner such as gitleaks knows a thousand shapes, but as a library (v8.24.0)
// it brings 120 packages and 14 MB for a question that is asked of a dozen strings; what the list misses by shape it
// mostly catches by name, because a credential on a command line or in a URL has one (--api-key, ?token=).
package secret

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/pattern"
)

// Finding is a spot that looks like a credential. It never holds the credential.
type Finding struct {
	Place string // command[3], url, env.API_KEY
	What  string // why it looks like one: `is the value of "--api-key"`
	Write string // what to write instead: --api-key ${API_KEY}
}

// String reads `command[3] is the value of "--api-key": write --api-key ${API_KEY} and set API_KEY in the environment`.
func (f Finding) String() string {
	s := f.Place + " " + f.What + ": write " + f.Write
	if m := pattern.Reference().FindStringSubmatch(f.Write); m != nil {
		s += " and set " + m[1] + " in the environment"
	}
	return s
}

// literal returns what of s is no reference.
func literal(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	return pattern.Reference().ReplaceAllString(s, "")
}

// InCommand looks through an argv: known shapes, values of options, variables and headers with a telling name, and
// passwords in URLs.
func InCommand(argv []string) []Finding {
	var found []Finding
	for i, arg := range argv {
		var previous string
		if i > 0 {
			previous = argv[i-1]
		}
		if f, ok := inArgument(previous, arg); ok {
			f.Place = "command[" + strconv.Itoa(i) + "]"
			found = append(found, f)
		}
	}
	return found
}

func inArgument(previous, arg string) (Finding, bool) {
	// --api-key=VALUE, API_KEY=VALUE, --env=API_KEY=VALUE, X-Api-Key: VALUE
	for rest := arg; ; {
		m := named().FindStringSubmatch(rest)
		if m == nil {
			break
		}
		name, sep, value := m[1], m[2], m[3]
		if telling(name) && isValue(name, value) {
			return holds(name, name+sep+authScheme().FindString(value)+ref(name)), true
		}
		rest = value
	}
	// --api-key VALUE
	if strings.HasPrefix(previous, "-") && !strings.ContainsAny(previous, "= ") && !strings.HasPrefix(arg, "-") &&
		telling(previous) && isValue(previous, arg) {
		return Finding{What: "is the value of " + strconv.QuoteToASCII(previous), Write: ref(previous)}, true
	}
	// --config '{"apiKey": "VALUE"}'
	for _, m := range jsonMember().FindAllStringSubmatch(arg, -1) {
		if name, value := m[1], m[2]; telling(name) && isValue(name, value) {
			return holds(name, strconv.Quote(name)+": "+strconv.Quote(ref(name))), true
		}
	}
	for _, u := range urlInside().FindAllString(arg, -1) {
		for _, f := range inURL(u) {
			return f, true
		}
	}
	return byShape(arg)
}

func holds(name, write string) Finding {
	return Finding{What: "holds the value of " + strconv.QuoteToASCII(name), Write: write}
}

var (
	named      = pattern.Lazy(`(?s)^(-{0,2}[A-Za-z][A-Za-z0-9_.-]*)(=|:\s*)(.+)$`)
	urlInside  = pattern.Lazy(`[A-Za-z][A-Za-z0-9+.-]*://\S+`)
	jsonMember = pattern.Lazy(`"([A-Za-z][A-Za-z0-9_-]*)"\s*:\s*"([^"]+)"`)
	authScheme = pattern.Lazy(`^(?i:bearer|basic|token) +`) // the word before a header's credential
)

// InURL looks through the URL of a server: user-info, query and path.
func InURL(raw string) []Finding {
	found := inURL(raw)
	u, err := url.Parse(pattern.Reference().ReplaceAllString(raw, standIn))
	if err != nil {
		return found
	}
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		if f, ok := byShape(part); ok {
			found = append(found, Finding{"url", f.What + " in its path", ".../" + f.Write + "/..."})
		} else if dense(part) {
			found = append(found, Finding{"url", "holds a long random part in its path", ".../${MCP_PATH_KEY}/..."})
		}
	}
	return found
}

// inURL looks at what is the same in every URL, also in one among a command's arguments: user-info and query.
func inURL(raw string) []Finding {
	// A reference is no valid part of every component; a word without a special character is.
	u, err := url.Parse(pattern.Reference().ReplaceAllString(raw, standIn))
	if err != nil {
		if f, ok := byShape(raw); ok {
			f.Place = "url"
			return []Finding{f}
		}
		return nil
	}
	var found []Finding
	add := func(what, write string) { found = append(found, Finding{"url", what, write}) }
	if u.User != nil {
		host := printable(strings.ReplaceAll(u.Host, standIn, "HOST"))
		password, has := u.User.Password()
		user := u.User.Username()
		switch {
		case has && notReference(password):
			add("holds a password before the @", u.Scheme+"://USER:${MCP_PASSWORD}@"+host)
		case !has && notReference(user) && strings.HasPrefix(u.Scheme, "http"): // ssh://git@ tells nothing
			add("holds a user name or token before the @", u.Scheme+"://${MCP_TOKEN}@"+host)
		}
	}
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		key, value, _ := strings.Cut(pair, "=")
		if k, err := url.QueryUnescape(key); err == nil {
			key = k
		}
		if !notReference(value) {
			continue
		}
		if _, shaped := byShape(value); shaped || (telling(key) || tellingQuery[strings.ToLower(key)]) && isValue(key, value) {
			add("holds the value of the query key "+strconv.QuoteToASCII(key), printable(key)+"="+ref(key))
		}
	}
	return found
}

const standIn = "ReFeReNcE"

// notReference tells whether a part holds anything but references.
func notReference(s string) bool { return strings.ReplaceAll(s, standIn, "") != "" }

// tellingQuery are keys that name a credential in a URL, though not on a command line.
var tellingQuery = map[string]bool{"sig": true, "signature": true, "code": true, "auth": true, "sas": true, "jwt": true, "profile_key": true}

// InEnv looks at one variable that would be stored with its value.
func InEnv(name, value string) (Finding, bool) {
	f, ok := byShape(value)
	if !ok && telling(name) && isValue(name, value) {
		f, ok = Finding{What: "has a name that tells of a credential"}, true
	}
	f.Place, f.Write = "env."+printable(name), "${"+Variable(name)+"}"
	return f, ok
}

// ref makes a reference whose name is that of an option, a header or a query key.
func ref(name string) string { return "${" + Variable(name) + "}" }

// Variable makes the name of an environment variable: API_KEY of --api-key, TAVILY_API_KEY of tavilyApiKey.
func Variable(name string) string {
	v := name
	if !upper().MatchString(name) {
		v = notVariable().ReplaceAllString(strings.ToUpper(strings.Join(words(name), "_")), "_")
	}
	switch {
	case v == "" || v[0] >= '0' && v[0] <= '9':
		return "MCP_" + v
	case v == "AUTHORIZATION":
		return "ACCESS_TOKEN"
	case v == "GITHUB_TOKEN": // resolves in the action only where pass-env names it
		return "MCP_GITHUB_TOKEN"
	}
	return v
}

var (
	upper       = pattern.Lazy(`^[A-Z_][A-Z0-9_]*$`)
	notVariable = pattern.Lazy(`[^A-Z0-9_]`)
)

func printable(s string) string {
	quoted := strconv.QuoteToASCII(s)
	return quoted[1 : len(quoted)-1]
}

// InHeader looks at one header that a client's configuration holds.
func InHeader(name, value string) (Finding, bool) {
	f, ok := byShape(value)
	if !ok && telling(name) && isValue(name, value) {
		f, ok = Finding{What: "holds a credential"}, true
	}
	f.Place, f.Write = "header "+printable(name), authScheme().FindString(value)+ref(name)
	return f, ok
}

// Variable is the environment variable that Write refers to.
func (f Finding) Variable() string {
	if m := pattern.Reference().FindStringSubmatch(f.Write); m != nil {
		return m[1]
	}
	return ""
}

package secret

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/contractpin/verify/internal/pattern"
)

// shape is the form of one issuer's credentials.
type shape struct {
	what     string // "looks like a GitHub token"
	variable string // a usual name for it
	form     *regexp.Regexp
}

// shapes are the credentials that MCP servers are given most, each with a prefix of its own. Sources: the issuers'
// documentation of their prefixes. Compiled when first needed: only init looks for them.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		{"a GitHub token", "GITHUB_PAT", token(`(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`)},
		{"a GitLab token", "GITLAB_PAT", token(`gl(?:pat|rt|ptt|dt|cbt|soat)-[A-Za-z0-9_.-]{16,}`)},
		{"an AWS key", "AWS_ACCESS_KEY_ID", token(`(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}`)},
		{"a Google API key", "GOOGLE_API_KEY", token(`AIza[A-Za-z0-9_-]{30,}`)},
		{"a Google access token", "GOOGLE_ACCESS_TOKEN", token(`(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})`)},
		{"a Slack token", "SLACK_TOKEN", token(`(?:xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,})`)},
		{"an Anthropic API key", "ANTHROPIC_API_KEY", token(`sk-ant-[A-Za-z0-9_-]{16,}`)},
		{"an OpenAI API key", "OPENAI_API_KEY", token(`sk-[A-Za-z0-9_-]{20,}`)},
		{"a Stripe key", "STRIPE_API_KEY", token(`(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}`)},
		{"an npm token", "NPM_TOKEN", token(`npm_[A-Za-z0-9]{30,}`)},
		{"a PyPI token", "PYPI_TOKEN", token(`pypi-AgE[A-Za-z0-9_-]{40,}`)},
		{"a Hugging Face token", "HF_TOKEN", token(`hf_[A-Za-z0-9]{30,}`)},
		{"a SendGrid key", "SENDGRID_API_KEY", token(`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
		{"a Tavily API key", "TAVILY_API_KEY", token(`tvly-[A-Za-z0-9_-]{16,}`)},
		{"a Figma token", "FIGMA_API_KEY", token(`fig[dour]_[A-Za-z0-9_-]{20,}`)},
		{"a Notion token", "NOTION_TOKEN", token(`(?:secret|ntn)_[A-Za-z0-9]{30,}`)},
		{"a Linear API key", "LINEAR_API_KEY", token(`lin_(?:api|oauth)_[A-Za-z0-9]{20,}`)},
		{"a Grafana token", "GRAFANA_TOKEN", token(`gl(?:sa|c)_[A-Za-z0-9_=]{20,}`)},
		{"a Postman key", "POSTMAN_API_KEY", token(`PMAK-[A-Za-z0-9-]{20,}`)},
		{"a DigitalOcean token", "DIGITALOCEAN_TOKEN", token(`do[opr]_v1_[a-f0-9]{32,}`)},
		{"a Databricks token", "DATABRICKS_TOKEN", token(`dapi[a-f0-9]{32}`)},
		{"an Atlassian token", "ATLASSIAN_TOKEN", token(`ATATT3[A-Za-z0-9_=-]{20,}`)},
		{"a Docker token", "DOCKER_TOKEN", token(`dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`)},
		{"a Vault token", "VAULT_TOKEN", token(`hv[sbr]\.[A-Za-z0-9_-]{20,}`)},
		{"a Sentry token", "SENTRY_TOKEN", token(`sntry[su]_[A-Za-z0-9_=+/-]{20,}`)},
		{"a Shopify token", "SHOPIFY_TOKEN", token(`shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}`)},
		{"an Airtable token", "AIRTABLE_TOKEN", token(`pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}`)},
		{"a Supabase token", "SUPABASE_ACCESS_TOKEN", token(`sb(?:p|_secret)_[A-Za-z0-9_-]{20,}`)},
		{"a model provider's key", "API_KEY", token(`(?:gsk_|xai-|pplx-|r8_|fw_|nvapi-|fc-|ctx7sk-|exa-)[A-Za-z0-9_-]{24,}`)},
		{"a bot token", "BOT_TOKEN", token(`[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}`)},
		{"a JSON web token", "ACCESS_TOKEN", token(`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
		{"a private key", "PRIVATE_KEY", regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY`)},
		{"an authorization header", "ACCESS_TOKEN", regexp.MustCompile(`(?i)\b(?:bearer|basic) +[A-Za-z0-9+/=._~-]{6,}`)},
		{"a URL with a password", "DATABASE_URL", regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^/@\s:?#]*:[^/@\s]+@`)},
	}
})

// token makes a shape match only where a word begins.
func token(form string) *regexp.Regexp { return regexp.MustCompile(`(?:^|[^A-Za-z0-9_-])` + form) }

// byShape finds a known shape in what of s is no reference.
func byShape(s string) (Finding, bool) {
	s = literal(s)
	if len(s) < 12 && !strings.Contains(s, ":") && !strings.Contains(s, " ") {
		return Finding{}, false
	}
	for _, sh := range shapes() {
		if sh.form.MatchString(s) {
			return Finding{What: "looks like " + sh.what, Write: "${" + sh.variable + "}"}, true
		}
	}
	return Finding{}, false
}

// tellingWords end the name of a credential.
var tellingWords = map[string]bool{
	"token": true, "secret": true, "password": true, "passwd": true, "pwd": true, "pass": true, "passphrase": true,
	"apikey": true, "key": true, "pat": true, "credential": true, "credentials": true, "authorization": true,
	"bearer": true, "cookie": true, "accesstoken": true, "authtoken": true, "apitoken": true, "secretkey": true,
	"accesskey": true, "privatekey": true, "clientsecret": true, "dsn": true,
}

// plainKeys stand before "key" in names that tell of no credential.
var plainKeys = map[string]bool{"public": true, "primary": true, "sort": true, "partition": true, "foreign": true, "cache": true}

// telling tells whether the name of an option, variable, header or query key ends as a credential's does:
// --api-key, GITHUB_TOKEN, clientSecret, X-Api-Key; not --token-file, --max-tokens, --tokenizer.
func telling(name string) bool {
	w := words(name)
	for len(w) > 0 && strings.Trim(w[len(w)-1], "0123456789") == "" { // TOKEN_2
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return false
	}
	last := strings.TrimRight(w[len(w)-1], "0123456789")
	if !tellingWords[last] {
		return false
	}
	return last != "key" || len(w) == 1 || !plainKeys[w[len(w)-2]]
}

// words splits a name at its separators and humps, in lower case.
func words(name string) []string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		before = r
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// isValue tells whether what stands beside a telling name can be a credential: not a switch, not the path of a key, not
// a reference alone.
func isValue(name, value string) bool {
	v := strings.TrimSpace(authScheme().ReplaceAllString(literal(value), ""))
	v = strings.ReplaceAll(v, standIn, "")
	switch strings.ToLower(v) {
	case "", "true", "false", "yes", "no", "on", "off", "none", "null", "0", "1", "stdin", "-":
		return false
	}
	w := words(name)
	if strings.HasPrefix(w[len(w)-1], "key") { // --key ./tls.key
		return !strings.ContainsAny(v, `/\`) && !keyFile().MatchString(v)
	}
	return true
}

var keyFile = pattern.Lazy(`\.(?:pem|key|crt|p12|pfx|json)$`)

// dense tells whether a part of a path is long and random: a run of 20 letters and digits or more that change places
// four times or more. Words and version numbers do not, and a UUID is an identifier more often than a credential.
func dense(part string) bool {
	for _, run := range alphanumeric().FindAllString(part, -1) {
		if len(run) >= 20 && len(changes().FindAllString(run, -1)) >= 4 {
			return true
		}
	}
	return false
}

var (
	alphanumeric = pattern.Lazy(`[A-Za-z0-9]+`)
	changes      = pattern.Lazy(`[A-Za-z][0-9]`)
)

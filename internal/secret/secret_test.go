package secret

import (
	"strings"
	"testing"
)

// The credentials in these tests are made up; the joins keep scanners of this repository from thinking otherwise.
var (
	githubToken = "ghp" + "_" + strings.Repeat("a1B2", 9)
	openAIKey   = "sk" + "-proj-" + strings.Repeat("Zy9x", 8)
	webToken    = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxMjM0In0" + "." + "c2lnbmF0dXJl"
	slackToken  = "xoxb" + "-1234567890-abcdefghij"
)

func TestInCommand(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string // "": nothing found
	}{
		{[]string{"npx", "-y", "@acme/mcp@1.2.3"}, ""},
		{[]string{"uvx", "mcp-server@1.0", "--api-key", "k3y-0003"},
			`command[3] is the value of "--api-key": write ${API_KEY} and set API_KEY in the environment`},
		{[]string{"x", "--api-key=k3y-0003"},
			`command[1] holds the value of "--api-key": write --api-key=${API_KEY} and set API_KEY in the environment`},
		{[]string{"x", "--apiKey", "k3y-0003"}, `command[2] is the value of "--apiKey": write ${API_KEY} and set API_KEY in the environment`},
		{[]string{"docker", "run", "-e", "GITHUB_TOKEN=abcdefgh", "img"},
			`command[3] holds the value of "GITHUB_TOKEN": write GITHUB_TOKEN=${MCP_GITHUB_TOKEN} and set MCP_GITHUB_TOKEN in the environment`},
		{[]string{"docker", "run", "--env=SLACK_BOT_TOKEN=abcdefgh", "img"},
			`command[2] holds the value of "SLACK_BOT_TOKEN": write SLACK_BOT_TOKEN=${SLACK_BOT_TOKEN} and set SLACK_BOT_TOKEN in the environment`},
		{[]string{"npx", "mcp-remote", "https://x.example/mcp", "--header", "Authorization: Bearer s3cr3t-0001"},
			`command[4] holds the value of "Authorization": write Authorization: Bearer ${ACCESS_TOKEN} and set ACCESS_TOKEN in the environment`},
		{[]string{"x", "--header", "X-Api-Key:abc"},
			`command[2] holds the value of "X-Api-Key": write X-Api-Key:${X_API_KEY} and set X_API_KEY in the environment`},
		{[]string{"x", `--config`, `{"braveApiKey":"BSA123"}`},
			`command[2] holds the value of "braveApiKey": write "braveApiKey": "${BRAVE_API_KEY}" and set BRAVE_API_KEY in the environment`},
		{[]string{"x", githubToken}, `command[1] looks like a GitHub token: write ${GITHUB_PAT} and set GITHUB_PAT in the environment`},
		{[]string{"x", "--flag=" + openAIKey}, `command[1] looks like an OpenAI API key: write ${OPENAI_API_KEY} and set OPENAI_API_KEY in the environment`},
		{[]string{"x", webToken}, `command[1] looks like a JSON web token: write ${ACCESS_TOKEN} and set ACCESS_TOKEN in the environment`},
		{[]string{"x", slackToken}, `command[1] looks like a Slack token: write ${SLACK_TOKEN} and set SLACK_TOKEN in the environment`},
		{[]string{"x", "postgresql://me:hunter2@db.example/app"},
			`command[1] holds a password before the @: write postgresql://USER:${MCP_PASSWORD}@db.example and set MCP_PASSWORD in the environment`},
		{[]string{"npx", "mcp-remote@0.1.0", "https://mcp.example/mcp/?tavilyApiKey=k3y"},
			`command[2] holds the value of the query key "tavilyApiKey": write tavilyApiKey=${TAVILY_API_KEY} and set TAVILY_API_KEY in the environment`},
		{[]string{"x", "--url=https://t0ken@mcp.example"},
			`command[1] holds a user name or token before the @: write https://${MCP_TOKEN}@mcp.example and set MCP_TOKEN in the environment`},
		{[]string{"uvx", "--from", "git+ssh://git@github.com/a/b@0123456789abcdef0123456789abcdef01234567", "b"}, ""},
		{[]string{"x", "-----BEGIN RSA PRIVATE KEY-----\nabc"}, `command[1] looks like a private key: write ${PRIVATE_KEY} and set PRIVATE_KEY in the environment`},
		{[]string{"x", "--token", "${TOKEN}", "--key=${API_KEY}", "Authorization: Bearer ${T}"}, ""},
		{[]string{"x", "postgresql://me:${PGPASSWORD}@db.example/app"}, ""},
		{[]string{"x", "--token-file", "/run/token", "--max-tokens", "4096", "--tokenizer=gpt2", "--password-stdin"}, ""},
		{[]string{"x", "--key", "./tls.key", "--ssl-key=/etc/k.pem", "--public-key", "abcdef"}, ""},
		{[]string{"x", "--auth-token", "--verbose"}, ""},
		{[]string{"x", "--use-api-key=true"}, ""},
		{[]string{"npx", "git+https://github.com/a/b#0123456789abcdef0123456789abcdef01234567"}, ""},
		{[]string{"docker", "run", "ghcr.io/a/b@sha256:" + strings.Repeat("0f", 32)}, ""},
		{[]string{"node", "/home/me/desk-lamp-and-task-runner-for-everyone/index.js"}, ""},
	} {
		var got []string
		for _, f := range InCommand(c.argv) {
			got = append(got, f.String())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.argv, strings.Join(got, "\n"), c.want)
		}
	}
}

func TestInURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://mcp.example.com/mcp":                      "",
		"https://mcp.example.com/mcp?project=a&readonly=1": "",
		"http://bob:pa55-0002@127.0.0.1:18424/mcp":         `url holds a password before the @: write http://USER:${MCP_PASSWORD}@127.0.0.1:18424 and set MCP_PASSWORD in the environment`,
		"https://s3cr3t@mcp.example.com/":                  `url holds a user name or token before the @: write https://${MCP_TOKEN}@mcp.example.com and set MCP_TOKEN in the environment`,
		"https://bob:${PASSWORD}@mcp.example.com/":         "",
		"https://${TOKEN}@mcp.example.com/":                "",
		"https://mcp.example.com/mcp?api_key=k3y":          `url holds the value of the query key "api_key": write api_key=${API_KEY} and set API_KEY in the environment`,
		"https://mcp.example.com/mcp?tavilyApiKey=tvly":    `url holds the value of the query key "tavilyApiKey": write tavilyApiKey=${TAVILY_API_KEY} and set TAVILY_API_KEY in the environment`,
		"https://mcp.example.com/mcp?sig=abc&x=1":          `url holds the value of the query key "sig": write sig=${SIG} and set SIG in the environment`,
		"https://mcp.example.com/mcp?q=" + githubToken:     `url holds the value of the query key "q": write q=${Q} and set Q in the environment`,
		"https://mcp.example.com/mcp?api_key=${API_KEY}":   "",
		"${MCP_URL}":                                                       "",
		"https://${HOST}/mcp?token=${TOKEN}":                               "",
		"https://mcp.example.com/s/Njk1ZmQ0ZDktN2Y4YS00/mc":                `url holds a long random part in its path: write .../${MCP_PATH_KEY}/... and set MCP_PATH_KEY in the environment`,
		"https://mcp.example.com/0f8fad5b-d9cb-469f-a165-70867728950e/sse": "",
		"https://api.example.com/playwright-mcp-server-v2-2025-08-31/mcp":  "",
	} {
		var got []string
		for _, f := range InURL(raw) {
			got = append(got, f.String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s:\n got %s\nwant %s", raw, strings.Join(got, "\n"), want)
		}
	}
}

func TestInEnv(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"LOG_LEVEL", "debug", ""},
		{"NODE_ENV", "production", ""},
		{"MAX_TOKENS", "1000", ""},
		{"API_KEY", "${API_KEY}", ""},
		{"API_KEY", "abc", `env.API_KEY has a name that tells of a credential: write ${API_KEY} and set API_KEY in the environment`},
		{"TOKEN_2", "abc", `env.TOKEN_2 has a name that tells of a credential: write ${TOKEN_2} and set TOKEN_2 in the environment`},
		{"WHATEVER", githubToken, `env.WHATEVER looks like a GitHub token: write ${WHATEVER} and set WHATEVER in the environment`},
		{"DATABASE_URL", "mysql://a:b@c/d", `env.DATABASE_URL looks like a URL with a password: write ${DATABASE_URL} and set DATABASE_URL in the environment`},
		{"USE_TOKEN", "true", ""},
		{"", "x", ""},
	} {
		f, ok := InEnv(c.name, c.value)
		if got := f.String(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s=%s: got %v %s, want %s", c.name, c.value, ok, got, c.want)
		}
	}
}

func TestFindings_neverHoldTheCredential(t *testing.T) {
	const value = "v3ry-s3cr3t-v4lue"
	var all []string
	for _, f := range InCommand([]string{"x", "--token", value, "--token=" + value, "A_TOKEN=" + value, "a://b:" + value + "@c", "Bearer " + value, `{"token":"` + value + `"}`}) {
		all = append(all, f.String())
	}
	for _, f := range InURL("https://u:" + value + "@h/?token=" + value) {
		all = append(all, f.String())
	}
	if len(all) != 8 {
		t.Errorf("found %d of 8", len(all))
	}
	if strings.Contains(strings.Join(all, "\n"), value) {
		t.Error("a finding quotes the credential")
	}
}

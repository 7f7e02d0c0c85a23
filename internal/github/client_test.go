package github

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/github/fakegithub"
)

const marker = "<!-- contractpin-verify key=contractpin.lock -->"

// testClient waits for nothing and records what it would have waited.
func testClient(t *testing.T, api string, change func(*Context)) (*Client, *[]time.Duration) {
	t.Helper()
	at := Context{Owner: "acme", Repo: "widgets", APIURL: api, SHA: shaM, RunID: 7, Attempt: 1,
		Event: Event{Name: "pull_request", PR: 12, HeadSHA: shaA, BaseSHA: shaB, BaseRepo: "acme/widgets", HeadRepo: "acme/widgets"}}
	if change != nil {
		change(&at)
	}
	c, err := NewClient(at, "t0ken", "test")
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	c.transport.pause = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	return c, &waits
}

func body(run int, text string) string {
	return fmt.Sprintf("%s\n<!-- run %d -->\n%s", marker, run, text)
}

// sticky is a text of run 7.
func sticky(text string) Sticky {
	return Sticky{
		Marker: marker, Create: true, Run: RunRef{7, 1},
		Body: func(bool) string { return body(7, text) },
		State: func(body string) (RunRef, bool) {
			var ref RunRef
			_, err := fmt.Sscanf(body, marker+"\n<!-- run %d -->", &ref.ID)
			ref.Attempt = 1
			return ref, err == nil
		},
	}
}

func TestComment_whatStandsThereDecides(t *testing.T) {
	own := func(text string) fakegithub.Comment {
		return fakegithub.Comment{ID: 5, Number: 12, Login: fakegithub.Bot, Body: text}
	}
	other := func(login, text string) fakegithub.Comment {
		return fakegithub.Comment{ID: 6, Number: 12, Login: login, Body: text}
	}
	const create, edit = "POST /repos/acme/widgets/issues/12/comments", "PATCH /repos/acme/widgets/issues/comments/5"
	tests := []struct {
		name   string
		there  []fakegithub.Comment
		change func(*Sticky)
		want   Outcome
		writes []string
	}{
		{"none yet", nil, nil, Created, []string{create}},
		{"none yet and nothing to say", nil, func(s *Sticky) { s.Create = false }, Nothing, nil},
		{"an older run's", []fakegithub.Comment{own(body(6, "drift"))}, nil, Updated, []string{edit}},
		{"an older run's, now green", []fakegithub.Comment{own(body(6, "drift"))}, func(s *Sticky) { s.Create = false }, Updated, []string{edit}},
		{"a newer run's", []fakegithub.Comment{own(body(8, "drift"))}, nil, Superseded, nil},
		{"without a state", []fakegithub.Comment{own(marker + "\nold report")}, nil, Updated, []string{edit}},
		{"the same", []fakegithub.Comment{own(body(7, "drift") + "\r\n")}, nil, Unchanged, nil},
		{"somebody else's with our marker", []fakegithub.Comment{other("mallory", body(9, "all is well"))}, nil, Created, []string{create}},
		{"our author without our marker", []fakegithub.Comment{other(fakegithub.Bot, "see "+marker)}, nil, Created, []string{create}},
		{"our author with another key", []fakegithub.Comment{other(fakegithub.Bot, "<!-- contractpin-verify key=b.lock -->\nx")}, nil, Created, []string{create}},
		{"another one wanted each time", []fakegithub.Comment{own(body(6, "drift"))}, func(s *Sticky) { s.New = true }, Created, []string{create}},
		{"another one each time, now green", []fakegithub.Comment{own(body(6, "drift"))}, func(s *Sticky) { s.New, s.Create = true, false }, Updated, []string{edit}},
		{"two of ours", []fakegithub.Comment{own(body(5, "a")), {ID: 4, Number: 12, Login: fakegithub.Bot, Body: body(4, "b")}}, nil, Updated, []string{edit}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gh := fakegithub.New(t, "")
			gh.Comments = tt.there
			c, _ := testClient(t, gh.URL, nil)
			s := sticky("drift")
			if tt.change != nil {
				tt.change(&s)
			}
			got, err := c.Comment(t.Context(), 12, s)
			if err != nil {
				t.Fatal(err)
			}
			if got.Outcome != tt.want {
				t.Errorf("%q, want %q", got.Outcome, tt.want)
			}
			if d := cmp.Diff(tt.writes, gh.Writes()); d != "" {
				t.Error(d)
			}
			if (got.ID != 0 && got.URL != "") != (tt.want != Nothing) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestComment_isFoundBeyondTheFirstPage(t *testing.T) {
	gh := fakegithub.New(t, "/api/v3")
	for i := range 250 {
		gh.Comments = append(gh.Comments, fakegithub.Comment{ID: int64(100 + i), Number: 12, Login: "dev", Body: "remark"})
	}
	gh.Comments[230].Login, gh.Comments[230].Body = fakegithub.Bot, body(6, "drift")
	c, _ := testClient(t, gh.URL, nil)
	got, err := c.Comment(t.Context(), 12, sticky("drift"))
	if err != nil || got.Outcome != Updated || got.ID != 330 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestComment_ownAuthor(t *testing.T) {
	for _, tt := range []struct{ name, login, viewer, author string }{
		{"a user's token", "robo", "", "Robo"}, {"an app's token", "", "my-app[bot]", "my-app[bot]"}, {"the job's token", "", "", fakegithub.Bot},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gh := fakegithub.New(t, "")
			gh.Login, gh.Viewer = tt.login, tt.viewer
			gh.Comments = []fakegithub.Comment{
				{ID: 1, Number: 12, Login: "mallory", Body: body(1, "x")}, {ID: 2, Number: 12, Login: tt.author, Body: body(2, "x")}, {ID: 3, Number: 12, Login: "eve[bot]", Body: body(3, "x")},
			}
			c, _ := testClient(t, gh.URL, func(at *Context) { at.GraphQLURL = gh.URL + "/graphql" })
			found, err := c.ownComment(t.Context(), 12, marker)
			if err != nil || found.GetID() != 2 {
				t.Errorf("found %v, %v", found.GetID(), err)
			}
			for _, r := range gh.Requests {
				if r.Authorization != "Bearer t0ken" {
					t.Errorf("%s %s: authorization %q", r.Method, r.Path, r.Authorization)
				}
			}
		})
	}
}

// once answers the first n requests that match with a failure.
func once(n int, method string, f fakegithub.Failure) func(fakegithub.Request) *fakegithub.Failure {
	return func(r fakegithub.Request) *fakegithub.Failure {
		if r.Method != method || n == 0 {
			return nil
		}
		n--
		return &f
	}
}

func TestComment_failuresOfTheAPI(t *testing.T) {
	after := map[string]string{"Retry-After": "3"}
	exhausted := map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(time.Now().Add(5 * time.Second).Unix())}
	tests := []struct {
		name   string
		times  int
		method string
		f      fakegithub.Failure
		waits  int    // how many
		cause  string // "": it goes through
	}{
		{"503 on reading", 2, "GET", fakegithub.Failure{Status: 503}, 2, ""},
		{"500 for good", 99, "GET", fakegithub.Failure{Status: 500}, 4, "500"},
		{"429 with a time on reading", 1, "GET", fakegithub.Failure{Status: 429, Header: after}, 1, ""},
		{"429 on writing", 1, "POST", fakegithub.Failure{Status: 429, Header: after}, 1, ""},
		{"403 with a time", 1, "POST", fakegithub.Failure{Status: 403, Header: after}, 1, ""},
		{"403, limit used up", 1, "POST", fakegithub.Failure{Status: 403, Header: exhausted}, 1, ""},
		{"429, longer than a minute", 1, "GET", fakegithub.Failure{Status: 429, Header: map[string]string{"Retry-After": "3600"}}, 0, "rate limit"},
		{"403, secondary limit without a time", 1, "POST", fakegithub.Failure{Status: 403, Body: `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`}, 0, "rate limit"},
		{"403, no right", 1, "POST", fakegithub.Failure{Status: 403, Body: `{"message":"Resource not accessible by integration"}`}, 0, "pull-requests: write"},
		{"403, locked", 1, "POST", fakegithub.Failure{Status: 403, Body: `{"message":"Unable to create comment because issue is locked."}`}, 0, "locked"},
		{"404", 1, "POST", fakegithub.Failure{Status: 404, Body: `{"message":"Not Found"}`}, 0, "pull-requests: write"},
		{"401", 1, "GET", fakegithub.Failure{Status: 401, Body: `{"message":"Bad credentials"}`}, 0, "not valid"},
		{"422", 1, "POST", fakegithub.Failure{Status: 422, Body: `{"message":"Validation Failed","errors":[{"message":"Body is too long"}]}`}, 0, "422: Validation Failed: Body is too long"},
		{"502 on writing, not carried out", 1, "POST", fakegithub.Failure{Status: 502}, 1, ""},
		{"502 on writing, carried out", 1, "POST", fakegithub.Failure{Status: 502, After: true}, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gh := fakegithub.New(t, "")
			gh.Fail = once(tt.times, tt.method, tt.f)
			c, waits := testClient(t, gh.URL, nil)
			_, err := c.Comment(t.Context(), 12, sticky("drift"))
			if (err == nil) != (tt.cause == "") {
				t.Fatalf("error %v", err)
			}
			if err != nil && !strings.Contains(c.Cause(err, "pull-requests: write"), tt.cause) {
				t.Errorf("cause %q, want %q in it", c.Cause(err, "pull-requests: write"), tt.cause)
			}
			if len(*waits) != tt.waits {
				t.Errorf("waited %v", *waits)
			}
			if tt.cause == "" && len(gh.Comments) != 1 {
				t.Errorf("%d comments", len(gh.Comments))
			}
			if strings.Contains(tt.name, "with a time") && tt.waits > 0 && (*waits)[0] != 3*time.Second {
				t.Errorf("waited %v", *waits)
			}
		})
	}
}

func TestComment_deletedMeanwhileIsWrittenAnew(t *testing.T) {
	gh := fakegithub.New(t, "")
	gh.Comments = []fakegithub.Comment{{ID: 5, Number: 12, Login: fakegithub.Bot, Body: body(6, "x")}}
	gh.Fail = once(1, "PATCH", fakegithub.Failure{Status: 404, Body: `{"message":"Not Found"}`})
	c, _ := testClient(t, gh.URL, nil)
	got, err := c.Comment(t.Context(), 12, sticky("drift"))
	if err != nil || got.Outcome != Created {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCause_namesWhyATokenCannotWrite(t *testing.T) {
	gh := fakegithub.New(t, "")
	gh.Fail = once(-1, "POST", fakegithub.Failure{Status: 403, Body: `{"message":"Resource not accessible by integration"}`})
	for want, change := range map[string]func(*Context){
		"fork":                 func(at *Context) { at.Event.HeadRepo = "someone/widgets" },
		"Dependabot":           func(at *Context) { at.Actor = dependabot },
		"pull-requests: write": func(*Context) {},
	} {
		c, _ := testClient(t, gh.URL, change)
		_, err := c.Comment(t.Context(), 12, sticky("drift"))
		cause := c.Cause(err, "pull-requests: write")
		if !strings.Contains(cause, want) || strings.Contains(cause, "pull_request_target") {
			t.Errorf("%s: %q", want, cause)
		}
	}
}

func TestClient_tokenGoesNowhereElse(t *testing.T) {
	var got []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		fmt.Fprint(w, "[]")
	}))
	defer elsewhere.Close()
	gh := fakegithub.New(t, "")
	gh.Fail = once(1, "GET", fakegithub.Failure{Status: 301, Header: map[string]string{"Location": elsewhere.URL + "/x"}})
	c, _ := testClient(t, gh.URL, nil)
	if _, err := c.Comment(t.Context(), 12, sticky("drift")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []string{""}) {
		t.Errorf("the other host got %q", got)
	}
}

func TestNewClient_needsAnAPIAndARepository(t *testing.T) {
	for _, at := range []Context{{APIURL: "api", Owner: "a", Repo: "b"}, {APIURL: "file:///x", Owner: "a", Repo: "b"}, {APIURL: "https://api.github.com"}} {
		if _, err := NewClient(at, "", ""); err == nil {
			t.Errorf("%+v: no error", at)
		}
	}
}

func TestFind(t *testing.T) {
	pulls := []fakegithub.Pull{
		{Number: 3, HeadSHA: shaC, Base: shaB, Repo: "acme/widgets", HeadRepo: "someone/widgets", Branch: "someone:fix"},
		{Number: 4, HeadSHA: shaA, Base: shaB, Repo: "acme/widgets", HeadRepo: "someone/widgets", Branch: "someone:fix", Login: "someone"},
		{Number: 5, HeadSHA: shaA, Base: shaB, Repo: "acme/widgets", HeadRepo: "eve/widgets", Branch: "eve:fix"},
	}
	run := Event{Name: "workflow_run", HeadSHA: shaA, HeadOwner: "someone", HeadBranch: "fix", BaseRepo: "acme/widgets"}
	found := Event{Name: "workflow_run", PR: 4, HeadSHA: shaA, BaseSHA: shaB, HeadOwner: "someone", HeadBranch: "fix",
		BaseRepo: "acme/widgets", HeadRepo: "someone/widgets", Author: "someone"}
	gone := run
	gone.HeadSHA = shaM
	tests := []struct {
		name   string
		event  Event
		number int
		want   Event
		asked  int
	}{
		{"workflow_run of a fork", run, 0, found, 2},
		{"workflow_run whose head has moved on", gone, 0, gone, 2},
		{"issue_comment", Event{Name: "issue_comment", PR: 3}, 0,
			Event{Name: "issue_comment", PR: 3, HeadSHA: shaC, BaseSHA: shaB, BaseRepo: "acme/widgets", HeadRepo: "someone/widgets"}, 1},
		{"pull_request", Event{Name: "pull_request", PR: 12, HeadSHA: shaA, BaseSHA: shaB}, 0, Event{Name: "pull_request", PR: 12, HeadSHA: shaA, BaseSHA: shaB}, 0},
		{"another number given", Event{Name: "push", HeadSHA: shaM}, 3,
			Event{Name: "push", PR: 3, HeadSHA: shaC, BaseSHA: shaB, BaseRepo: "acme/widgets", HeadRepo: "someone/widgets"}, 1},
		{"schedule", Event{Name: "schedule"}, 0, Event{Name: "schedule"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gh := fakegithub.New(t, "")
			gh.Pulls, gh.PerPage = pulls, 1
			c, _ := testClient(t, gh.URL, func(at *Context) { at.Event = tt.event })
			if err := c.Find(t.Context(), tt.number); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, c.Context().Event); d != "" {
				t.Error(d)
			}
			if len(gh.Requests) != tt.asked {
				t.Errorf("%d requests", len(gh.Requests))
			}
		})
	}
}

func TestBase(t *testing.T) {
	for _, tt := range []struct {
		name, event, sha, want string
		parents                []string
	}{
		{"merge commit", "pull_request", shaM, shaC, []string{shaC, shaA}},
		{"no merge commit", "pull_request", shaM, shaB, []string{shaC}},
		{"commit that cannot be read", "pull_request", shaM, shaB, nil},
		{"privileged: where the branch began", "pull_request_target", shaA, shaC, []string{shaC}},
		{"privileged: unknown", "pull_request_target", shaM, shaB, []string{shaC, shaA}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gh := fakegithub.New(t, "")
			if tt.parents != nil {
				gh.Parents[tt.sha] = tt.parents
			}
			c, _ := testClient(t, gh.URL, func(at *Context) { at.Event.Name = tt.event })
			if got := c.Base(t.Context()); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestFile(t *testing.T) {
	gh := fakegithub.New(t, "")
	large := strings.Repeat("x", 3<<20)
	gh.Files[shaB] = map[string]string{"contractpin.lock": "{}", "a dir/ü.lock": large, "empty": ""}
	c, _ := testClient(t, gh.URL, nil)
	for name, want := range map[string]string{"contractpin.lock": "{}", "a dir/ü.lock": large, "empty": ""} {
		if got, err := c.File(t.Context(), name, shaB); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, err := c.File(t.Context(), "none.lock", shaB); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	// A token without the right to read gets a 404 for everything: that is no proof of absence.
	if _, err := c.File(t.Context(), "contractpin.lock", shaC); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("unreadable: %v", err)
	}
}

func TestFile_olderServerRefusesALargeFile(t *testing.T) {
	gh := fakegithub.New(t, "")
	gh.Files[shaB] = map[string]string{"dir/contractpin.lock": "large"}
	gh.Fail = func(r fakegithub.Request) *fakegithub.Failure {
		switch r.Path {
		case "/repos/acme/widgets/contents/dir/contractpin.lock":
			return &fakegithub.Failure{Status: 403, Body: `{"message":"This API returns blobs up to 1 MB in size.","errors":[{"resource":"Blob","field":"data","code":"too_large"}]}`}
		case "/repos/acme/widgets/contents/dir":
			return &fakegithub.Failure{Status: 200, Body: `[{"type":"dir","name":"x","sha":"0"},{"type":"file","name":"contractpin.lock","sha":"` + fakegithub.BlobName("large") + `"}]`}
		}
		return nil
	}
	c, _ := testClient(t, gh.URL, nil)
	if got, err := c.File(t.Context(), "dir/contractpin.lock", shaB); err != nil || string(got) != "large" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestIssue_opensUpdatesCloses(t *testing.T) {
	gh := fakegithub.New(t, "")
	gh.PerPage = 2
	gh.Issues = []fakegithub.Issue{
		{Number: 1, Login: "mallory", Body: body(1, "x"), State: "open"},
		{Number: 2, Login: fakegithub.Bot, Body: body(1, "x"), State: "open", Pull: true},
		{Number: 3, Login: fakegithub.Bot, Body: body(1, "x"), State: "closed"},
		{Number: 4, Login: fakegithub.Bot, Body: "unrelated", State: "open"},
	}
	c, _ := testClient(t, gh.URL, nil)
	step := func(clear bool, run int64, text string, want Outcome) Posted {
		t.Helper()
		s := sticky(text)
		s.Run.ID = run
		s.Body = func(bool) string { return body(int(run), text) }
		got, err := c.Issue(t.Context(), "Tool contracts drifted", clear, s)
		if err != nil || got.Outcome != want {
			t.Fatalf("run %d: %+v, %v; want %q", run, got, err, want)
		}
		return got
	}
	step(true, 6, "green", Nothing)
	made := step(false, 7, "drift", Created)
	step(false, 8, "drift again", Updated)
	step(false, 7, "drift", Superseded)
	step(false, 8, "drift again", Unchanged)
	if got := step(true, 9, "green", Closed); got.ID != made.ID {
		t.Errorf("closed %d, not %d", got.ID, made.ID)
	}
	step(true, 10, "green", Nothing)
	if n := len(gh.Issues); n != 5 || gh.Issues[4].State != "closed" || gh.Issues[4].Title != "Tool contracts drifted" {
		t.Errorf("%d issues: %+v", n, gh.Issues[n-1])
	}
}

func TestAPI_sleepsNoLongerThanItsPhase(t *testing.T) {
	gh := fakegithub.New(t, "")
	gh.Fail = once(-1, "GET", fakegithub.Failure{Status: 503, Header: map[string]string{"Retry-After": time.Now().Add(2 * time.Minute).UTC().Format(http.TimeFormat)}})
	c, waits := testClient(t, gh.URL, nil)
	if _, err := c.Comment(t.Context(), 12, sticky("x")); err == nil || len(*waits) != 0 {
		t.Errorf("%v, waited %v", err, *waits)
	}
}

package main

import (
	"bytes"
	"strings"
	"testing"
)

const path = "../../../testdata/vectors.json"

func conform(t *testing.T, theirs string, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(append([]string{"-vectors", path}, args...), strings.NewReader(theirs), &out, &errs)
	return code, out.String() + errs.String()
}

func TestRun_ourOwnOutputConforms(t *testing.T) {
	code, ours := conform(t, "", "-print")
	if code != 0 {
		t.Fatal(ours)
	}
	if code, out := conform(t, ours, "-"); code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestRun_namesEveryVectorThatIsNotReproduced(t *testing.T) {
	_, ours := conform(t, "", "-print")
	for name, change := range map[string]struct{ old, new, want string }{
		"canonical": {`"canonical": "[1,10,-3]"`, `"canonical": "[1.0,10,-3]"`, `number-integer-as-decimal (§3.6, 1.0 is 1): canonical is "[1.0,10,-3]", want "[1,10,-3]"`},
		"accepted":  {`"rejected": "trailing-data"`, `"canonical": "{}"`, `reject-trailing-data (§3.8, one value, not two): accepted as "{}", but must be rejected: trailing-data`},
		"missing":   {`"literals": {`, `"litterals": {`, `literals (§3.7, true, false, null): no outcome given`},
	} {
		if strings.Count(ours, change.old) != 1 {
			t.Fatalf("%s: %d times", change.old, strings.Count(ours, change.old))
		}
		code, out := conform(t, strings.Replace(ours, change.old, change.new, 1), "-")
		if code != 1 || !strings.HasPrefix(out, change.want+"\n") || strings.Count(out, "\n") != 2 {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
	}
	digests := strings.ReplaceAll(ours, `"digest": "sha256:`, `"digest": "sha256:f`)
	if code, out := conform(t, digests, "-"); code != 1 || !strings.Contains(out, "digest is ") {
		t.Errorf("exit %d: %.200s", code, out)
	}
	if code, out := conform(t, "{}", "-"); code != 1 || !strings.Contains(out, "\n0 of ") {
		t.Errorf("exit %d: %.200s", code, out)
	}
}

func TestRun_withoutAFileOfOutcomesCannotRun(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"no-such-file.json"}, {"-nonsense"}} {
		if code, out := conform(t, "", args...); code != 2 || out == "" {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
	}
	if code, _ := conform(t, "[]", "-"); code != 2 {
		t.Errorf("exit %d", code)
	}
}

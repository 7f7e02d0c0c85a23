package runner

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// masker hides secrets and the forms in which the runner expects to meet them again.
type masker struct {
	mu     sync.Mutex
	values []string
}

func (m *masker) add(secret string) {
	if strings.TrimSpace(secret) == "" {
		return
	}
	quoted, _ := json.Marshal(secret)
	forms := []string{
		secret,
		string(quoted[1 : len(quoted)-1]),
		strings.ReplaceAll(secret, `"`, `\"`),
		strings.ReplaceAll(secret, "'", "''"),
		strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(secret),
	}
	for shift := range min(3, len(secret)) { // however long the text before it is
		forms = append(forms, base64.StdEncoding.EncodeToString([]byte(secret[shift:])))
	}
	if len(secret) > 8 && strings.HasPrefix(secret, `"`) && strings.HasSuffix(secret, `"`) {
		forms = append(forms, secret[1:len(secret)-1])
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range forms {
		if !slices.Contains(m.values, f) {
			m.values = append(m.values, f)
		}
	}
}

// mask shows *** for every run of text that secrets cover.
func (m *masker) mask(text string) string {
	type span struct{ start, end int }
	var spans []span
	m.mu.Lock()
	for _, v := range m.values {
		for at := 0; ; {
			i := strings.Index(text[at:], v)
			if i < 0 {
				break
			}
			spans = append(spans, span{at + i, at + i + len(v)})
			at += i + 1
		}
	}
	m.mu.Unlock()
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	shown := 0
	for i := 0; i < len(spans); {
		s := spans[i]
		for i++; i < len(spans) && spans[i].start <= s.end; i++ {
			s.end = max(s.end, spans[i].end)
		}
		out.WriteString(text[shown:s.start] + "***")
		shown = s.end
	}
	return out.String() + text[shown:]
}

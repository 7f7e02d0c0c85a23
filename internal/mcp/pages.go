package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contractpin/verify/internal/contract"
)

// codeInvalidParams is how a server refuses a cursor that it does not know.
const codeInvalidParams = -32602

// enumeration is one walk over all pages (SPEC §6.1).
type enumeration struct {
	s       *session
	limits  Limits
	pages   []*contract.Page
	cursors map[string]bool   // asked for so far
	seen    map[[32]byte]bool // pages by their tools
	tools   int
	bytes   int64
	warning string

	digesting time.Duration
}

// enumerate lists from the first page to the end.
func (s *session) enumerate(ctx context.Context, limits Limits) (*contract.Listing, *enumeration, error) {
	e := &enumeration{s: s, limits: limits, cursors: map[string]bool{}, seen: map[[32]byte]bool{}}
	for cursor := (*string)(nil); ; {
		page, last, err := e.fetch(ctx, cursor)
		if err != nil {
			return nil, e, err
		}
		if last {
			break
		}
		if err := e.take(page); err != nil {
			return nil, e, err
		}
		if page.Next == nil {
			break
		}
		if e.cursors[*page.Next] {
			return nil, e, &contract.Malformed{Code: CodeCursor, Message: fmt.Sprintf("the listing does not end: cursor %s repeated", quote(*page.Next))}
		}
		cursor = page.Next
	}
	began := time.Now()
	listing, err := contract.Join(e.pages)
	e.digesting += time.Since(began)
	return listing, e, err
}

// fetch asks for one page. last means that the page before it was the last: an empty cursor that was no cursor at all.
func (e *enumeration) fetch(ctx context.Context, cursor *string) (page *contract.Page, last bool, err error) {
	if cursor != nil {
		e.cursors[*cursor] = true
	}
	empty := cursor != nil && *cursor == ""
	raw, err := e.s.list(ctx, cursor)
	if err != nil {
		if rpc, ok := err.(*rpcError); ok && empty && rpc.code == codeInvalidParams {
			e.warning = `the server sends the cursor "" and refuses to be asked for it (` + rpc.Error() + `): taken as the end of the listing`
			return nil, true, nil
		}
		return nil, false, err
	}
	began := time.Now()
	defer func() { e.digesting += time.Since(began) }()
	if page, err = contract.ParsePage(raw); err != nil {
		return nil, false, err
	}
	key := pageKey(page)
	if empty && e.seen[key] {
		return nil, true, nil
	}
	e.seen[key] = true
	return page, false, nil
}

// take adds a page, within the limits.
func (e *enumeration) take(page *contract.Page) error {
	e.pages = append(e.pages, page)
	e.tools += len(page.Tools)
	e.bytes += int64(page.Bytes)
	switch {
	case len(e.pages) > e.limits.Pages || len(e.pages) == e.limits.Pages && page.Next != nil:
		return &contract.Malformed{Code: CodeTooLarge, Message: fmt.Sprintf("the listing has more than %d pages", e.limits.Pages)}
	case e.tools > e.limits.Tools:
		return &contract.Malformed{Code: CodeTooLarge, Message: tooManyTools(e.limits.Tools)}
	case e.bytes > e.limits.Listing:
		return &contract.Malformed{Code: CodeTooLarge, Message: "the listing is larger than the limit of " + bytesOf(e.limits.Listing)}
	}
	return nil
}

func tooManyTools(most int) string { return fmt.Sprintf("the listing has more than %d tools", most) }

// pageKey stands for the tools of a page, in whatever order: a page replayed from a map of the server's is no new one.
func pageKey(p *contract.Page) [32]byte {
	digests := make([]string, len(p.Tools))
	for i := range p.Tools {
		digests[i] = p.Tools[i].Pin.Digest.String()
	}
	slices.Sort(digests)
	h := sha256.New()
	for _, d := range digests {
		h.Write([]byte(d))
	}
	return [32]byte(h.Sum(nil))
}

// list asks for one page and returns its raw result.
func (s *session) list(ctx context.Context, cursor *string) ([]byte, error) {
	params := &sdk.ListToolsParams{}
	if cursor != nil {
		params.Cursor = *cursor
	}
	s.mu.Lock()
	s.page, s.refusal = nil, nil
	s.emptyCursor = cursor != nil && *cursor == ""
	s.mu.Unlock()
	_, err := s.client.ListTools(ctx, params)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && s.page != nil:
		return s.page, nil
	case err == nil:
		return nil, &contract.Malformed{Code: contract.CodeNotAListing, Message: "tools/list was answered with neither a result nor an error"}
	case s.refusal != nil:
		return nil, s.refusal
	case s.failure != nil:
		return nil, s.failure
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, err
}

package mcp

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// origin is what a pinned URL identifies its server by: scheme, host and port.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// parseURL reads the URL of an http server. shown is how the lock has it, with ${NAME} in place of secrets.
func parseURL(text, shown string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil: // its text may hold the value of a variable
		return nil, &Error{Kind: Unreachable, Code: CodeBadURL, Message: quote(shown) + " is no URL"}
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, &Error{Kind: Unreachable, Code: CodeBadURL, Message: quote(shown) + " is no http or https URL"}
	}
	return u, nil
}

// redirectTarget tells where a response redirects to; nil where it does not. Headers and pinned identity belong to one
// origin, so another one is refused. A 303 asks to read something else, which is no way to answer a call.
func redirectTarget(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, nil
	}
	to, err := from.Parse(location)
	if err != nil {
		return nil, &Error{Kind: Unreachable, Code: CodeRedirect, Message: "redirected to something that is no URL: " + quote(location)}
	}
	if err := sameOrigin(from, to, "redirected"); err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusSeeOther {
		return nil, nil
	}
	return to, nil
}

func sameOrigin(from, to *url.URL, what string) error {
	if (to.Scheme == "http" || to.Scheme == "https") && origin(to) == origin(from) {
		return nil
	}
	return &Error{
		Kind: Unreachable, Code: CodeRedirect,
		Message: fmt.Sprintf("%s to another origin, from %s to %s", what, line(origin(from)), line(origin(to))),
		Hint:    "the pinned URL is the server's identity and headers go nowhere else: pin the other URL if that is the server you trust",
	}
}

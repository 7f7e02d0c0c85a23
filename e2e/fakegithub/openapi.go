package fakegithub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// description is the part of GitHub's OpenAPI description that the routes need, and its examples by name.
type description struct {
	doc      *openapi3.T
	examples map[string]struct{ Value json.RawMessage }
}

// load reads the description once for all servers of a test binary.
var load = sync.OnceValues(func() (*description, error) {
	path, err := describedBy()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var whole struct {
		OpenAPI    string                                `json:"openapi"`
		Info       json.RawMessage                       `json:"info"`
		Paths      map[string]json.RawMessage            `json:"paths"`
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d := &description{}
	part := map[string]any{"openapi": whole.OpenAPI, "info": whole.Info}
	paths := map[string]json.RawMessage{}
	for _, r := range routes {
		if whole.Paths[r.template] == nil {
			return nil, fmt.Errorf("%s has no path %s", path, r.template)
		}
		paths[r.template] = whole.Paths[r.template]
	}
	part["paths"] = paths
	examples, err := json.Marshal(whole.Components["examples"])
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(examples, &d.examples); err != nil {
		return nil, err
	}
	part["components"] = reachable(paths, whole.Components)
	if data, err = json.Marshal(part); err != nil {
		return nil, err
	}
	d.doc, err = openapi3.NewLoader().LoadFromData(data)
	return d, err
})

// describedBy finds the description in node_modules, from this package's folder or the module's.
func describedBy() (string, error) {
	const path = "node_modules/@octokit/openapi/generated/api.github.com.json"
	for _, base := range []string{".", "..", "../.."} {
		p := filepath.Join(base, path)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("e2e/%s is not installed: run `make e2e-tools` first", path)
}

// reachable picks the components that the paths refer to: loading the whole description takes many seconds.
func reachable(paths map[string]json.RawMessage, all map[string]map[string]json.RawMessage) map[string]map[string]json.RawMessage {
	out := map[string]map[string]json.RawMessage{}
	var visit func(raw []byte)
	visit = func(raw []byte) {
		for _, piece := range bytes.Split(raw, []byte(`"#/components/`))[1:] {
			ref, _, _ := bytes.Cut(piece, []byte(`"`))
			kind, name, _ := strings.Cut(string(ref), "/")
			if out[kind] == nil {
				out[kind] = map[string]json.RawMessage{}
			}
			if out[kind][name] == nil {
				out[kind][name] = all[kind][name]
				visit(all[kind][name])
			}
		}
	}
	for _, raw := range paths {
		visit(raw)
	}
	return out
}

// example is a fresh copy of one of the description's examples: the frame of an answer.
func (d *description) example(name string) map[string]any {
	var v any
	if err := json.Unmarshal(d.examples[name].Value, &v); err != nil {
		panic("fakegithub: example " + name + ": " + err.Error())
	}
	if list, ok := v.([]any); ok {
		v = list[0]
	}
	return v.(map[string]any)
}

// check validates a request, and the answer to it, against the operation that the description has for them.
func (d *description) check(r route, req *http.Request, params map[string]string, body []byte) *openapi3filter.RequestValidationInput {
	item := d.doc.Paths.Value(r.template)
	return &openapi3filter.RequestValidationInput{
		Request:    withBody(req, body),
		PathParams: params,
		Route:      &routers.Route{Spec: d.doc, Path: r.template, PathItem: item, Method: r.method, Operation: item.GetOperation(r.method)},
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, MultiError: true,
		},
	}
}

func checkRequest(in *openapi3filter.RequestValidationInput) error {
	return openapi3filter.ValidateRequest(context.Background(), in)
}

func checkAnswer(in *openapi3filter.RequestValidationInput, status int, header http.Header, body []byte) error {
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)), Options: in.Options,
	})
}

func withBody(r *http.Request, body []byte) *http.Request {
	c := r.Clone(context.Background())
	c.Body = io.NopCloser(bytes.NewReader(body))
	return c
}

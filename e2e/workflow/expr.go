package workflow

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rhysd/actionlint"
)

// scope is what expressions can name: contexts by name, and the outcome so far for success() and failure().
type scope struct {
	contexts map[string]any
	failed   bool
}

// text fills in every ${{ … }} of a string.
func (s scope) text(in string) (string, error) {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(in, "${{")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		v, after, err := s.expression(rest)
		if err != nil {
			return "", err
		}
		out.WriteString(asText(v))
		in = after
	}
}

// value is text, but a string that is one expression alone keeps its type.
func (s scope) value(in string) (any, error) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(in), "${{"); ok {
		if v, after, err := s.expression(rest); err != nil || after == "" {
			return v, err
		}
	}
	return s.text(in)
}

// condition decides an if:. Unless it asks for the status itself, it holds only while nothing failed.
func (s scope) condition(in *actionlint.String) (bool, error) {
	if in == nil || strings.TrimSpace(in.Value) == "" {
		return !s.failed, nil
	}
	src := strings.TrimSpace(in.Value)
	if rest, ok := strings.CutPrefix(src, "${{"); ok {
		src = strings.TrimSuffix(rest, "}}")
	}
	node, err := parse(src)
	if err != nil {
		return false, err
	}
	asks := false
	actionlint.VisitExprNode(node, func(n, _ actionlint.ExprNode, _ bool) {
		if call, ok := n.(*actionlint.FuncCallNode); ok {
			switch strings.ToLower(call.Callee) {
			case "always", "success", "failure", "cancelled":
				asks = true
			}
		}
	})
	v, err := s.eval(node)
	return err == nil && truthy(v) && (asks || !s.failed), err
}

// expression evaluates up to the closing }} and gives what follows it.
func (s scope) expression(src string) (v any, after string, err error) {
	expr, after, ok := strings.Cut(src, "}}")
	if !ok {
		return nil, "", fmt.Errorf("expression %q is not closed", src)
	}
	node, err := parse(expr)
	if err != nil {
		return nil, "", err
	}
	v, err = s.eval(node)
	return v, after, err
}

func parse(src string) (actionlint.ExprNode, error) {
	node, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(src + "}}"))
	if err != nil {
		return nil, fmt.Errorf("expression %q: %s", src, err.Message)
	}
	return node, nil
}

func (s scope) eval(n actionlint.ExprNode) (any, error) {
	switch n := n.(type) {
	case *actionlint.NullNode:
		return nil, nil
	case *actionlint.BoolNode:
		return n.Value, nil
	case *actionlint.IntNode:
		return float64(n.Value), nil
	case *actionlint.FloatNode:
		return n.Value, nil
	case *actionlint.StringNode:
		return n.Value, nil
	case *actionlint.VariableNode:
		v, ok := s.contexts[strings.ToLower(n.Name)]
		if !ok {
			return nil, fmt.Errorf("no context %s here", n.Name)
		}
		return v, nil
	case *actionlint.ObjectDerefNode:
		of, err := s.eval(n.Receiver)
		return member(of, n.Property), err
	case *actionlint.IndexAccessNode:
		of, err := s.eval(n.Operand)
		if err != nil {
			return nil, err
		}
		at, err := s.eval(n.Index)
		return member(of, at), err
	case *actionlint.NotOpNode:
		v, err := s.eval(n.Operand)
		return !truthy(v), err
	case *actionlint.LogicalOpNode:
		left, err := s.eval(n.Left)
		if err != nil || truthy(left) == (n.Kind == actionlint.LogicalOpNodeKindOr) {
			return left, err
		}
		return s.eval(n.Right)
	case *actionlint.CompareOpNode:
		return s.compare(n)
	case *actionlint.FuncCallNode:
		return s.call(n)
	}
	return nil, fmt.Errorf("this runner does not know the expression %T", n)
}

// member reads obj.key, obj['key'] or list[i]; what is not there is null.
func member(of, at any) any {
	switch of := of.(type) {
	case map[string]any:
		for k, v := range of {
			if strings.EqualFold(k, asText(at)) {
				return v
			}
		}
	case []any:
		if i := int(number(at)); i >= 0 && i < len(of) {
			return of[i]
		}
	}
	return nil
}

func (s scope) compare(n *actionlint.CompareOpNode) (any, error) {
	l, err := s.eval(n.Left)
	if err != nil {
		return nil, err
	}
	r, err := s.eval(n.Right)
	if err != nil {
		return nil, err
	}
	var order float64
	if a, ok := l.(string); ok {
		if b, ok := r.(string); ok {
			order = float64(strings.Compare(strings.ToLower(a), strings.ToLower(b)))
		} else {
			order = number(l) - number(r)
		}
	} else {
		order = number(l) - number(r)
	}
	switch n.Kind {
	case actionlint.CompareOpNodeKindEq:
		return order == 0, nil
	case actionlint.CompareOpNodeKindNotEq:
		return order != 0, nil
	case actionlint.CompareOpNodeKindLess:
		return order < 0, nil
	case actionlint.CompareOpNodeKindLessEq:
		return order <= 0, nil
	case actionlint.CompareOpNodeKindGreater:
		return order > 0, nil
	default:
		return order >= 0, nil
	}
}

func (s scope) call(n *actionlint.FuncCallNode) (any, error) {
	args := make([]any, len(n.Args))
	for i, a := range n.Args {
		v, err := s.eval(a)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	switch strings.ToLower(n.Callee) {
	case "always":
		return true, nil
	case "success":
		return !s.failed, nil
	case "failure":
		return s.failed, nil
	case "cancelled":
		return false, nil
	case "fromjson":
		var v any
		err := json.Unmarshal([]byte(asText(args[0])), &v)
		return v, err
	case "tojson":
		data, err := json.MarshalIndent(args[0], "", "  ")
		return string(data), err
	case "contains":
		if list, ok := args[0].([]any); ok {
			for _, v := range list {
				if strings.EqualFold(asText(v), asText(args[1])) {
					return true, nil
				}
			}
			return false, nil
		}
		return strings.Contains(strings.ToLower(asText(args[0])), strings.ToLower(asText(args[1]))), nil
	case "startswith":
		return strings.HasPrefix(strings.ToLower(asText(args[0])), strings.ToLower(asText(args[1]))), nil
	case "format":
		out := asText(args[0])
		for i, a := range args[1:] {
			out = strings.ReplaceAll(out, "{"+strconv.Itoa(i)+"}", asText(a))
		}
		return out, nil
	}
	return nil, fmt.Errorf("this runner does not know the function %s", n.Callee)
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && !math.IsNaN(v)
	case string:
		return v != ""
	}
	return true
}

func number(v any) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 1
		}
		return 0
	case float64:
		return v
	case string:
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return f
		}
	}
	return math.NaN()
}

func asText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 15, 64)
	case []any:
		return "Array"
	}
	return "Object"
}

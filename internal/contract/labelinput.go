package contract

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

// spot is where a JSON Pointer leads in a JSON Schema: the keyword that it reaches, and what stands below that keyword.
type spot struct {
	keyword  string // "" at a schema itself
	inside   string // rest of the pointer below the keyword, "" at the keyword
	property bool   // the pointer reaches a schema that a property's name leads to
}

// locate follows a pointer as JSON Schema reads it, so that a property called "required" is not taken for the keyword.
func locate(pointer string) spot {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	if pointer == "" {
		return spot{}
	}
	for i := 0; i < len(tokens); i++ {
		last := i == len(tokens)-1
		switch k := tokens[i]; k {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if last {
				return spot{keyword: k}
			}
			i++
			if i == len(tokens)-1 {
				return spot{property: k == "properties" || k == "patternProperties"}
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if i+1 >= len(tokens)-1 {
				return spot{keyword: k, inside: strings.Join(tokens[i+1:], "/")}
			}
			i++
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties":
			if last {
				return spot{keyword: k}
			}
		default:
			return spot{keyword: k, inside: strings.Join(tokens[i+1:], "/")}
		}
	}
	return spot{}
}

// wider and narrower keywords: a larger number, or another member, accepts more or less.
var (
	upperBounds = []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"}
	lowerBounds = []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"}
	limits      = []string{"pattern", "format", "multipleOf", "uniqueItems", "const", "not", "propertyNames", "contains", "contentEncoding"}
	texts       = []string{"description", "title", "default", "examples", "$comment", "deprecated"}
)

// labelInput labels one detail of an input schema.
func labelInput(found map[string]bool, d Detail) {
	if d.Kind == DetailMoved {
		return
	}
	at := locate(d.Pointer)
	switch {
	case at.keyword == "$schema":
	case slices.Contains(texts, at.keyword):
		found[LabelText] = true
	case at.property: // a property came or went; one that only changed has a longer pointer
		wider(found, d.Kind == DetailAdded, d.Kind == DetailRemoved)
	case at.keyword == "required":
		came := d.Kind == DetailAdded && d.New != "[]"
		if came {
			found[LabelRequired] = true
		}
		wider(found, d.Kind == DetailRemoved, came)
	case slices.Contains([]string{"enum", "anyOf", "oneOf"}, at.keyword):
		member := at.inside != "" // else the whole list came or went
		wider(found, (d.Kind == DetailAdded) == member, (d.Kind == DetailRemoved) == member)
	case at.keyword == "type":
		more, fewer := typesGained(d.Old, d.New)
		wider(found, more || d.Kind == DetailRemoved && at.inside == "", fewer || d.Kind == DetailAdded && at.inside == "")
	case at.keyword == "additionalProperties" || at.keyword == "unevaluatedProperties":
		wider(found, d.Old == "false", d.New == "false")
	case slices.Contains(upperBounds, at.keyword):
		cmp := compareNumbers(d.Old, d.New)
		wider(found, cmp < 0 && d.New != "" || d.New == "", cmp > 0 || d.Old == "")
	case slices.Contains(lowerBounds, at.keyword):
		cmp := compareNumbers(d.Old, d.New)
		wider(found, cmp > 0 || d.New == "", cmp < 0 && d.New != "" || d.Old == "")
	case slices.Contains(limits, at.keyword) && d.Kind != DetailChanged:
		wider(found, d.Kind == DetailRemoved, d.Kind == DetailAdded)
	default:
		found[LabelInput] = true
	}
}

// wider records which way the accepted input moved; neither or both is "changed".
func wider(found map[string]bool, more, fewer bool) {
	switch {
	case more && !fewer:
		found[LabelWidened] = true
	case fewer && !more:
		found[LabelNarrowed] = true
	default:
		found[LabelInput] = true
	}
}

// typesGained compares two values of "type": a name or a list of names.
func typesGained(old, new string) (more, fewer bool) {
	a, b := typeNames(old), typeNames(new)
	for _, t := range b {
		more = more || !slices.Contains(a, t)
	}
	for _, t := range a {
		fewer = fewer || !slices.Contains(b, t)
	}
	return more && len(a) > 0, fewer && len(b) > 0
}

func typeNames(canonical string) []string {
	var one string
	if json.Unmarshal([]byte(canonical), &one) == nil {
		return []string{one}
	}
	var many []string
	_ = json.Unmarshal([]byte(canonical), &many)
	return many
}

// compareNumbers is the sign of a-b, 0 where either is no number.
func compareNumbers(a, b string) int {
	x, ok := new(big.Float).SetString(a)
	y, ok2 := new(big.Float).SetString(b)
	if !ok || !ok2 {
		return 0
	}
	return x.Cmp(y)
}

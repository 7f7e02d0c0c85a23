package contract

import (
	"slices"
	"strings"
)

// Labels, in the order in which a reviewer should meet them.
const (
	LabelHint        = "behaviour hint flipped"
	LabelHidden      = "hidden characters"
	LabelInstruction = "instruction to the model"
	LabelNamesTool   = "names another tool"
	LabelRequired    = "required added"
	LabelWidened     = "input widened"
	LabelNarrowed    = "input narrowed"
	LabelInput       = "input changed"
	LabelOutput      = "output changed"
	LabelText        = "text changed"
	LabelOrder       = "order changed"
	LabelSDK         = "looks like an SDK upgrade"
)

// labels are all of them with the one line that explains each.
var labels = []struct{ name, explanation string }{
	{LabelHint, "a hint about what the tool does to the world now says something else, or no longer says that it is harmless"},
	{LabelHidden, "the new text holds characters that a person cannot see and a model reads"},
	{LabelInstruction, "the new text tells the model what to do beyond using this tool: read it in full"},
	{LabelNamesTool, "the new text names another tool of this server"},
	{LabelRequired, "the model must now fill in something that it did not have to"},
	{LabelWidened, "the tool accepts input that it did not accept: more can be sent to the server"},
	{LabelNarrowed, "the tool no longer accepts some of the input that it accepted"},
	{LabelInput, "the input schema differs in a way that is neither clearly wider nor clearly narrower"},
	{LabelOutput, "what the tool says it returns differs"},
	{LabelText, "a text that the model reads differs"},
	{LabelOrder, "same members, other order: a server that lists them in another order each time cannot be pinned"},
	{LabelSDK, "only additionalProperties, $schema or a hint of false differ, as when a server's SDK was upgraded"},
}

// ExplainLabel returns the one line that explains a label, or "".
func ExplainLabel(name string) string {
	for _, l := range labels {
		if l.name == name {
			return l.explanation
		}
	}
	return ""
}

// LabelRank places a label in the order in which a reviewer should meet them, from 0.
func LabelRank(name string) int {
	return slices.IndexFunc(labels, func(l struct{ name, explanation string }) bool { return l.name == name })
}

// Labels names what a change of a tool does, from its details by field. Of a tool that was added, or whose old form is
// not known, only the text as served is judged. pinned tells the names of the server's tools. A label orders and
// explains; it never hides or decides.
func Labels(tool, kind string, details map[string][]Detail, pinned func(name string) bool) []string {
	found := map[string]bool{}
	quiet := true // nothing but what an SDK upgrade does
	for field, ds := range details {
		for _, d := range ds {
			if kind == Added {
				quiet = false
			} else {
				quiet = labelDetail(found, field, d) && quiet
			}
			if field != FieldName {
				labelText(found, tool, d, pinned)
			}
		}
	}
	told := found[LabelHidden] || found[LabelInstruction] || found[LabelNamesTool] // by a $schema, say
	if quiet && !told && len(details) > 0 {
		clear(found)
		found[LabelSDK] = true
	}
	var out []string
	for _, l := range labels {
		if found[l.name] {
			out = append(out, l.name)
		}
	}
	return out
}

// labelDetail labels one detail by where it stands, and tells whether it is of the kind that an SDK upgrade brings.
func labelDetail(found map[string]bool, field string, d Detail) (quiet bool) {
	if d.Kind == DetailServed || d.Kind == DetailPinned || d.Kind == DetailMore {
		return false
	}
	if d.Kind == DetailMoved {
		found[LabelOrder] = true
	}
	switch field {
	case FieldAnnotations:
		return labelHints(found, d)
	case FieldOutputSchema:
		found[LabelOutput] = true
		return quietKeyword(d)
	case FieldInputSchema:
		labelInput(found, d)
		return quietKeyword(d)
	}
	found[LabelText] = true
	return false
}

// quietKeyword tells the schema keywords that SDKs add and drop by themselves.
func quietKeyword(d Detail) bool {
	at := locate(d.Pointer)
	return at.keyword == "$schema" || at.keyword == "additionalProperties" && at.inside == "" && yesOrNo(d.Old) && yesOrNo(d.New)
}

// yesOrNo tells a schema that accepts everything or nothing, or is absent.
func yesOrNo(json string) bool {
	return json == "" || json == "true" || json == "false" || json == "{}"
}

// hintDefaults are what MCP says of a hint that is absent, and which of the two values promises less harm.
var hintDefaults = map[string]struct{ absent, harmless string }{
	"readOnlyHint":    {"false", "true"},
	"destructiveHint": {"true", "false"},
	"idempotentHint":  {"false", "true"},
	"openWorldHint":   {"true", "false"},
}

func labelHints(found map[string]bool, d Detail) (quiet bool) {
	if d.Pointer == "" { // the annotations as a whole came or went
		quiet = true
		for name, v := range members([]byte(d.Old + d.New)) {
			h := Detail{Pointer: "/" + pointerToken(name), Kind: d.Kind, Old: string(v)}
			if d.Kind == DetailAdded {
				h.Old, h.New = "", string(v)
			}
			quiet = labelHints(found, h) && quiet
		}
		return quiet
	}
	h, isHint := hintDefaults[strings.TrimPrefix(d.Pointer, "/")]
	if !isHint {
		found[LabelText] = true // title and whatever else a server puts there
		return false
	}
	switch {
	case d.Old != "" && d.New != "", // it said one thing and says another
		d.Old == h.harmless && h.absent != h.harmless: // the promise is gone
		found[LabelHint] = true
		return false
	}
	return d.New == "false" || d.Old == "false"
}

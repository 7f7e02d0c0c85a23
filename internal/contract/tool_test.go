package contract

import "testing"

func TestParseTool_fieldsAreSpansOfTheContract(t *testing.T) {
	tool, err := ParseTool([]byte(`{"outputSchema":{"b":1,"a":[2.0]},"name":"n\u0061","vendor":{"z":1},"description":null,
		"annotations":{"x":"\/"},"inputSchema":{"q":{"2":0,"10":0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"annotations":{"x":"/"},"description":null,"inputSchema":{"q":{"10":0,"2":0}},"name":"na","outputSchema":{"a":[2],"b":1}}`; string(tool.Contract) != want {
		t.Errorf("contract is %s", tool.Contract)
	}
	if tool.Name != "na" || tool.Pin.Fields.Len() != 5 {
		t.Errorf("%q, %v", tool.Name, tool.Pin.Fields)
	}
	for field, want := range map[string]string{
		FieldAnnotations:  `{"x":"/"}`,
		FieldDescription:  `null`,
		FieldInputSchema:  `{"q":{"10":0,"2":0}}`,
		FieldName:         `"na"`,
		FieldOutputSchema: `{"a":[2],"b":1}`,
	} {
		if got := tool.Field(field); string(got) != want || tool.Pin.Fields.Get(field) != Sum([]byte(want)) {
			t.Errorf("%s is %s", field, got)
		}
	}
	for _, name := range []string{"", "vendor", "title", "Name"} {
		if got := tool.Field(name); got != nil {
			t.Errorf("%s is %s", name, got)
		}
	}
}

func TestParseTool_absentOptionalFieldsAreNone(t *testing.T) {
	tool, err := ParseTool([]byte(`{"name":"t","annotations":null}`))
	if err != nil {
		t.Fatal(err)
	}
	if tool.Field(FieldAnnotations) != nil || tool.Field(FieldOutputSchema) != nil || tool.Pin.Fields.Len() != 3 {
		t.Errorf("%+v", tool)
	}
}

func TestParseTool_readsItsOwnContractAlike(t *testing.T) {
	const raw = `{"name":"t","annotations":{"b":1,"a":2},"inputSchema":{"type":"object"},"title":"no"}`
	first, err := ParseTool([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseTool(first.Contract)
	if err != nil || again.Pin.Digest != first.Pin.Digest || string(again.Contract) != string(first.Contract) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestParseTool_namesWhatIsWrong(t *testing.T) {
	for raw, want := range map[string]Malformed{
		`{"name":"t"`:     {CodeSyntax, "no valid JSON: byte 11: unexpected end: an open object is not closed"},
		`{"name":"t"} 1`:  {CodeSyntax, "no valid JSON: byte 13: unexpected data after the value"},
		`{"name":null}`:   {CodeNotAListing, "the tool has a name that is null, not a string"},
		`{"names":"t"}`:   {CodeNotAListing, "the tool has no name"},
		`[{"name":"t"}]`:  {CodeNotAListing, "the tool is an array, not an object"},
		`{"name":[true]}`: {CodeNotAListing, "the tool has a name that is an array, not a string"},
	} {
		tool, err := ParseTool([]byte(raw))
		if m, ok := err.(*Malformed); !ok || *m != want || tool != nil {
			t.Errorf("%s: got %v, want %v", raw, err, want)
		}
	}
}

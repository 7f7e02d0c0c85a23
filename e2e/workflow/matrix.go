package workflow

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/rhysd/actionlint"
)

// matrix lists the cells of a job's matrix; a job without one has a single empty cell.
func matrix(strategy *actionlint.Strategy, s scope) ([]map[string]any, error) {
	cells := []map[string]any{{}}
	if strategy == nil || strategy.Matrix == nil {
		return cells, nil
	}
	m := strategy.Matrix
	if m.Expression != nil || m.Exclude != nil || m.Include != nil {
		return nil, errors.New("a matrix with include, exclude or as one expression is not known here")
	}
	for _, name := range slices.Sorted(maps.Keys(m.Rows)) {
		row := m.Rows[name]
		values, err := rowValues(row, s)
		if err != nil {
			return nil, err
		}
		var next []map[string]any
		for _, cell := range cells {
			for _, v := range values {
				c := maps.Clone(cell)
				c[name] = v
				next = append(next, c)
			}
		}
		cells = next
	}
	return cells, nil
}

func rowValues(row *actionlint.MatrixRow, s scope) ([]any, error) {
	if row.Expression != nil {
		v, err := s.value(row.Expression.Value)
		list, ok := v.([]any)
		if err == nil && !ok {
			err = errors.New("matrix row is no list: " + row.Expression.Value)
		}
		return list, err
	}
	var out []any
	for _, v := range row.Values {
		out = append(out, raw(v))
	}
	return out, nil
}

// raw turns YAML into values as expressions know them.
func raw(v actionlint.RawYAMLValue) any {
	switch v := v.(type) {
	case *actionlint.RawYAMLObject:
		out := map[string]any{}
		for k, e := range v.Props {
			out[k] = raw(e)
		}
		return out
	case *actionlint.RawYAMLArray:
		var out []any
		for _, e := range v.Elems {
			out = append(out, raw(e))
		}
		return out
	case *actionlint.RawYAMLString:
		if f, err := strconv.ParseFloat(v.Value, 64); err == nil {
			return f
		}
		if b, err := strconv.ParseBool(v.Value); err == nil {
			return b
		}
		return v.Value
	}
	return nil
}

package policy

import (
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// urlCell writes what is known of a URL, with "…" for what is not.
func (v *inventory) urlCell(c *flow.Call, o operation) Cell {
	if o.library != "" {
		return unknownCell(o.library + " chooses it")
	}
	var url *flow.Value
	s, ok := v.sendOf(c)
	switch {
	case o.sender != nil || !ok:
	case s.url >= 0 && s.url < len(c.Args):
		url = c.Args[s.url]
	case s.request >= 0 && s.request < len(c.Args):
		if r, ok := c.Args[s.request].Obj.(*requestObj); ok {
			url = r.url
		}
	}
	var parts []string
	if url != nil {
		parts = urlPieces(c.World, url, 0)
	} else if len(o.urls) > 0 {
		for _, t := range o.urls {
			parts = append(parts, unknownPart, t)
		}
		parts = append(parts, unknownPart)
	}
	text := joinPieces(parts)
	why := "a part of it is not a constant"
	if o.path {
		why = "the caller gives a part of it"
	}
	switch {
	case text == "" || strings.Trim(text, unknownPart+"/?") == "":
		if o.path {
			return unknownCell("the caller gives it")
		}
		return unknownCell("it is not followed to where it is made")
	case strings.Contains(text, unknownPart):
		return partlyCell(text, why)
	}
	return knownCell(text)
}

func joinPieces(parts []string) string {
	text := strings.Join(parts, "")
	for strings.Contains(text, unknownPart+unknownPart) {
		text = strings.ReplaceAll(text, unknownPart+unknownPart, unknownPart)
	}
	return text
}

// unknownPart stands for what is not known of a URL.
const unknownPart = "…"

// urlPieces takes a text apart into constants, and unknownPart for all else.
func urlPieces(w *flow.World, v *flow.Value, depth int) []string {
	if s, ok := v.Str(); ok {
		return []string{s}
	}
	if n, ok := v.Int(); ok {
		return []string{flow.IntValue(n).C.String()}
	}
	if depth > 8 {
		return []string{unknownPart}
	}
	switch o := v.Obj.(type) {
	case flow.Concat:
		return append(urlPieces(w, o.Left, depth+1), urlPieces(w, o.Right, depth+1)...)
	case *madeOf:
		return o.pieces(w, v, depth+1)
	case flow.Text:
		return []string{string(o)}
	}
	return []string{unknownPart}
}

// pieces takes a text apart by the function that made it.
func (o *madeOf) pieces(w *flow.World, v *flow.Value, depth int) []string {
	if len(o.args) == 0 {
		return []string{unknownPart}
	}
	first := urlPieces(w, o.args[0], depth)
	switch o.by {
	case "fmt.Sprintf":
		if format, ok := o.args[0].Str(); ok {
			return formatPieces(w, format, o.listed, depth)
		}
	case "(*net/url.URL).JoinPath", "net/url.JoinPath", "path.Join":
		if o.by == "path.Join" {
			first = nil
		}
		for _, x := range o.listed {
			if n := len(first); n > 0 && !strings.HasSuffix(first[n-1], "/") {
				first = append(first, "/")
			}
			part := urlPieces(w, x, depth)
			part[0] = strings.TrimPrefix(part[0], "/")
			first = append(first, part...)
		}
		return []string{withoutDoubles(strings.Join(first, ""))}
	case "(*net/url.URL).String":
		for i := range maxURLFields {
			if w.Get(flow.FieldAddr(o.args[0].Sym, i)) != nil {
				return append(first, unknownPart) // changed since it was parsed
			}
		}
		return first
	case "net/url.Parse":
		return first
	case "strings.TrimRight", "strings.TrimSuffix":
		if _, whole := o.args[0].Str(); !whole {
			return first
		}
	}
	return []string{unknownPart}
}

// withoutDoubles leaves one slash where several meet, as path.Join and JoinPath do, but
// for those that follow a scheme.
func withoutDoubles(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		scheme, rest = "", text
	}
	for strings.Contains(rest, "//") {
		rest = strings.ReplaceAll(rest, "//", "/")
	}
	if ok {
		return scheme + "://" + rest
	}
	return rest
}

// formatPieces fills in a format's verbs.
func formatPieces(w *flow.World, format string, args []*flow.Value, depth int) []string {
	var out []string
	for format != "" {
		i := strings.IndexByte(format, '%')
		if i < 0 || i+1 >= len(format) {
			return append(out, format)
		}
		out = append(out, format[:i])
		verb := i + 1
		for verb < len(format) && strings.IndexByte("+-# 0123456789.", format[verb]) >= 0 {
			verb++
		}
		if verb == len(format) || format[verb] == '[' || format[verb] == '*' {
			return append(out, unknownPart)
		}
		switch {
		case format[verb] == '%':
			out = append(out, "%")
		case len(args) > 0 && verb == i+1 && strings.IndexByte("sdv", format[verb]) >= 0:
			out = append(out, urlPieces(w, args[0], depth)...)
			args = args[1:]
		default:
			out = append(out, unknownPart)
			args = args[min(1, len(args)):]
		}
		format = format[verb+1:]
	}
	return out
}

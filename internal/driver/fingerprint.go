package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"strconv"
	"strings"
)

// fingerprint names each finding by what it is about instead of where it
// stands: the rule, the package, the function, and the tokens of the reported
// code. Moved lines, comments and gofmt leave it as it is. The message is not
// part of it, since a count in it may change without the mistake being another.
// Equal findings are told apart by their order, so findings must be sorted, and
// suppressed ones among them.
func fingerprint(findings []finding) {
	sources := map[string]*source{}
	seen := map[string]int{}
	for i := range findings {
		f := &findings[i]
		src, ok := sources[f.at.file]
		if !ok {
			src = readSource(f.at.file)
			sources[f.at.file] = src
		}
		base := strings.Join([]string{f.rule, f.pkg, src.function(f.at), src.tokens(f.at, f.end)}, "\x00")
		ordinal := seen[base]
		seen[base]++
		sum := sha256.Sum256([]byte(base + "\x00" + strconv.Itoa(ordinal)))
		f.fingerprint = hex.EncodeToString(sum[:16])
	}
}

// source is a file that findings point into. All of its methods work on a file
// that could not be read or parsed: they know nothing then.
type source struct {
	text []byte
	file *token.File
	ast  *ast.File
}

// readSource reads a file.
func readSource(name string) *source {
	text, err := os.ReadFile(name)
	if err != nil {
		return &source{}
	}
	fset := token.NewFileSet()
	// What was understood before an error is as good as can be had, and a nil
	// file is none.
	parsed, _ := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if parsed == nil {
		return &source{}
	}
	// The line table of the text as it is, whatever //line directives it holds:
	// they were applied to the finding already.
	return &source{text: text, file: fset.File(parsed.FileStart), ast: parsed}
}

// offset converts a place to an offset in the text, which it may not exceed.
func (s *source) offset(p place) int {
	if s.file == nil || p.line < 1 || p.line > s.file.LineCount() {
		return len(s.text)
	}
	return min(s.file.Offset(s.file.LineStart(p.line))+max(p.column-1, 0), len(s.text))
}

// function names the top-level declaration around a place: "Pay",
// "(*Client).Pay", "var handlers"; empty outside of any.
func (s *source) function(p place) string {
	if s.ast == nil {
		return ""
	}
	pos := s.file.Pos(s.offset(p))
	for _, decl := range s.ast.Decls {
		if pos < decl.Pos() || decl.End() <= pos {
			continue
		}
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || len(d.Recv.List) == 0 {
				return d.Name.Name
			}
			return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if ok && v.Pos() <= pos && pos < v.End() {
					return d.Tok.String() + " " + v.Names[0].Name
				}
			}
		}
	}
	return ""
}

// receiver renders a receiver's type without its type parameters, whose names
// are free.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return "(*" + receiver(t.X) + ")"
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return fmt.Sprintf("%T", t)
}

// tokens renders the code between two places as its tokens. Without a range,
// it is the rest of the line.
func (s *source) tokens(from, to place) string {
	start, end := s.offset(from), s.offset(to)
	if end <= start {
		end = start
		for end < len(s.text) && s.text[end] != '\n' {
			end++
		}
	}
	if start >= end {
		return ""
	}
	text := s.text[start:end]
	var scan scanner.Scanner
	// Part of a file is seldom a valid text by itself: errors are expected.
	scan.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	var out []string
	for {
		_, tok, lit := scan.Scan()
		switch {
		case tok == token.EOF:
			return strings.Join(out, " ")
		case tok == token.SEMICOLON && lit != ";":
			continue // the end of a line
		case tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK:
			// Breaking a list into lines adds a comma at its end.
			if n := len(out); n > 0 && out[n-1] == "," {
				out = out[:n-1]
			}
		}
		if tok.IsLiteral() {
			out = append(out, lit)
		} else {
			out = append(out, tok.String())
		}
	}
}

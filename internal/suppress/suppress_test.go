package suppress_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/suppress"
)

// TestScope parses a file in which each line that a directive covers, for the
// rule retrynokey, ends in a block comment with the directive's number.
func TestScope(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"lint:ignore above a statement": `package p
func f() {
	//lint:ignore retrynokey why /*1*/
	g(  /*1*/
		1)
	g(2)
}
func g(int) {}
`,
		"lint:ignore at the end of a statement": `package p
func f() {
	g(1) //lint:ignore retrynokey why /*1*/
	g(2)
}
func g(int) {}
`,
		"lint:ignore before a block": `package p
func f() {
	//lint:ignore retrynokey why /*1*/
	for { /*1*/
		g(2)
	}
}
func g(int) {}
`,
		"lint:ignore with a list and a pattern": `package p
//lint:ignore SA1000,retry* why /*1*/
var a = 1 /*1*/
//lint:ignore SA* why
var b = 1
//lint:ignore resiliencevet why /*3*/
var c = 1 /*3*/
`,
		"lint:file-ignore": `package p /*1*/
//lint:file-ignore retrynokey why /*1*/
var a = 1 /*1*/
`,
		"nolint on the line": `package p
func f() {
	for { //nolint // why /*1*/
		g()
	}
	g() // nolint:retrynokey // why /*2*/
	g() //nolint:errcheck , RetryNoKey // why /*3*/
	g() //nolint:errcheck // retrynokey
	g() //nolint:all /*5*/
	g() //nolintlint
	g() /*nolint*/
}
func g() {}
`,
		"nolint above a node": `package p
// F does it. /*-*/
//nolint:resiliencevet // why /*-*/
func f() { /*1*/
	g() /*1*/
} /*1*/
func h() {
	//nolint /*2*/
	if true { /*2*/
		g() /*2*/
	} else { /*2*/
		g() /*2*/
	} /*2*/
		//nolint:retrynokey // in another column /*3*/
	g()

	//nolint:retrynokey // an empty line follows /*4*/

	g()
}
func g() {}
`,
		"nolint above the package": `//nolint:retrynokey // why /*1*/
package p /*1*/
func f() { /*1*/
} /*1*/
`,
		"own directives suppress nothing": `package p
//resiliencevet:idempotent why
func f() {}
`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			set := suppress.New(fset, []*ast.File{f})
			file := fset.File(f.Pos())
			for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				if strings.Contains(line, "/*-*/") {
					continue // the comment group as a whole is covered, which means nothing
				}
				var got []string
				for _, d := range set.Matching(fset, "retrynokey", file.LineStart(i+1)) {
					got = append(got, fmt.Sprintf("/*%d*/", 1+slices.Index(set.All(), d)))
				}
				want := ""
				if at := strings.LastIndex(line, "/*"); at >= 0 && !strings.Contains(line, "nolint*/") {
					want = line[at:]
				}
				if strings.Join(got, " ") != want {
					t.Errorf("line %d: suppressed by %q, want %q\n%s", i+1, got, want, line)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	text := `package p
//lint:ignore a,B  why  not
var a = 1
//lint:ignore
var b = 1
//lint:file-ignore a
//nolint:a, b // why // want "x"
var c = 1
// nolint
var d = 1
//resiliencevet:idempotent why
var e = 1
//lint:ignored a b
//nolinter
// lint:ignore a b
//resiliencevet idempotent
var f = 1
//lint:ignore a // want "x"
var g = 1
`
	want := []string{
		`0 "//lint:ignore" [a b] "why  not" ""`,
		`0 "//lint:ignore" [] "" ""`,
		`1 "//lint:file-ignore" [a] "" ""`,
		`2 "//nolint" [a b] "why" ""`,
		`2 "//nolint" [] "" ""`,
		`3 "//resiliencevet:idempotent" [] "why" "idempotent"`,
		`0 "//lint:ignore" [a] "" ""`,
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range suppress.New(fset, []*ast.File{f}).All() {
		got = append(got, fmt.Sprintf("%d %q %v %q %q", d.Kind, d.Text, d.Names, d.Reason, d.Verb))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestOtherFile makes sure that a line number of one file says nothing of
// another, even under //line directives that confuse the two.
func TestOtherFile(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{
		"a.go": "package p\n//nolint\nvar a = 1\n",
		"b.go": "package p\n//line a.go:2\nvar b = 1\nvar c = 1\n",
	} {
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	set := suppress.New(fset, files)
	for _, f := range files {
		for _, d := range f.Decls {
			got := len(set.Matching(fset, "retrynokey", d.Pos())) > 0
			if want := d.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Names[0].Name == "a"; got != want {
				t.Errorf("%s: suppressed is %v", fset.PositionFor(d.Pos(), false), got)
			}
		}
	}
}

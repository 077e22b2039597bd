// Package rewrite changes Go packages without changing what they do, and checks
// that the linter finds the same in them afterwards. It is a tool for tests.
//
// Whoever writes a retry chooses names, splits functions, and moves code as they
// like. A verdict that depends on such a choice is wrong for one of the two
// forms. The test data of the rules shows a few forms of each mistake; the
// rewrites make more of them by machine.
//
// # How a rewrite works
//
// A [Rewrite] reads a package with its types and writes edits into a [Draft].
// Edits replace ranges of the old text by new words and by other ranges of the
// old text, in which further edits may lie. Text that is only moved is therefore
// known as such: from every place of the result, [Output.Origin] leads back to the
// old one. That is how findings are compared, and no mark has to be left in the
// code, where it could change what the linter sees.
//
// Edits that belong together are one change. [Apply] type-checks the result. A
// change that does not compile is taken back and counted, so that code of a
// shape nobody thought of costs coverage and not the test.
//
// # What a rewrite must not do
//
// The order of calls and the values that they see stay, as far as the language
// promises them (in an expression, it leaves the order of a variable's read and
// a call open). testdata/trace is a program that prints what it does in which
// order; a test runs it before and after each rewrite.
//
// What comments tell the linter about a line or a function stays true:
// statements with such a comment are not taken apart.
//
// The class of a function's name stays, see [Rename], since the linter listens
// to names that say "this reads".
//
// # When the test fails
//
//	go test ./internal/rewrite -run TestStability -v -keep
//
// lists, for each package whose verdict changed, what was lost and what is new,
// and leaves the packages in a folder; -only names the rewrites, and -all leaves
// out nothing to save time. Then
//
//	go test ./internal/rewrite -run TestEach -v -each testdata/retrynokey/keys:wrap
//
// makes each change of that rewrite alone, and names those that make the
// difference. What cannot be mended now goes into testdata/known.txt: the package,
// the rewrite, and why. With -update, TestRewrites writes testdata/*.txtar anew.
package rewrite

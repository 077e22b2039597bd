package shop

//lint:ignore callrule the reason
func callrule1() {}

//nolint:callrule // the reason
func callrule2() {}

//nolint:resiliencevet // the reason
func callrule3() {}

//lint:ignore callrule // want `^//lint:ignore of callrule gives no reason: say why the code is right$`
func callrule4() {}

//nolint:errcheck,callrule // // want `^//nolint of callrule gives no reason: say why the code is right$`
func callrule5() {}

// Unused ones: a name, the other name of a list, the suite.

//lint:ignore callrule the reason // want `^//lint:ignore of callrule suppresses nothing: remove it$`
var a = 1

//lint:ignore bodyrule,callrule the reason // want `^//lint:ignore of bodyrule suppresses nothing: remove it$`
func callrule6() {}

//nolint:resiliencevet // the reason // want `^//nolint of resiliencevet suppresses nothing: remove it$`
var b = 1

// A rule that does not run has no say.

//lint:ignore idlerule the reason
var c = 1

// Misspelt ones.

//lint:ignore callrulle the reason // want `^unknown rule "callrulle" in //lint:ignore: did you mean callrule\?$`
var d = 1

//lint:ignore callrule,nosuchthing the reason // want `^unknown rule "nosuchthing" in //lint:ignore$`
func callrule7() {}

//lint:ignore callrule,SA1000,S1*,U1000,ST1005 the reason
func callrule8() {}

//lint:file-ignore callrulle the reason // want `unknown rule "callrulle" in //lint:file-ignore: did you mean callrule\?`

// Nobody's business.

// nolint
var e = 1

//nolint:all
var f = 1

//nolint:callrulle
var g = 1

//lint:ignore nosuchthing the reason
var h = 1

//lint:ignore *
var i = 1

// Our own directives.

//resiliencevet:idempotent the reason
func ok() {}

//resiliencevet:idempotent // want `^//resiliencevet:idempotent gives no reason: say what makes it true$`
func noReason() {}

//resiliencevet:idempotant the reason // want `^unknown directive //resiliencevet:idempotant: did you mean //resiliencevet:idempotent\?$`
func misspelt() {}

//resiliencevet:off the reason // want `^unknown directive //resiliencevet:off: known is //resiliencevet:idempotent$`
func unknown() {}

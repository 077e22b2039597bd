package partly

//nolint:resiliencevet // bodyrule does not run this time
var a = 1

//nolint:bodyrule // nor does it here
var b = 1

//nolint:callrule // the reason // want `^//nolint of callrule suppresses nothing: remove it$`
var c = 1

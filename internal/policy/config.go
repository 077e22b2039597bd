package policy

// Config is what a user can choose about the model and the rules.
// The zero value is the default configuration.
// A Config is read while analyzers run and must not change after that.
type Config struct {
	// Strict also reports what the model could not decide: findings that
	// rest on something unknown. Each of them says what is unknown.
	Strict bool

	// UnsafeMethods makes PUT and DELETE count as unsafe to repeat, like POST
	// and PATCH. RFC 9110 §9.2.2 calls PUT and DELETE idempotent, but many
	// servers do not implement them so.
	UnsafeMethods bool

	// Inventory also takes stock of calls that are sent once only, for Model.Calls.
	Inventory bool

	// FactsOnly says that nobody reads verdicts: only what importers need is
	// made.
	FactsOnly bool
}

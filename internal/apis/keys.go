package apis

// keys are the generators of what is used as an idempotency key: new for each
// call, so that one inside an attempt is another for the next. Names that are made
// of what they name (UUIDs of versions 3 and 5) are not among them.
func keys() []Library {
	generators := func(name, module, read string, names ...string) Library {
		return Library{Name: name, Module: module, Read: read, Symbols: in("", symbols(Generator, "", names...))}
	}
	return []Library{
		generators("uuid", "github.com/google/uuid", "v1.6.0",
			"New", "NewString", "NewRandom", "NewUUID", "NewV6", "NewV7", "NewRandomFromReader", "NewV7FromReader"),
		generators("uuid", "github.com/gofrs/uuid/v5", "v5.5.1", "NewV1", "NewV4", "NewV6", "NewV7"),
		generators("ulid", "github.com/oklog/ulid/v2", "v2.1.2", "Make", "New", "MustNew", "MustNewDefault"),
		generators("xid", "github.com/rs/xid", "v1.6.0", "New"),
		generators("ksuid", "github.com/segmentio/ksuid", "v1.0.4", "New", "NewRandom"),
	}
}

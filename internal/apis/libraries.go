package apis

import (
	"cmp"
	"slices"

	"golang.org/x/mod/semver"
)

// Libraries returns all that is known, sorted by module and version. The caller
// may change it: it is made anew for each call.
func Libraries() []Library {
	var all []Library
	for _, of := range []func() []Library{
		anthropic, aws, azcore, cohere, elastic, genai, googleapi, gogithub, goopenai,
		langchain, ollama, openai, storage, stripe,
	} {
		for _, l := range of() {
			l.API = true
			all = append(all, l)
		}
	}
	for _, of := range []func() []Library{
		avast, backoff, eapache, eventsource, failsafe, gax, gobreaker, gosse, heimdall,
		hedgedhttp, keys, kubernetes, r3labs, rehttp, resty, retryablehttp, sethvargo,
	} {
		all = append(all, of()...)
	}
	slices.SortFunc(all, func(a, b Library) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), semver.Compare(a.Since, b.Since))
	})
	return all
}

// The functions below make the rows of the tables: a Symbol that is written out
// would have to say None twice in nearly every row, and a forgotten one would
// mean the first argument.

// symbols are names with one role and no argument that matters.
func symbols(role Role, policy string, names ...string) []Symbol {
	return at(role, policy, None, names...)
}

// at are names with one role, which is about their argument arg.
func at(role Role, policy string, arg int, names ...string) []Symbol {
	rows := make([]Symbol, 0, len(names))
	for _, name := range names {
		rows = append(rows, Symbol{Name: name, Role: role, Policy: policy, Arg: arg, Context: None})
	}
	return rows
}

// retries are functions that call their argument closure again.
func retries(policy string, closure, context int, names ...string) []Symbol {
	return hearing(context, at(RetryFunc, policy, closure, names...))
}

// calls are requests whose context is the first argument.
func calls(role Role, policy string, names ...string) []Symbol {
	return hearing(0, symbols(role, policy, names...))
}

// count are the names that set a number of attempts with their argument arg.
func count(policy string, arg int, c Count, names ...string) []Symbol {
	rows := at(Attempts, policy, arg, names...)
	for i := range rows {
		rows[i].Count = c
	}
	return rows
}

// elapsed are the names that set the time after which no attempt begins.
func elapsed(policy string, arg int, zero Meaning, names ...string) []Symbol {
	rows := at(Elapsed, policy, arg, names...)
	for i := range rows {
		rows[i].Count.Zero = zero
	}
	return rows
}

// timeout are the names that bound what c says, with their argument arg.
func timeout(policy string, c Covers, arg int, names ...string) []Symbol {
	rows := at(Timeout, policy, arg, names...)
	for i := range rows {
		rows[i].Covers = c
	}
	return rows
}

// taking gives rows with a star the type of the options they are known by.
func taking(takes string, rows []Symbol) []Symbol {
	for i := range rows {
		rows[i].Takes = takes
	}
	return rows
}

// hearing gives rows the argument that carries the context.
func hearing(context int, rows []Symbol) []Symbol {
	for i := range rows {
		rows[i].Context = context
	}
	return rows
}

// in joins rows of the package pkg.
func in(pkg string, groups ...[]Symbol) []Symbol {
	rows := slices.Concat(groups...)
	for i := range rows {
		rows[i].Package = pkg
	}
	return rows
}

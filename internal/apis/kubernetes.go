package apis

import (
	"slices"
	"time"
)

// kubernetes is client-go and the helpers beneath it.
func kubernetes() []Library {
	return []Library{kubernetesWait(), kubernetesClient()}
}

// kubernetesWait repeats a condition until it holds: an error of its ends the
// wait, so what is asked again is what succeeded and is not yet so.
func kubernetesWait() Library {
	return Library{
		Name: "apimachinery", Module: "k8s.io/apimachinery", Since: "v0.20.1", Read: "v0.37.2",
		Policies: []Policy{
			{Name: "deaf backoff", After: Success, Context: Deaf, Source: "pkg/util/wait/backoff.go:ExponentialBackoff"},
			{Name: "backoff", After: Success, Context: Hears, Source: "pkg/util/wait/backoff.go:ExponentialBackoffWithContext"},
			{Name: "poll", Attempts: Unlimited, After: Success, Factor: 1, Context: Hears, Source: "pkg/util/wait/poll.go:poll"},
			{Name: "deaf poll", Attempts: Unlimited, After: Success, Factor: 1, Context: Deaf, Source: "pkg/util/wait/poll.go:poll"},
		},
		Symbols: in("pkg/util/wait",
			retries("deaf backoff", 1, None, "ExponentialBackoff"),
			retries("backoff", 2, 0, "ExponentialBackoffWithContext"),
			at(WithPolicy, "deaf backoff", 0, "ExponentialBackoff"),
			at(WithPolicy, "backoff", 1, "ExponentialBackoffWithContext"),
			symbols(NewPolicy, "deaf backoff", "Backoff"),
			count("deaf backoff", None, Count{}, "Backoff.Steps"),
			retries("poll", 3, 0, "PollUntilContextCancel", "PollWithContext", "PollImmediateWithContext"),
			retries("poll", 4, 0, "PollUntilContextTimeout"),
			retries("poll", 2, 0, "PollUntilWithContext", "PollInfiniteWithContext",
				"PollImmediateUntilWithContext", "PollImmediateInfiniteWithContext"),
			elapsed("poll", 2, AsCounted, "PollUntilContextTimeout"),
			retries("deaf poll", 2, None, "Poll", "PollImmediate"),
			retries("deaf poll", 1, None, "PollInfinite", "PollImmediateInfinite", "PollUntil", "PollImmediateUntil"),
		),
	}
}

// kubernetesClient has the two helpers that nearly all controllers use, and the
// REST client, which sends any verb again when the server asks for it.
func kubernetesClient() Library {
	conflict := Policy{Name: "conflict", After: Conflict, Context: Deaf, Source: "util/retry/util.go:RetryOnConflict"}
	return Library{
		Name: "client-go", Module: "k8s.io/client-go", Since: "v0.20.1", Read: "v0.37.2",
		Policies: []Policy{
			conflict,
			{Name: "error", After: Every, Context: Deaf, Source: "util/retry/util.go:OnError"},
			{
				Name: "DefaultRetry", Attempts: 5, Wait: 10 * time.Millisecond, Factor: 1, Jitter: true,
				Context: Deaf, Source: "util/retry/util.go:OnError",
			},
			{
				Name: "DefaultBackoff", Attempts: 4, Wait: 10 * time.Millisecond, Factor: 5, Jitter: true,
				Context: Deaf, Source: "util/retry/util.go:OnError",
			},
			{
				// 429 and 5xx with a whole number of seconds in the header; a lost
				// connection for a GET only. With a reader as its body it is sent once.
				Name: "rest", Attempts: 11, After: Asked, RetryAfter: Seconds,
				Context: Hears, Body: Rewound, Source: "rest/with_retry.go:IsNextRetry",
			},
		},
		Symbols: slices.Concat(
			in("util/retry",
				retries("conflict", 1, None, "RetryOnConflict"),
				at(WithPolicy, "conflict", 0, "RetryOnConflict"),
				retries("error", 2, None, "OnError"),
				at(WithPolicy, "error", 0, "OnError"),
				at(Condition, "error", 1, "OnError"),
				symbols(NewPolicy, "DefaultRetry", "DefaultRetry"),
				symbols(NewPolicy, "DefaultBackoff", "DefaultBackoff"),
			),
			in("rest",
				calls(Call, "rest", "Request.Do", "Request.DoRaw", "Request.Stream", "Request.Watch"),
				count("rest", 0, Count{Plus: 1, Zero: Off, Negative: Off}, "Request.MaxRetries"),
				timeout("", EachAttempt, None, "Config.Timeout"),
			),
		),
	}
}

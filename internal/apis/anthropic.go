package apis

import "time"

// anthropic is the official SDK, made by the same generator as openai's.
func anthropic() []Library {
	completions := []Symbol{}
	completions = append(completions, calls(ModelCall, "request", "CompletionService.New")...)
	completions = append(completions, calls(ModelStream, "request", "CompletionService.NewStreaming")...)
	const all = NoAnswer | RequestTimeout | Conflict | TooManyRequests | ServerError | Unavailable | OtherServerErrors
	return []Library{
		anthropicSince("", "", "v1.26.1", "v1.26.0", Deaf, all, completions),
		anthropicSince("", "v1.27.0", "v1.75.1", "v1.75.0", Hears, all, completions),
		anthropicSince("", "v1.76.0", "", "v1.84.0", Hears, all|Garbled, completions),
		anthropicSince("/v2", "", "v2.6.1", "v2.6.0", Hears, all|Garbled, nil),
		anthropicSince("/v2", "v2.7.0", "", "v2.15.0", Hears, all|Garbled, anthropicCareful()),
	}
}

// anthropicSince is what all versions have in common. An attempt that
// WithRequestTimeout ends is tried again, so it bounds nothing but attempts.
func anthropicSince(major, since, before, read string, heard Heard, after Failure, own []Symbol) Library {
	policies := []Policy{{
		Name: "request", Attempts: 3, After: after,
		Wait: 500 * time.Millisecond, Longest: 8 * time.Second, Factor: 2, Jitter: true,
		RetryAfter: Seconds | Date | Milliseconds,
		Context:    heard, Body: Rewound,
		Source: "internal/requestconfig/requestconfig.go:Execute",
	}}
	if major == "/v2" && since != "" {
		careful := policies[0]
		careful.Name = "careful"
		// And where no connection was made at all.
		careful.After = TooManyRequests
		careful.Source = "internal/requestconfig/requestconfig.go:safeToResend"
		policies = append(policies, careful)
	}
	rows := in("",
		taking("internal/requestconfig.RequestOption", calls(Call, "request", "*.*")),
		limited(10*time.Minute, calls(ModelCall, "request", "MessageService.New", "BetaMessageService.New")),
		calls(ModelStream, "request", "MessageService.NewStreaming", "BetaMessageService.NewStreaming"),
		symbols(NewClient, "request", "NewClient"),
		own,
	)
	return Library{
		Name: "anthropic-sdk-go", Module: "github.com/anthropics/anthropic-sdk-go" + major,
		Since: since, Before: before, Read: read,
		Policies: policies,
		Symbols:  append(rows, stainless("request")...),
	}
}

// limited are calls that end their attempts of themselves (message.go:
// CalculateNonStreamingTimeout; an answer that may take longer is refused).
func limited(by time.Duration, rows []Symbol) []Symbol {
	for i := range rows {
		rows[i].Limit = by
	}
	return rows
}

// anthropicCareful are the calls of v2 that make something, which are sent again
// only when the API cannot have carried them out.
func anthropicCareful() []Symbol {
	return calls(Call, "careful",
		"BetaAgentService.New", "BetaDeploymentService.New", "BetaEnvironmentService.New",
		"BetaMemoryStoreService.New", "BetaMemoryStoreMemoryService.New", "BetaMessageBatchService.New",
		"BetaOrganizationExternalKeyService.New", "BetaOrganizationFederationIssuerService.New",
		"BetaOrganizationFederationRuleService.New", "BetaOrganizationRBACGroupService.New",
		"BetaOrganizationServiceAccountService.New", "BetaOrganizationTelemetryDestinationService.New",
		"BetaOrganizationWorkspaceService.New", "BetaSkillService.New", "BetaSkillVersionService.New",
		"BetaVaultService.New", "BetaVaultCredentialService.New", "MessageBatchService.New",
		"OrganizationExternalKeyService.New", "OrganizationFederationIssuerService.New",
		"OrganizationFederationRuleService.New", "OrganizationRBACGroupService.New",
		"OrganizationServiceAccountService.New", "OrganizationWorkspaceService.New",
		"SkillService.New", "SkillVersionService.New")
}

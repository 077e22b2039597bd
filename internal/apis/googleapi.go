package apis

// googleapi are the options of Google's clients.
func googleapi() []Library {
	return []Library{{
		Name: "google-api-go-client", Module: "google.golang.org/api", Read: "v0.309.0",
		Symbols: in("option", at(Beneath, "", 0, "WithHTTPClient")),
	}}
}

package apis

// goopenai is sashabaranov's.
func goopenai() []Library {
	return []Library{{
		Name: "go-openai", Module: "github.com/sashabaranov/go-openai", Read: "v1.43.0",
		Policies: []Policy{{Name: "once", Attempts: 1, Context: Hears, Source: "client.go:sendRequest"}},
		Symbols: in("",
			symbols(NewClient, "once", "NewClient", "NewClientWithConfig", "NewOrgClient"),
			symbols(Beneath, "once", "ClientConfig.HTTPClient"),
			calls(ModelCall, "once", "Client.CreateChatCompletion", "Client.CreateCompletion", "Client.CreateResponse"),
			calls(ModelStream, "once", "Client.CreateChatCompletionStream", "Client.CreateCompletionStream",
				"Client.CreateResponseStream"),
			calls(Call, "once", "Client.CreateEmbeddings", "Client.CreateImage", "Client.CreateEditImage",
				"Client.CreateVariImage", "Client.CreateTranscription", "Client.CreateTranslation", "Client.CreateSpeech",
				"Client.Moderations", "Client.CreateThread", "Client.CreateRun", "Client.CreateThreadAndRun",
				"Client.CreateMessage", "Client.CreateFile", "Client.CreateFileBytes", "Client.CreateBatch",
				"Client.CreateAssistant", "Client.CreateFineTuningJob", "Client.CreateVectorStore",
				"Client.ListModels", "Client.GetModel", "Client.RetrieveRun"),
			symbols(Stream, "", "streamReader.Recv", "streamReader.RecvRaw"),
		),
	}}
}

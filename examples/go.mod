module github.com/resiliencevet/resiliencevet/examples

go 1.26

module stealbench/goroutines

go 1.17

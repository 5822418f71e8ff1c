// The constant server in net/http, compared with the portal: the same answer to all requests.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
)

func main() {
	body, err := os.ReadFile("body")
	if err != nil {
		log.Fatal(err)
	}
	lines, err := os.ReadFile("headers")
	if err != nil {
		log.Fatal(err)
	}
	headers := http.Header{}
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		headers[name] = append(headers[name], value)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		to := response.Header()
		for name, values := range headers {
			to[name] = values
		}
		_, _ = response.Write(body)
	})))
}

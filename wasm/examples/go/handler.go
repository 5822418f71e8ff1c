package main

import (
	"io"
	"net"
	"net/http"
)

const pieceSize = 64 * 1024

// Handler is the portal as any mux of net/http takes it.
type Handler struct{ Portal *Portal }

func (handler Handler) ServeHTTP(response http.ResponseWriter, received *http.Request) {
	// The answer does not wait for a body that nobody wants.
	_ = http.NewResponseController(response).EnableFullDuplex()
	request, err := handler.Portal.Begin(flags(received), received.Method, received.RequestURI, headers(received))
	if err != nil {
		http.Error(response, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer request.End()
	bytes := make([]byte, pieceSize)
	for request.State == wantsBody {
		n, err := received.Body.Read(bytes)
		switch {
		case n > 0:
			request.GiveBody(bytes[:n])
		case err == io.EOF:
			request.GiveBody(nil)
		case err != nil:
			request.LoseBody()
		}
	}
	sendHead(request, response)
	// Each piece is sent when the module shows it, and the next one is asked for when it has gone.
	for request.Next(); request.State == piece; request.Next() {
		if _, err := response.Write(request.Data); err != nil {
			return
		}
	}
	if request.State != end {
		panic(http.ErrAbortHandler) // the client sees that the body was cut off
	}
}

func sendHead(request *Request, response http.ResponseWriter) {
	status, closes, headers := request.Head()
	to := response.Header()
	to["Content-Type"] = nil // never guessed
	for _, header := range headers {
		to[header.Name] = append(to[header.Name], header.Value)
	}
	if closes {
		to.Set("Connection", "close")
	}
	response.WriteHeader(status)
}

func flags(received *http.Request) (flags uint32) {
	// A peer on this machine is taken for the operator's own proxy.
	host, _, _ := net.SplitHostPort(received.RemoteAddr)
	if net.ParseIP(host).IsLoopback() {
		flags |= forwardingTrusted
	}
	if received.ContentLength != 0 {
		flags |= hasBody
	}
	return flags
}

func headers(received *http.Request) []Header {
	headers := []Header{{"Host", received.Host}}
	for name, values := range received.Header {
		for _, value := range values {
			headers = append(headers, Header{name, value})
		}
	}
	return headers
}

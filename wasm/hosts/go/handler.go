package portail

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

const pieceSize = 64 * 1024

// ServeHTTP answers a request. The portal must be at the root of its host, because it reads the target as received.
func (portal *Portal) ServeHTTP(response http.ResponseWriter, received *http.Request) {
	request, err := portal.Begin(portal.flagsOf(received), received.Method, received.RequestURI, headers(received))
	if err != nil {
		http.Error(response, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer request.End()
	complete := received.ContentLength == 0
	var bytes []byte
	for request.State == wantsBody {
		if bytes == nil {
			bytes = make([]byte, pieceSize)
		}
		n, err := received.Body.Read(bytes)
		if complete = err == io.EOF; n > 0 {
			request.GiveBody(bytes[:n])
		} else if complete {
			request.GiveBody(nil)
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			request.Expire()
		} else if err != nil {
			request.LoseBody()
		}
	}
	if !complete {
		// Sends the answer before the rest of a body that is not needed.
		_ = http.NewResponseController(response).EnableFullDuplex()
		response.Header().Set("Connection", "close")
	}
	status, closes, headers := request.Head()
	request.Next()
	if request.State == piece && !hasLength(headers) && !request.Stream(func() {
		_ = http.NewResponseController(response).SetWriteDeadline(time.Unix(1, 0)) // ends the pending write
	}) {
		http.Error(response, "too many answers are under way", http.StatusServiceUnavailable)
		return
	}
	sendHead(response, status, closes, headers)
	// The next piece is requested after the previous one was sent.
	for ; request.State == piece; request.Next() {
		if _, err := response.Write(request.Data); err != nil {
			return
		}
	}
	if request.State != end {
		panic(http.ErrAbortHandler) // the client sees that the body was cut off
	}
}

// hasLength reports whether the body has a length: the module returns it as one piece then.
func hasLength(headers []Header) bool {
	return slices.ContainsFunc(headers, func(header Header) bool { return strings.EqualFold(header.Name, "Content-Length") })
}

func sendHead(response http.ResponseWriter, status int, closes bool, headers []Header) {
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

func (portal *Portal) flagsOf(received *http.Request) (flags uint32) {
	if received.TLS != nil {
		flags |= https
	}
	if portal.trusts != nil && portal.trusts(received) {
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

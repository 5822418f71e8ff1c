// Serves HTTP with portail.wasm embedded: wazero, fasthttp, a store in a folder.
//
// fasthttp, because net/http refuses malformed targets by itself, before any handler, and not in the contract's words.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

const pieceSize = 64 * 1024

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address and port; port 0 is any free one")
	module := flag.String("module", "portail.wasm", "the module")
	folder := flag.String("store", "", "a folder")
	flag.Parse()
	if err := serve(*listen, *module, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(listen, module, folder string) error {
	store, err := OpenFolderStore(folder)
	if err != nil {
		return err
	}
	bytes, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	portal, err := NewPortal(context.Background(), bytes, store, settings())
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", listen)
	if err != nil {
		return err
	}
	server := &fasthttp.Server{
		Handler:               func(ctx *fasthttp.RequestCtx) { answer(portal, ctx) },
		NoDefaultServerHeader: true,
		NoDefaultContentType:  true,
		StreamRequestBody:     true,
		ReadBufferSize:        32 * 1024, // the longest head
		ReadTimeout:           30 * time.Second,
		WriteTimeout:          30 * time.Second,
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	go func() {
		<-stop
		_ = listener.Close()
	}()
	fmt.Printf("Serving HTTP on http://%s/\n", listener.Addr())
	return server.Serve(lingering{listener})
}

func settings() (settings []Header) {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PORTAIL_") {
			settings = append(settings, Header{name, value})
		}
	}
	return settings
}

func answer(portal *Portal, ctx *fasthttp.RequestCtx) {
	request, err := portal.Begin(flags(ctx), string(ctx.Method()), string(ctx.Request.Header.RequestURI()), headers(ctx))
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusServiceUnavailable)
		return
	}
	complete := ctx.RequestBodyStream() == nil
	bytes := make([]byte, pieceSize)
	for request.State == wantsBody {
		n, err := ctx.RequestBodyStream().Read(bytes)
		if complete = err == io.EOF; n > 0 {
			request.GiveBody(bytes[:n])
		} else if complete {
			request.GiveBody(nil)
		} else if err != nil {
			request.LoseBody()
		}
	}
	status, closes, headers := request.Head()
	// Nobody waits for the rest of a body that is not wanted.
	if closes || !complete {
		ctx.SetConnectionClose()
	}
	ctx.SetStatusCode(status)
	ctx.Response.Header.DisableNormalizing()
	length := -1
	for _, header := range headers {
		if strings.EqualFold(header.Name, "Content-Length") {
			length, _ = strconv.Atoi(header.Value)
		} else {
			ctx.Response.Header.Add(header.Name, header.Value)
		}
	}
	ctx.SetBodyStream(&answerBody{request: request}, length)
}

func flags(ctx *fasthttp.RequestCtx) (flags uint32) {
	// A peer on this machine is taken for the operator's own proxy.
	if ctx.RemoteIP().IsLoopback() {
		flags |= forwardingTrusted
	}
	if ctx.Request.Header.ContentLength() != 0 {
		flags |= hasBody
	}
	return flags
}

func headers(ctx *fasthttp.RequestCtx) (headers []Header) {
	ctx.Request.Header.VisitAllInOrder(func(name, value []byte) {
		headers = append(headers, Header{string(name), string(value)})
	})
	return headers
}

// lingering gives connections that, when they are closed, throw away for a while what the client still sends: it would
// otherwise see its connection reset before it has read the answer.
type lingering struct{ net.Listener }

type lingeringConnection struct{ *net.TCPConn }

func (listener lingering) Accept() (net.Conn, error) {
	connection, err := listener.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return lingeringConnection{connection.(*net.TCPConn)}, nil
}

func (connection lingeringConnection) Close() error {
	_ = connection.CloseWrite()
	_ = connection.SetReadDeadline(time.Now().Add(2 * time.Second))
	_, _ = io.CopyN(io.Discard, connection.TCPConn, 1024*1024)
	return connection.TCPConn.Close()
}

// answerBody reads an answer's body, piece by piece, as its client takes it.
type answerBody struct {
	request *Request
	left    []byte
}

func (body *answerBody) Read(to []byte) (int, error) {
	if len(body.left) == 0 {
		switch body.request.Next(); body.request.State {
		case piece:
			body.left = body.request.Data
		case end:
			return 0, io.EOF
		default:
			return 0, io.ErrUnexpectedEOF // the client sees that the body was cut off
		}
	}
	n := copy(to, body.left)
	body.left = body.left[n:]
	return n, nil
}

func (body *answerBody) Close() error {
	body.request.End()
	return nil
}

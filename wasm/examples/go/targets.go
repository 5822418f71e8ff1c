package main

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"regexp"
	"sync/atomic"
)

// net/http answers a target with a malformed escape ("/%zz") by itself, before any handler, and not in the contract's
// words. So that the portal gets to refuse it, such an escape becomes "%00" on its way in, which is refused alike.

// targetListener gives connections whose request lines net/http accepts.
type targetListener struct{ net.Listener }

func (listener targetListener) Accept() (net.Conn, error) {
	accepted, err := listener.Listener.Accept()
	if err != nil {
		return nil, err
	}
	connection := &targetConnection{TCPConn: accepted.(*net.TCPConn), reader: bufio.NewReader(accepted)}
	connection.atRequest.Store(true)
	return connection, nil
}

type targetConnection struct {
	*net.TCPConn
	reader    *bufio.Reader
	line      []byte // what is left of a request line
	atRequest atomic.Bool
}

// watchState is the server's ConnState: a connection without a request waits for the next request line.
func watchState(connection net.Conn, state http.ConnState) {
	if state == http.StateIdle {
		connection.(*targetConnection).atRequest.Store(true)
	}
}

func (connection *targetConnection) Read(to []byte) (int, error) {
	if len(to) > 0 && len(connection.line) == 0 && connection.atRequest.Swap(false) {
		line, err := connection.reader.ReadSlice('\n')
		if len(line) == 0 {
			return 0, err
		}
		connection.line = repaired(line)
	}
	if len(connection.line) > 0 {
		n := copy(to, connection.line)
		connection.line = connection.line[n:]
		return n, nil
	}
	return connection.reader.Read(to)
}

var (
	requestLine = regexp.MustCompile(`^[A-Za-z]* /[^ ]* HTTP/1\.[01]\r?\n$`)
	escape      = regexp.MustCompile(`%([0-9A-Fa-f]{2})?`)
)

// repaired is a copy of the line. Whatever is no request line, the middle of a pipelined request say, stays as it is.
func repaired(line []byte) []byte {
	path, query, _ := bytes.Cut(line, []byte("?"))
	if !requestLine.Match(line) || !bytes.Contains(path, []byte("%")) {
		return bytes.Clone(line)
	}
	path = escape.ReplaceAllFunc(path, func(found []byte) []byte {
		if len(found) == 1 {
			return []byte("%00")
		}
		return found
	})
	if len(query) == 0 {
		return path
	}
	return append(append(path, '?'), query...)
}

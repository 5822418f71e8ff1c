package portail

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"regexp"
	"sync/atomic"
)

// net/http itself rejects a target with a malformed escape ("/%zz"), before any handler, and without the contract's error. Such an
// escape is replaced by "%00", so that the request reaches the portal, which rejects both in the same way.

// Serve accepts connections like server.Serve, but passes on malformed targets and OPTIONS *. It replaces server.ConnState. The
// listener's connections must be of TCP.
func Serve(server *http.Server, listener net.Listener) error {
	server.ConnState = watchState
	server.DisableGeneralOptionsHandler = true
	return server.Serve(targetListener{listener})
}

// targetListener accepts connections, and replaces malformed escapes in their request lines.
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
	line      []byte // the unread rest of a request line
	atRequest atomic.Bool
}

// watchState is the server's ConnState callback: the next read of an idle connection begins with a request line.
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
	requestLine = regexp.MustCompile(`^[A-Za-z]* (?i:https?://[^/? ]*)?/[^ ]* HTTP/1\.[01]\r?\n$`)
	escape      = regexp.MustCompile(`%([0-9A-Fa-f]{2})?`)
)

// repaired returns a copy of the line without malformed escapes. Lines other than request lines, such as the middle of a pipelined
// request, are copied unchanged.
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

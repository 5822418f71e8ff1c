"""Serves a portal by Python's own HTTP server."""

import http.server
import signal
import socket
import threading

from .portal import END, FORWARDING_TRUSTED, HAS_BODY, PIECE, WANTS_BODY, Fault, Portal
from .request_body import Malformed, RequestBody

PIECE_SIZE = 64 * 1024
MAX_SKIPPED_BYTES = 1024 * 1024  # bytes of an unread body; with more, the connection is closed
# Read before that: a connection that is closed with unread bytes is reset, and the client may lose the answer.
MAX_DISCARDED_BYTES = 64 * 1024 * 1024
DRAIN_TIMEOUT = 10  # seconds for pending requests when the server stops


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True  # a connection without a request ends with the process
    request_queue_size = 128
    stopping = False

    def __init__(self, address, portal):
        super().__init__(address, Handler)
        self.portal = portal
        self.pending = 0  # requests
        self.changed = threading.Condition()

    def count(self, change):
        with self.changed:
            self.pending += change
            self.changed.notify_all()

    def drain(self):
        """Stops accepting connections, and waits for pending requests."""
        self.stopping = True
        self.portal.drain()
        self.server_close()
        with self.changed:
            self.changed.wait_for(lambda: self.pending == 0, DRAIN_TIMEOUT)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds for a read or a write
    wbufsize = -1
    disable_nagle_algorithm = True

    def __getattr__(self, name):
        if name.startswith("do_"):  # any method: the portal validates it
            return self.answer
        raise AttributeError(name)

    def answer(self):
        self.server.count(+1)
        try:
            self.exchange()
        finally:
            self.server.count(-1)

    def exchange(self):
        try:
            body = RequestBody(self.headers, self.rfile, self.send_continue)
        except Malformed:
            self.close_connection = True
            return self.send_error(400)
        try:
            request = self.server.portal.begin(self.flags(body), self.command.encode("latin-1"), self.target(),
                                               self.received_headers())
        except Fault:
            self.close_connection = True
            return self.send_error(503)
        with request:
            while request.state == WANTS_BODY:
                try:
                    request.give_body(body.read(PIECE_SIZE))
                except TimeoutError:
                    request.expire()
                    self.close_connection = True
                except (Malformed, OSError):
                    request.lose_body()
                    self.close_connection = True
            try:
                self.send_answer(request, body)
            except ConnectionError:  # the client has disconnected, or its answer was cut off
                self.close_connection = True
                return
        # The rest of a body that is not needed is read after the answer, before the next request.
        self.wfile.flush()
        try:
            self.close_connection = not body.skip(MAX_DISCARDED_BYTES) or self.close_connection
        except (Malformed, OSError):
            self.close_connection = True

    def send_answer(self, request, body):
        status, close, headers = request.head()
        if close or self.close_connection or self.server.stopping or body.remaining_at_least() > MAX_SKIPPED_BYTES:
            headers.append((b"Connection", b"close"))
            self.close_connection = True
        measured = any(name.lower() == b"content-length" for name, _ in headers)
        request.next()
        if request.state == PIECE and not measured and not request.stream(self.break_off):
            self.close_connection = True
            return self.send_error(503)
        bodiless = self.command == "HEAD" or status in (204, 304)
        chunked = not (measured or bodiless) and self.request_version != "HTTP/1.0"
        if chunked:
            headers.append((b"Transfer-Encoding", b"chunked"))
        elif not measured and not bodiless:
            self.close_connection = True
        self.send_response_only(status)
        self.send_header("Date", self.date_time_string())
        self.flush_headers()
        self.wfile.write(b"".join(b"%b: %b\r\n" % header for header in headers) + b"\r\n")
        while request.state == PIECE:
            if chunked:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(request.data), request.data))
            else:
                self.wfile.write(request.data)
            request.next()
        if request.state != END:
            self.close_connection = True  # the client sees that the body was cut off
        elif chunked:
            self.wfile.write(b"0\r\n\r\n")

    def break_off(self):
        """Called by another thread: makes a pending write fail."""
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has ended already
            pass

    def flags(self, body):
        # A peer on this machine is regarded as the operator's proxy.
        trusted = FORWARDING_TRUSTED if self.client_address[0].startswith("127.") else 0
        return trusted | (0 if body.complete else HAS_BODY)

    def target(self):
        # self.path is not exactly the received target.
        return self.requestline.split()[1].encode("latin-1")

    def received_headers(self):
        return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers.items()]

    def handle_expect_100(self):
        return True  # sent when the body is needed

    def send_continue(self):
        self.send_response_only(100)
        self.end_headers()
        self.wfile.flush()

    def log_message(self, *_):
        pass


def serve(portal: Portal, host: str, port: int) -> None:
    """Serves until SIGINT or SIGTERM; pending requests then have ten seconds. Port 0 is any free one. Peers on this machine are trusted as
    proxies. Must be called by the main thread. Raises OSError if the address cannot be used."""
    server = Server((host, port), portal)
    for number in (signal.SIGINT, signal.SIGTERM):
        # In a thread: shutdown waits for serve_forever, which the handler interrupts.
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"Serving HTTP on http://{host}:{server.server_port}/", flush=True)
    server.serve_forever()
    server.drain()
    portal.close()

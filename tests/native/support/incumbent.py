"""The service that `portail shadow` compares with: a second portal behind a relay, which injects one change into its answers. Standard
library only."""

import http.client
import json
import threading
import time
from urllib.parse import unquote_plus

from support.program import PATIENCE

from http_server import Handler, HttpServer  # in tests/support, which support.program adds to the path

AMOUNT = b"12345678901234567890123456.78"  # more digits than Python's numbers have
CONNECTION_HEADERS = ("connection", "date", "content-length", "transfer-encoding", "keep-alive")


class Relayed:
    """An answer on its way: an injection changes its members."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body
        self.cut_off = 0  # bytes of the body that are announced, and not sent
        self.chunked = False
        self.drips = False  # a byte each 0.1 s

    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body.replace(AMOUNT, b'"AMOUNT"'))

    def set_json(self, value):
        self.body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode().replace(b'"AMOUNT"', AMOUNT)

    def header(self, name):
        found = [value for each, value in self.headers if each == name]
        if len(found) != 1:
            raise AssertionError(f"{len(found)} headers {name}: {self.headers}")
        return found[0]

    def replace_header(self, name, *values):
        """Replaces the only header of that name by one for each value."""
        self.header(name)
        self.headers = [each for each in self.headers if each[0] != name] + [(name, value) for value in values]

    def add_header(self, name, value):
        if any(each == name for each, _ in self.headers):
            raise AssertionError(f"{name} exists")
        self.headers.append((name, value))

    def replace(self, old, new):
        """Replaces the only occurrence of a text."""
        if self.body.count(old.encode()) != 1:
            raise AssertionError(f"{self.body.count(old.encode())} times {old}: {self.text()}")
        self.body = self.body.replace(old.encode(), new.encode())


class Incumbent(HttpServer):
    """Passes GET and HEAD on to the portal at `port`. `inject(answer)`, if set, changes the answers to `target`, a method and a decoded target, or None for all; `injected` counts them.
    `requests` has the method, target and headers of each request. While `gate` is clear, requests wait."""

    def __init__(self, port, context=None):
        self.portal_port = port
        self.requests, self.injected, self.faults = [], 0, []
        self.target, self.inject = None, None
        self.gate = threading.Event()
        self.gate.set()
        incumbent = self

        class Relay(Handler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def relay(self):
                incumbent.requests.append((self.command, self.path, dict(self.headers.items())))
                if not incumbent.gate.wait(PATIENCE):
                    raise TimeoutError("the gate stays closed")
                self.write(incumbent.changed(self, incumbent.ask(self.command, self.path, self.headers)))

            def write(self, answer):
                self.send_response_only(answer.status)
                for name, value in [*answer.headers, ("Date", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Server", "Kestrel")]:
                    self.send_header(name, value)
                has_body = self.command != "HEAD" and answer.status not in (204, 304)
                if answer.chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                    body = f"{len(answer.body):x}\r\n".encode() + answer.body + (b"\r\n" if answer.cut_off else b"\r\n0\r\n\r\n")
                else:
                    self.send_header("Content-Length", str(len(answer.body) + answer.cut_off))
                    body = answer.body
                self.end_headers()
                for piece in [body[at:at + 1] for at in range(len(body))] if answer.drips else [body]:
                    if has_body:
                        self.wfile.write(piece)
                        time.sleep(0.1 * answer.drips)
                self.close_connection = self.close_connection or bool(answer.cut_off)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_OPTIONS = relay

        super().__init__(Relay, context=context)

    def ask(self, method, target, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.portal_port, timeout=PATIENCE)
        try:
            connection.putrequest(method, target)
            for name, value in headers.items():
                if name in ("Authorization", "Accept-Language", "Accept"):
                    connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in CONNECTION_HEADERS]
            return Relayed(answer.status, kept, answer.read())
        finally:
            connection.close()

    def changed(self, request, answer):
        if self.inject and self.target in (None, (request.command, unquote_plus(request.path))):
            try:
                self.inject(answer)
                self.injected += 1
            except Exception as fault:  # reported by the test, not on a thread of the server
                self.faults.append(fault)
        return answer

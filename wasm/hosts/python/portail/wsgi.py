"""The portal as a WSGI application, for gunicorn, uWSGI, mod_wsgi or wsgiref."""

import http
import re
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .portal import END, FORWARDING_TRUSTED, HAS_BODY, HTTPS, PIECE, WANTS_BODY, Fault, Portal, Request

PIECE_SIZE = 64 * 1024
UNAVAILABLE = "503 Service Unavailable"
# The characters of a path that stay as they are (RFC 3986, pchar and "/").
UNQUOTED = "/:@!$&'()*+,;=~"

Environ = dict[str, Any]


def wsgi(portal: Portal, *, trust_forwarding: bool = False) -> Callable[[Environ, Callable[..., object]], Iterable[bytes]]:
    """Returns the application. `trust_forwarding`: X-Forwarded-Proto and Forwarded come from your own proxy (PORTAIL_TRANSPORT=forwarded)."""

    def application(environ: Environ, start_response: Callable[..., object]) -> Iterable[bytes]:
        flags = (HTTPS if environ["wsgi.url_scheme"] == "https" else 0) | (FORWARDING_TRUSTED if trust_forwarding else 0)
        body = Body(environ)
        try:
            request = portal.begin(flags | (HAS_BODY if body.may_have_bytes else 0), environ["REQUEST_METHOD"].encode("latin-1"),
                                   target_of(environ), headers_of(environ))
        except Fault:
            start_response(UNAVAILABLE, [("Content-Length", "0")])
            return []
        try:
            while request.state == WANTS_BODY:
                try:
                    request.give_body(body.read())
                except TimeoutError:
                    request.expire()
                except OSError:
                    request.lose_body()
            status, _, headers = request.head()
            measured = any(name.lower() == b"content-length" for name, _ in headers)
            request.next()
            if request.state == PIECE and not measured and not request.stream(lambda: None):
                start_response(UNAVAILABLE, [("Content-Length", "0")])
                request.end()
                return []
            start_response(status_line(status), [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers])
        except BaseException:
            request.end()
            raise
        return Pieces(request)

    return application


class Pieces:
    """The answer's body. The server calls close() in any case."""

    def __init__(self, request: Request) -> None:
        self._request: Request | None = request

    def __iter__(self) -> Iterator[bytes]:
        while self._request and self._request.state == PIECE:
            yield self._request.data
            self._request.next()
        if self._request and self._request.state != END:
            raise ConnectionAbortedError("the answer cannot be completed")

    def close(self) -> None:
        request, self._request = self._request, None
        if request:
            request.end()


class Body:
    """The request's body, read on demand."""

    def __init__(self, environ: Environ) -> None:
        length = environ.get("CONTENT_LENGTH") or ""
        self._remaining = int(length) if re.fullmatch("[0-9]{1,4300}", length) else 0
        self._ends_itself = not length and bool(environ.get("wsgi.input_terminated"))
        self._stream = environ["wsgi.input"]
        self.may_have_bytes = self._remaining > 0 or self._ends_itself

    def read(self) -> bytes:
        """Returns the next piece, empty at the end. Raises OSError if the client has disconnected, TimeoutError if it is late."""
        if self._ends_itself:
            return bytes(self._stream.read(PIECE_SIZE))
        if self._remaining == 0:
            return b""
        piece = bytes(self._stream.read(min(PIECE_SIZE, self._remaining)))
        if not piece:
            raise ConnectionResetError("the body ends before its end")
        self._remaining -= len(piece)
        return piece


def target_of(environ: Environ) -> bytes:
    """Returns the target as received if the server has it (gunicorn, uWSGI), otherwise from the decoded path."""
    received = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if received and received.startswith("/") and not environ.get("SCRIPT_NAME"):
        return str(received).encode("latin-1")
    path = urllib.parse.quote(environ.get("PATH_INFO", "").encode("latin-1"), UNQUOTED) or "/"
    query = environ.get("QUERY_STRING")
    return (f"{path}?{query}" if query else path).encode("latin-1")


def headers_of(environ: Environ) -> Iterator[tuple[bytes, bytes]]:
    for name, value in environ.items():
        if name.startswith("HTTP_"):
            yield name[5:].replace("_", "-").title().encode("latin-1"), value.encode("latin-1")
        elif name in ("CONTENT_TYPE", "CONTENT_LENGTH") and value:
            yield name.replace("_", "-").title().encode("latin-1"), value.encode("latin-1")


def status_line(status: int) -> str:
    try:
        return f"{status} {http.HTTPStatus(status).phrase}"
    except ValueError:
        return f"{status} Unknown"

"""The body of an HTTP/1.1 request, read on demand. http.server does not read bodies."""

import re

MAX_CHUNK_LINE_SIZE = 1024


class Malformed(Exception):
    """The framing is invalid: the connection cannot be used further."""


class RequestBody:
    """Calls `send_continue` before the first read, if the client waits for it."""

    def __init__(self, headers, stream, send_continue):
        self._stream = stream
        self._expects_continue = headers.get("Expect", "").lower() == "100-continue"
        self._send_continue = send_continue
        codings, lengths = headers.get_all("Transfer-Encoding"), headers.get_all("Content-Length")
        self._chunked = codings is not None
        self._remaining = 0  # bytes of the body, or of the chunk
        if codings and (lengths or [coding.strip().lower() for coding in codings] != ["chunked"]):
            raise Malformed("Transfer-Encoding")
        if lengths:
            # int() converts at most 4300 digits.
            if len(lengths) != 1 or not re.fullmatch("[0-9]{1,4300}", lengths[0].strip()):
                raise Malformed("Content-Length")
            self._remaining = int(lengths[0])
        self.complete = not self._chunked and self._remaining == 0

    def read(self, size):
        """Returns at most `size` bytes; none at the end. Raises Malformed or OSError if the rest cannot be received, TimeoutError if it is late."""
        if self.complete:
            return b""
        if self._expects_continue:
            self._expects_continue = False
            self._send_continue()
        if self._chunked and self._remaining == 0:
            self._remaining = self._chunk_size()
            if self._remaining == 0:
                self._skip_trailers()
                self.complete = True
                return b""
        piece = self._stream.read1(min(size, self._remaining))
        if not piece:
            raise Malformed("the body ends before its end")
        self._remaining -= len(piece)
        if self._remaining == 0:
            if self._chunked:
                self._expect_line(rb"")
            else:
                self.complete = True
        return piece

    def skip(self, size):
        """Discards at most `size` bytes of the body. Returns whether it is complete, so that the connection can be used again."""
        while not self.complete and not self._expects_continue and size > 0:
            size -= len(self.read(min(size, 65536)))
        return self.complete

    def remaining_at_least(self):
        return self._remaining

    def _chunk_size(self):
        return int(self._expect_line(rb"([0-9A-Fa-f]{1,15})[ \t]*(;.*)?")[1], 16)

    def _skip_trailers(self):
        for _ in range(100):
            if not self._expect_line(rb".*")[0]:
                return
        raise Malformed("trailers")

    def _expect_line(self, pattern):
        line = self._stream.readline(MAX_CHUNK_LINE_SIZE)
        found = re.fullmatch(pattern, line.removesuffix(b"\n").removesuffix(b"\r"))
        if not line.endswith(b"\n") or not found:
            raise Malformed("chunks")
        return found

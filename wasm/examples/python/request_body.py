"""The body of an HTTP/1.1 request, read when the portal asks for it. http.server leaves this to its users."""

import re

LONGEST_CHUNK_LINE = 1024


class Malformed(Exception):
    """The connection cannot be read any further."""


class RequestBody:
    """`say_continue` is called before the first byte is read, if the client waits for that."""

    def __init__(self, headers, stream, say_continue):
        self._stream = stream
        self._waits = headers.get("Expect", "").lower() == "100-continue"
        self._say_continue = say_continue
        codings, lengths = headers.get_all("Transfer-Encoding"), headers.get_all("Content-Length")
        self._chunked = codings is not None
        self._left = 0  # of the body, or of the chunk
        if codings and (lengths or [coding.strip().lower() for coding in codings] != ["chunked"]):
            raise Malformed("Transfer-Encoding")
        if lengths:
            if len(lengths) != 1 or not re.fullmatch("[0-9]{1,18}", lengths[0].strip()):
                raise Malformed("Content-Length")
            self._left = int(lengths[0])
        self.complete = not self._chunked and self._left == 0

    def read(self, size):
        """At most `size` bytes; none at the end. Malformed or OSError where the rest will not come."""
        if self.complete:
            return b""
        if self._waits:
            self._waits = False
            self._say_continue()
        if self._chunked and self._left == 0:
            self._left = self._chunk_size()
            if self._left == 0:
                self._skip_trailers()
                self.complete = True
                return b""
        piece = self._stream.read1(min(size, self._left))
        if not piece:
            raise Malformed("the body ends before its end")
        self._left -= len(piece)
        if self._left == 0:
            if self._chunked:
                self._expect_line(rb"")
            else:
                self.complete = True
        return piece

    def skip(self, size):
        """Whether the connection can be used again: at most `size` bytes of the body are thrown away for it."""
        while not self.complete and not self._waits and size > 0:
            size -= len(self.read(min(size, 65536)))
        return self.complete

    def left_at_least(self):
        return self._left

    def _chunk_size(self):
        return int(self._expect_line(rb"([0-9A-Fa-f]{1,15})[ \t]*(;.*)?")[1], 16)

    def _skip_trailers(self):
        for _ in range(100):
            if not self._expect_line(rb".*")[0]:
                return
        raise Malformed("trailers")

    def _expect_line(self, pattern):
        line = self._stream.readline(LONGEST_CHUNK_LINE)
        found = re.fullmatch(pattern, line.removesuffix(b"\n").removesuffix(b"\r"))
        if not line.endswith(b"\n") or not found:
            raise Malformed("chunks")
        return found

"""A proxy in front of a store's engine that answers one kind of request with bytes that no engine sends. Standard library only."""

import contextlib
import itertools
import socket
import threading

from support.listener import Listener

MAX_BYTES = 512 << 20  # of an endless answer, if its reader accepts every byte


def endless(begin, repeated, max_bytes=MAX_BYTES):
    """`begin`, then `repeated` again and again, in pieces of some 256 KiB."""
    piece = repeated * max(1, (256 << 10) // len(repeated))
    yield begin
    yield from itertools.repeat(piece, max_bytes // len(piece))


class Hostile(Listener):
    """Listens on `port` and forwards to an engine's port. After arm(), requests that contain `marker` get the armed answer instead."""

    def __init__(self, target):
        self.target = target
        self.marker, self.answer, self.action = None, None, None
        self.lock = threading.Lock()
        self.answered = 0  # requests that contained the marker
        self.sent = 0  # bytes of the armed answer
        self.ended = threading.Event()  # the client has closed the connection after an armed answer
        super().__init__()

    def __exit__(self, *_):
        self.disarm()
        super().__exit__()

    def arm(self, marker, answer):
        """`answer` returns an iterator over the pieces of an answer, which are sent one by one."""
        with self.lock:
            self.answered, self.sent = 0, 0
            self.ended.clear()
            self.marker, self.answer = marker, answer

    def before(self, marker, action):
        """Runs `action` once, before the next request that contains `marker` is forwarded."""
        with self.lock:
            self.answered = 0
            self.marker, self.action = marker, action

    def disarm(self):
        with self.lock:
            self.marker, self.answer = None, None

    def serve(self, client):
        try:
            engine = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            client.close()
            return
        for each in (client, engine):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.in_thread(self.pass_answers, engine, client)
        self.pass_requests(client, engine)

    def pass_requests(self, client, engine):
        with client, engine, contextlib.suppress(OSError):
            while data := client.recv(65536):
                with self.lock:
                    matches = self.marker is not None and self.marker in data
                    self.answered += matches
                    answer = self.answer if matches else None
                    if matches and self.action:
                        self.marker, action = None, self.action
                        self.action = None
                        action()
                if answer:
                    self.send(client, answer())
                    return
                engine.sendall(data)
            engine.shutdown(socket.SHUT_WR)

    def send(self, client, pieces):
        with contextlib.suppress(OSError):  # the client has closed the connection
            for piece in pieces:
                client.sendall(piece)
                with self.lock:
                    self.sent += len(piece)
            while client.recv(65536):
                pass
        self.ended.set()

    def pass_answers(self, engine, client):
        with contextlib.suppress(OSError):
            while data := engine.recv(65536):
                client.sendall(data)
            client.shutdown(socket.SHUT_WR)

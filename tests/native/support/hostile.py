"""A proxy before the engine of a store that answers one kind of request by itself, with bytes that no engine sends. Standard library only."""

import contextlib
import itertools
import socket
import threading

MOST = 512 << 20  # bytes of an answer without an end, should its reader take them all


def endless(begin, repeated, most=MOST):
    """`begin`, then `repeated` again and again, in pieces of some 256 KiB."""
    piece = repeated * max(1, (256 << 10) // len(repeated))
    yield begin
    yield from itertools.repeat(piece, most // len(piece))


class Hostile:
    """Listens on `port`, and leads to the port of an engine, but for requests that `marker` is in once it is armed."""

    def __init__(self, target):
        self.target = target
        self.marker, self.answer, self.action = None, None, None
        self.lock = threading.Lock()
        self.answered = 0  # requests that the marker was in
        self.sent = 0  # bytes that it could send
        self.ended = threading.Event()  # the reader of these bytes has ended the connection
        self.faults = []  # what no thread of this proxy should raise
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.guarded, args=(self.accept,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.disarm()
        self.listener.close()
        if self.faults:
            raise self.faults[0]

    def arm(self, marker, answer):
        """`answer` makes the pieces of an answer; each is sent as it comes."""
        with self.lock:
            self.answered, self.sent = 0, 0
            self.ended.clear()
            self.marker, self.answer = marker, answer

    def before(self, marker, action):
        """`action` is done once, before the next request that `marker` is in is passed on."""
        with self.lock:
            self.answered = 0
            self.marker, self.action = marker, action

    def disarm(self):
        with self.lock:
            self.marker, self.answer = None, None

    def guarded(self, function, *arguments):
        try:
            function(*arguments)
        except Exception as fault:  # for the thread of the test
            self.faults.append(fault)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # closed
                return
            try:
                engine = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for each in (client, engine):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.guarded, args=(self.pass_requests, client, engine), daemon=True).start()
            threading.Thread(target=self.guarded, args=(self.pass_answers, engine, client), daemon=True).start()

    def pass_requests(self, client, engine):
        with client, engine, contextlib.suppress(OSError):
            while data := client.recv(65536):
                with self.lock:
                    is_meant = self.marker is not None and self.marker in data
                    self.answered += is_meant
                    answer = self.answer if is_meant else None
                    if is_meant and self.action:
                        self.marker, action = None, self.action
                        self.action = None
                        action()
                if answer:
                    self.send(client, answer())
                    return
                engine.sendall(data)
            engine.shutdown(socket.SHUT_WR)

    def send(self, client, pieces):
        with contextlib.suppress(OSError):  # its reader has ended it
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

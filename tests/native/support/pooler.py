"""A pooler in front of a PostgreSQL server that trusts its clients: it assigns the server's connections by session, transaction or
statement, as PgBouncer does. Standard library only."""

import itertools
import queue
import socket
import struct
import threading

from support.listener import Listener

ENCRYPTION_REQUESTS = (80877103, 80877104)  # of TLS and GSSAPI
STARTUP = struct.pack("!i", 196608) + b"user\0bob\0database\0postgres\0\0"


class Server:
    """A connection to the server."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(struct.pack("!i", len(STARTUP) + 4) + STARTUP)
        self.greeting = b"".join(message for message in self.answer() if message[:1] != b"K")

    def answer(self):
        """Yields the messages until the server is ready; the last byte of the last one is its state, I outside of transactions."""
        while True:
            message = read_message(self.socket)
            yield message
            if message[:1] == b"Z":
                return


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def read_message(connection):
    head = read_exactly(connection, 5)
    return head + read_exactly(connection, struct.unpack("!i", head[1:])[0] - 4)


class Pooler(Listener):
    """Listens on `port`. `mode` is PgBouncer's pool_mode. With `servers`, there are as many connections to the server, which are assigned in
    turn; else a new one if none is idle, and the last one that became idle first."""

    def __init__(self, target, mode, servers=0):
        self.target, self.mode = target, mode
        self.idle = queue.Queue() if servers else queue.LifoQueue()
        self.may_add = not servers
        for _ in range(servers):
            self.idle.put(Server(target))
        self.greeting = Server(target).greeting
        self.clients = itertools.count(1)
        self.lock = threading.Lock()
        super().__init__()

    def acquire(self):
        try:
            return self.idle.get(block=not self.may_add)
        except queue.Empty:
            return Server(self.target)

    def is_over(self, state):
        """Whether the client's connection to the server ends now. `state` is I outside of transactions."""
        return self.mode == "statement" or (self.mode == "transaction" and state == b"I")

    def serve(self, client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        held = None
        try:
            while struct.unpack("!i", (startup := read_exactly(client, struct.unpack("!i", read_exactly(client, 4))[0] - 4))[:4])[0] in ENCRYPTION_REQUESTS:
                client.sendall(b"N")
            with self.lock:
                key = struct.pack("!ciii", b"K", 12, next(self.clients), 0)
            client.sendall(self.greeting[:-6] + key + self.greeting[-6:])
            while True:
                message = read_message(client)
                if message[:1] == b"X":
                    return
                held = held or self.acquire()
                held.socket.sendall(message)
                if message[:1] not in (b"Q", b"S"):  # more of the same request follows
                    continue
                for part in held.answer():
                    client.sendall(part)
                if self.is_over(part[-1:]):
                    self.idle.put(held)
                    held = None
        except (ConnectionError, OSError):
            pass
        finally:
            client.close()
            if held:
                held.socket.close()

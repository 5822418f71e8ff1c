"""Servers of tests below HTTP. Standard library only."""

import socket
import threading


class Listener:
    """Listens on `port` of the loopback. A subclass defines `serve`, which gets each connection in a thread of its own. The end of the `with`
    block sets `over`, and raises the first exception of a thread."""

    def __init__(self):
        self.faults = []
        self.over = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.in_thread(self.accept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.listener.close()
        if self.faults:
            raise self.faults[0]

    def in_thread(self, function, *arguments):
        threading.Thread(target=self.guarded, args=(function, *arguments), daemon=True).start()

    def guarded(self, function, *arguments):
        try:
            function(*arguments)
        except Exception as fault:  # for the thread of the test
            self.faults.append(fault)

    def accept(self):
        while not self.over.is_set():
            try:
                client, _ = self.listener.accept()
            except OSError:  # closed
                return
            self.in_thread(self.serve, client)

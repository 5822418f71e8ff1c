"""An HTTP proxy of https requests, which knows only one origin. Standard library only."""

import select
import socket

from support.program import PATIENCE

from http_server import Handler, HttpServer  # in tests/support, which support.program adds to the path


class ConnectProxy(HttpServer):
    """Connects every CONNECT to the origin at `port`, or answers it with `status`. `requests` has their request lines' first words, and with
    a context `certificates` those of the clients."""

    def __init__(self, port, context=None):
        self.requests, self.certificates, self.status = [], [], 200
        proxy = self

        class Connect(Handler):
            def do_CONNECT(self):
                proxy.requests.append(f"{self.command} {self.path}")
                if context:
                    proxy.certificates.append(self.connection.getpeercert())
                if proxy.status != 200:
                    return self.send(proxy.status)
                self.send_response(200)
                self.end_headers()
                with socket.create_connection(("127.0.0.1", port)) as origin:
                    others = {self.connection: origin, origin: self.connection}
                    while ready := select.select(list(others), [], [], PATIENCE)[0]:
                        for one in ready:
                            data = one.recv(65536)
                            if not data:
                                return
                            others[one].sendall(data)

        super().__init__(Connect, context=context)

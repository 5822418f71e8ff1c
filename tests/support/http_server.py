"""HTTP servers of tests, on loopback. Standard library only."""

import http.server
import ssl
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class HttpServer:
    """Answers by a class of handlers, each request in a thread of its own, until its block ends; with a context, over TLS. The clients may
    close connections early."""

    def __init__(self, handler, port=0, context=None, host="127.0.0.1"):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.handle_error = lambda *_: None
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_port
        self.url = f"{'https' if context else 'http'}://{host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def tls_context(certificate, key):
    """A server's context with these files."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context

"""What http.server serves beside the portal: the same answer to everything."""

import http.server
import pathlib

BODY = pathlib.Path("body").read_bytes()
HEADERS = [line.split(": ", 1) for line in pathlib.Path("headers").read_text().splitlines()]


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        self.send_response_only(200)
        self.send_header("Date", self.date_time_string())
        for name, value in HEADERS:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()

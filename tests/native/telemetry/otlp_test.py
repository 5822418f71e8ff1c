"""Spans by OTLP: the spans that a collector receives; a faulty collector affects no request."""

import json
import pathlib
import shutil
import socket
import time
import unittest
import zlib

from support.listener import Listener
from support.metrics import metrics_of
from support.program import PATIENCE, PROGRAM, PortailTest, Server, must_run, run, until

from http_server import Handler, HttpServer, tls_context  # in tests/support, which support.program adds to the path

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SENT, DROPPED = "portail_otlp_spans_sent_total", "portail_otlp_spans_dropped_total"
# What libcurl writes of a passed deadline, by the step at which it passed.
TIMED_OUT = "(?:Operation|Connection|Resolving) timed out after|SSL connection timeout|Timeout was reached"
NOT_ACCEPTED = "spans were not accepted by the collector"
JSON = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}


def traceparent(flags="01"):
    return "traceparent", f"00-{TRACE}-{PARENT}-{flags}"


class Collector(HttpServer):
    """Records the posts that it receives and answers with `status`, or with the bytes of `answer`."""

    def __init__(self, status=200, answer=None, context=None):
        self.posts = []  # path, headers, body
        collector = self

        class PostHandler(Handler):
            protocol_version = "HTTP/1.1"  # the connection stays open

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.posts.append((self.path, dict(self.headers), body))
                if answer:
                    self.wfile.write(answer)
                    return
                self.send(status)

        super().__init__(PostHandler, context=context)

    def resources(self):
        return [resource for _, _, body in self.posts for resource in json.loads(body)["resourceSpans"]]

    def spans(self):
        return [span for resource in self.resources() for scope in resource["scopeSpans"] for span in scope["spans"]]


def read_post(reader):
    """Returns the body of the next post; empty at the end of the connection."""
    length = 0
    while (line := reader.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    body = reader.read(length)
    return body if len(body) == length else b""


class HostileCollector(Listener):
    """Reads a post, and then sends `head` and, again and again, `piece`, while the peer reads. `sent` has the bytes of each
    connection that the peer has ended, and `posts` counts."""

    def __init__(self, head, piece):
        self.head, self.piece = head, piece
        self.sent, self.posts = [], 0
        super().__init__()
        self.url = f"http://localhost:{self.port}"

    def serve(self, peer):
        sent = 0
        try:
            with peer:
                peer.settimeout(PATIENCE)
                if not read_post(peer.makefile("rb")):
                    return
                self.posts += 1
                try:
                    peer.sendall(self.head)
                    sent += len(self.head)
                    while not self.over.is_set():
                        peer.sendall(self.piece)
                        sent += len(self.piece)
                except OSError:
                    self.sent.append(sent)
        except OSError:
            pass  # before a post


def attributes(of):
    return {each["key"]: next(iter(each["value"].values())) for each in of["attributes"]}


class OtlpTest(PortailTest):
    def start(self, url, *flags, environment=None, **options):
        return Server(self.folder, "--store", "memory:", "--import", self.document(), "--metrics-listen", "127.0.0.1:0", "--otlp", url,
                      *flags, environment=JSON | (environment or {}), **options)

    def test_a_url_that_is_none_of_a_collector(self):
        for url in ("localhost:4318", "grpc://localhost:4317", "http://", "http://sesame@localhost:4318", "https://localhost:4318/?a=sesame",
                    "http://localhost:4318#a", "http://localhost:port"):
            done = run("serve", "--store", "memory:", *self.accepting(), "--otlp", url)
            self.assert_one_line(done, 2, "--otlp must be an http or https URL without user name, query or fragment")
            self.assertNotIn("sesame", done.stderr)

    def test_without_the_module_nothing_is_served(self):
        alone = pathlib.Path(self.folder) / "bin" / "portail"
        alone.parent.mkdir()
        shutil.copy(PROGRAM, alone)
        done = run("serve", "--store", "memory:", *self.accepting(), environment={"PORTAIL_OTLP": "http://127.0.0.1:1"}, executable=alone)
        self.assert_one_line(done, 1, "PORTAIL_OTLP needs portail-otlp.so, of the Debian package portail-otlp: ")

    def test_check_requires_the_module_and_contacts_no_collector(self):
        with Collector() as collector:
            done = must_run("check", "--store", "memory:", *self.accepting(), "--otlp", collector.url)
            self.assertIn("spans            ok      portail-otlp.so is installed; the collector was not contacted\n", done)
        self.assertEqual(collector.posts, [])

    def test_a_request_is_the_span_that_the_log_has(self):
        auth = self.bearer()
        with Collector() as collector:
            with self.start(f"{collector.url}/") as server:
                server.ask("GET", "/api/app/objet-courrier/1?jeton=tres-secret", [auth, traceparent()])
                server.ask("GET", "/api/app/objet-courrier/77", [auth, traceparent("00")])
                server.ask("GET", "/tres-secret", [traceparent("03")])
                server.ask("POST", "/api/app/objet-courrier", [auth, traceparent()])
                server.ask("BREW", "/api/app/liasse/L-00000", [auth])
                until(lambda: metrics_of(server)[SENT] == 4, "four spans to be sent")
                self.assertEqual(metrics_of(server)[DROPPED], 0)
                self.assertEqual(server.stop(), 0)
                lines = [line for line in server.log_lines() if "route" in line]
            spans = collector.spans()
            [resource] = {json.dumps(attributes(each["resource"]), sort_keys=True) for each in collector.resources()}
        self.assertEqual({path for path, _, _ in collector.posts}, {"/v1/traces"})
        self.assertEqual({headers["Content-Type"] for _, headers, _ in collector.posts}, {"application/json"})
        about = json.loads(resource)
        self.assertEqual((about["service.name"], about["service.version"]), ("portail", "0.1.0"))

        # The client said that the second is not sampled.
        self.assertEqual([line["status"] for line in lines], [200, 404, 404, 500, 405])
        sampled = [lines[0], *lines[2:]]
        self.assertEqual([(span["traceId"], span["spanId"], span.get("parentSpanId")) for span in spans],
                         [(line["traceId"], line["spanId"], line.get("parentSpanId")) for line in sampled])
        self.assertEqual([(line["traceId"], line["parentSpanId"]) for line in lines[:4]], [(TRACE, PARENT)] * 4)
        # The last begins a trace.
        self.assertRegex(lines[4]["traceId"], "^[0-9a-f]{32}$")
        self.assertNotIn("parentSpanId", lines[4])

        route = "/api/app/objet-courrier"
        self.assertEqual([(span["name"], attributes(span), span.get("status", {})) for span in spans], [
            (f"GET {route}/{{id}}", {"http.request.method": "GET", "http.route": f"{route}/{{id}}", "http.response.status_code": "200"}, {}),
            ("GET", {"http.request.method": "GET", "http.response.status_code": "404"}, {}),
            (f"POST {route}", {"http.request.method": "POST", "http.route": route, "http.response.status_code": "500", "error.type": "500"},
             {"code": 2}),
            ("HTTP /api/app/liasse/{id}", {"http.request.method": "_OTHER", "http.route": "/api/app/liasse/{id}",
                                           "http.response.status_code": "405"}, {})])
        for span, line in zip(spans, sampled):
            self.assertEqual((span["kind"], span["flags"] & 1), (2, 1))  # a server's
            self.assertEqual(int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]), line["microseconds"] * 1000)
            self.assertAlmostEqual(int(span["endTimeUnixNano"]) / 1e9, time.time(), delta=60)
        sent = b"".join(body for _, _, body in collector.posts).decode()
        for secret in ("tres-secret", auth[1].split()[1], "sub-client", "L-00000"):
            self.assertNotIn(secret, sent)

    def test_what_waits_is_sent_before_the_end(self):
        with Collector() as collector:
            with self.start(collector.url, environment={"OTEL_SERVICE_NAME": "guichet", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=essai"}) as server:
                for _ in range(100):
                    server.ask("GET", "/health/live")
                self.assertEqual(server.stop(), 0)
            self.assertEqual(len({span["spanId"] for span in collector.spans()}), 100)
            about = attributes(collector.resources()[0]["resource"])
            self.assertEqual((about["service.name"], about["deployment.environment"]), ("guichet", "essai"))

    def test_no_collector(self):
        with socket.socket() as closed:  # bound, so that no other program listens on its port
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
            server = self.enterContext(self.start(f"http://127.0.0.1:{port}"))
            for count in (1, 2):  # two failures, of which one is logged
                self.assertEqual(server.ask("GET", "/health/live").status, 200)
                until(lambda: metrics_of(server)[DROPPED] == count, "the span to be dropped")
            self.assertEqual(metrics_of(server)[SENT], 0)
            self.assertEqual(server.stop(), 0)
            [said] = server.events(NOT_ACCEPTED)
            self.assertEqual(said["level"], "warning")
            self.assertIn(f"Failed to connect to 127.0.0.1 port {port}", said["detail"])
            self.assertNotIn("[Error]", server.log())

    def test_a_collector_that_refuses(self):
        with Collector(401) as collector, self.start(collector.url) as server:
            server.ask("GET", "/health/live")
            until(lambda: metrics_of(server)[DROPPED] == 1, "the span to be dropped")
            self.assertEqual(server.stop(), 0)
            self.assertEqual([line["detail"] for line in server.events(NOT_ACCEPTED)], ["Export failed, Status:401"])

    def test_an_answer_has_at_most_64_kib(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 65000\r\n\r\n"
        for size, counts, reasons in ((65_536, (1, 0), []),
                                      (65_537, (0, 1), ["Session state: network error. its answer is longer than 64 KiB"])):
            body = (size - len(head)) * b"a"
            answer = head.replace(b"65000", b"%d" % len(body)) + body
            self.assertEqual(len(answer), size)
            with self.subTest(size), Collector(answer=answer) as collector, self.start(collector.url) as server:
                self.assertEqual(server.ask("GET", "/health/live").status, 200)
                until(lambda: metrics_of(server)[SENT] + metrics_of(server)[DROPPED] == 1, "the end of the post")
                self.assertEqual((metrics_of(server)[SENT], metrics_of(server)[DROPPED]), counts)
                self.assertEqual(server.stop(), 0)
                self.assertEqual([line["detail"] for line in server.events(NOT_ACCEPTED)], reasons)

    def test_a_collector_whose_answer_does_not_end(self):
        """Each post ends after a limit of bytes or by its deadline, memory is bounded, and requests are served."""
        ok = b"HTTP/1.1 200 OK\r\n"
        block = 64 * 1024 * b"a"
        bomb = zlib.compressobj(9, wbits=31)
        bomb = bomb.compress(10_000_000 * b"a") + bomb.flush(zlib.Z_SYNC_FLUSH)
        too_long = "Session state: network error. its answer is longer than 64 KiB"
        answers = {
            "a body without a length": (ok + b"\r\n", block, too_long),
            "a body of a length": (ok + b"Content-Length: 1000000000000\r\n\r\n", block, too_long),
            "a body of an error": (b"HTTP/1.1 503 Unavailable\r\n\r\n", block, too_long),
            "chunks": (ok + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + block + b"\r\n", too_long),
            "small chunks": (ok + b"Transfer-Encoding: chunked\r\n\r\n", 10000 * b"1\r\na\r\n", too_long),
            "a chunk's extension": (ok + b"Transfer-Encoding: chunked\r\n\r\n1;", block, None),
            "trailers": (ok + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", 1000 * b"X-A: b\r\n", None),
            "headers": (ok, 1000 * b"X-A: b\r\n", None),
            "a header": (ok + b"X-A: ", block, None),
            "a status line": (b"HTTP/1.1 200 ", block, None),
            "no HTTP": (b"", block, None),
            "interim answers": (b"", 1000 * b"HTTP/1.1 100 Continue\r\n\r\n", None),
            "other interim answers": (b"", 1000 * b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", None),
            "compressed": (ok + b"Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                           b"%x\r\n" % len(bomb) + bomb + b"\r\n", None),
        }
        for name, (head, piece, reason) in answers.items():
            with self.subTest(name), HostileCollector(head, piece) as collector, self.start(collector.url) as server:
                before = server.peak_memory()
                for count in (1, 2):
                    self.assertEqual(server.ask("GET", "/health/live").status, 200)
                    until(lambda: metrics_of(server)[DROPPED] == count, "the span to be dropped")
                until(lambda: len(collector.sent) == 2, "the end of both connections")
                self.assertEqual((metrics_of(server)[SENT], collector.posts), (0, 2))
                # What the program does not read is in the sockets' buffers, which the kernel bounds.
                self.assertLess(max(collector.sent), 32 * 1024 * 1024)
                self.assertLess(server.peak_memory() - before, 32)
                began = time.monotonic()
                self.assertEqual(server.stop(), 0)
                self.assertLess(time.monotonic() - began, 8)
                [said] = server.events(NOT_ACCEPTED)  # once for both
                if reason:
                    self.assertEqual(said["detail"], reason)

    def test_a_redirect_is_not_followed(self):
        with Collector() as other, HostileCollector(b"HTTP/1.1 307 Elsewhere\r\nLocation: " + other.url.encode() +
                                                    b"/v1/traces\r\nContent-Length: 0\r\n\r\n", b"") as collector, \
                self.start(collector.url) as server:
            self.assertEqual(server.ask("GET", "/health/live").status, 200)
            until(lambda: metrics_of(server)[DROPPED] == 1, "the span to be dropped")
            self.assertEqual((server.stop(), other.posts), (0, []))
            self.assertEqual([line["detail"] for line in server.events(NOT_ACCEPTED)], ["Export failed, Status:307"])

    def test_answers_of_every_form(self):
        """Answers are read completely, and the connection serves the next post."""
        message = b'{"partialSuccess":{}}'
        for name, head in (("a length", b"Content-Length: 21\r\n\r\n" + message),
                           ("chunks", b"Transfer-Encoding: chunked\r\n\r\n15\r\n" + message + b"\r\n0\r\n\r\n"),
                           ("an interim answer first", b"Content-Length: 0\r\n\r\n")):
            first = b"HTTP/1.1 100 Continue\r\n\r\n" if name.startswith("an interim") else b""
            with self.subTest(name), socket.create_server(("127.0.0.1", 0)) as listener, \
                    self.start(f"http://127.0.0.1:{listener.getsockname()[1]}") as server:
                listener.settimeout(PATIENCE)
                self.assertEqual(server.ask("GET", "/health/live").status, 200)
                with listener.accept()[0] as peer, peer.makefile("rb") as reader:
                    peer.settimeout(PATIENCE)
                    for count in (1, 2):
                        self.assertTrue(read_post(reader))
                        peer.sendall(first + b"HTTP/1.1 200 OK\r\n" + head)
                        until(lambda: metrics_of(server)[SENT] == count, "the span to be sent")
                        if count == 1:
                            self.assertEqual(server.ask("GET", "/health/live").status, 200)
                self.assertEqual(metrics_of(server)[DROPPED], 0)
                self.assertEqual((server.stop(), server.events(NOT_ACCEPTED)), (0, []))

    def test_headers_and_tls(self):
        self.make_certificate("collector.pem", "collector-key.pem", "-days", "2", "-addext", "subjectAltName=DNS:localhost")
        with Collector(context=tls_context(self.path("collector.pem"), self.path("collector-key.pem"))) as collector:
            url = collector.url.replace("127.0.0.1", "localhost")
            trusting = {"OTEL_EXPORTER_OTLP_CERTIFICATE": self.path("collector.pem"), "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=a-secret"}
            with self.start(url, environment=trusting) as server:
                self.assertEqual(server.ask("GET", "/health/live").status, 200)
                until(lambda: metrics_of(server)[SENT] == 1, "the span to be sent")
                self.assertEqual(server.stop(), 0)
            [(_, headers, _)] = collector.posts
            self.assertEqual(headers["x-api-key"], "a-secret")
            with self.start(url) as server:  # no trusted authority signed its certificate
                self.assertEqual(server.ask("GET", "/health/live").status, 200)
                until(lambda: metrics_of(server)[DROPPED] == 1, "the span to be dropped")
                self.assertEqual(server.stop(), 0)
                [said] = server.events(NOT_ACCEPTED)
                self.assertIn("certificate", said["detail"])
            self.assertEqual(len(collector.posts), 1)

    def test_a_collector_that_never_answers(self):
        auth = self.bearer()
        with socket.create_server(("127.0.0.1", 0)) as silent, self.start(f"http://127.0.0.1:{silent.getsockname()[1]}") as server:
            with server.connect() as connection:
                for _ in range(2400):  # more spans than the queue holds
                    self.assertEqual(connection.request("GET", "/api/app/objet-courrier/1", [auth]).status, 200)
            self.assertGreater(metrics_of(server)[DROPPED], 0)
            began = time.monotonic()
            self.assertEqual(server.stop(), 0)
            self.assertLess(time.monotonic() - began, 8)  # a second for what waits, two for the post under way, and the drain
            [said] = server.events(NOT_ACCEPTED)
            self.assertRegex(said["detail"], TIMED_OUT)


if __name__ == "__main__":
    unittest.main()

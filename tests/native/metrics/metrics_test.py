"""The metrics endpoint."""

import datetime
import os
import re
import signal
import subprocess
import time
import unittest

from support.identity import IdentityTest, OidcServer
from support.metrics import metrics_of, text_of, total
from support.program import Server, run, until

TARGET = "/api/app/objet-courrier"


class MetricsTest(IdentityTest):
    def test_requests_and_cached_tokens(self):
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server:
            token = self.bearer()
            for _ in range(3):
                self.assertEqual(server.ask("GET", TARGET, [token]).status, 200)
            self.assertEqual(server.ask("GET", TARGET).status, 401)
            # A request counts once its answer is written, which may be after the client has read it.
            metrics = until(lambda: (m := metrics_of(server)) and total(m, "portail_requests_total", status="4xx") == 1 and m, "four requests")
            self.assertEqual(total(metrics, "portail_requests_total", status="2xx"), 3)
            self.assertEqual(total(metrics, "portail_requests_total", status="5xx"), 0)
            self.assertEqual(metrics["portail_token_cache_hits_total"], 2)
            self.assertEqual(metrics["portail_token_cache_misses_total"], 1)
            self.assertEqual(metrics["portail_answer_cache_hits_total"], 2)
            self.assertEqual(metrics["portail_answer_cache_misses_total"], 1)
            self.assertEqual(metrics["portail_answer_cache_evictions_total"], 0)
            self.assertGreater(metrics["portail_answer_cache_bytes"], 0)
            self.assertNotIn("portail_value_cache_hits_total", metrics)
            self.assertEqual(metrics["portail_key_set_keys"], 1)
            self.assertEqual(metrics["portail_key_set_refresh_failures_total"], 0)

    def test_cached_values_of_a_folder(self):
        store = ("--store", f"dir:{self.folder}/values")
        with Server(self.folder, *store, "--import", self.document(), "--metrics-listen", "127.0.0.1:0") as server:
            token = self.bearer()
            def counts_after(target):
                self.assertEqual(server.ask("GET", target, [token]).status, 200)
                metrics = metrics_of(server)
                return [metrics[f"portail_value_cache_{name}"] for name in ("hits_total", "misses_total", "evictions_total", "bytes")]
            hits, misses, _, size = counts_after(f"{TARGET}/1")
            self.assertGreater(size, 0)
            # The second object is in the stored values of the first. The request uses three cached values, the scrape one.
            self.assertEqual(counts_after(f"{TARGET}/2"), [hits + 4, misses, 0, size])

    def test_requests_by_route_method_and_class_of_status(self):
        auth = self.bearer()
        with Server(self.folder, "--store", "memory:", "--import", self.document(), "--metrics-listen", "127.0.0.1:0") as server:
            for method, target, headers, status in [
                ("GET", TARGET, [auth], 200), ("HEAD", TARGET, [auth], 200), ("GET", f"{TARGET}/1?a=b", [auth], 200),
                ("GET", f"{TARGET}/2", [auth], 200), ("GET", f"{TARGET}/77", [auth], 404), ("PATCH", TARGET, [auth], 405),
                ("POST", TARGET, [auth], 500), ("DELETE", f"{TARGET}/1", [auth], 500), ("PUT", f"{TARGET}/1", [auth], 403),
                ("GET", "/secret-path", [], 404), ("GET", "/another", [], 404), ("GET", "/health/live", [], 200), ("GET", "/", [], 200), ("GET", "/page/settings.json", [], 200),
            ]:
                self.assertEqual(server.ask(method, target, headers).status, status, (method, target))
            with server.connect() as connection:
                connection.send("no request\r\n\r\n")
                self.assertEqual(connection.read().status, 400)
            answered = "portail_requests_total"
            metrics = until(lambda: total(m := metrics_of(server), answered) == 15 and m, "all requests")
            counted = {sample.removeprefix(answered): value for sample, value in metrics.items() if sample.startswith(answered) and value}
            self.assertEqual(counted, {
                f'{{method="GET",route="{TARGET}",status="2xx"}}': 2,
                f'{{method="other",route="{TARGET}",status="4xx"}}': 1,
                f'{{method="POST",route="{TARGET}",status="agreed 500"}}': 1,
                f'{{method="GET",route="{TARGET}/{{id}}",status="2xx"}}': 2,
                f'{{method="GET",route="{TARGET}/{{id}}",status="4xx"}}': 1,
                f'{{method="PUT",route="{TARGET}/{{id}}",status="4xx"}}': 1,
                f'{{method="DELETE",route="{TARGET}/{{id}}",status="agreed 500"}}': 1,
                '{method="other",route="-",status="4xx"}': 3,
                '{method="GET",route="/health/live",status="2xx"}': 1,
                '{method="GET",route="/",status="2xx"}': 1,
                '{method="GET",route="/page/settings.json",status="2xx"}': 1})
            self.assertEqual(total(metrics, answered, status="5xx"), 0)
            self.assertNotIn("secret-path", text_of(server)[2])
            timed = "portail_request_duration_seconds"
            labels = {"method": "GET", "route": f"{TARGET}/{{id}}"}
            self.assertEqual(total(metrics, timed + "_count", **labels), 3)
            self.assertEqual(total(metrics, timed + "_bucket", le="+Inf", **labels), 3)
            self.assertEqual(total(metrics, timed + "_bucket", le="10", **labels), 3)
            self.assertGreater(total(metrics, timed + "_sum", **labels), 0)
            self.assertEqual(total(metrics, timed + "_count"), 14)  # a malformed request is not timed
            # No client input adds label values.
            self.assertEqual(len(metrics_of(server)), len(metrics))

    def test_connections(self):
        with Server(self.folder, "--store", "memory:", "--insecure-http", "--transport", "loopback", "--metrics-listen", "127.0.0.1:0",
                    "--max-connections", "2", tls=False) as server:
            with server.connect() as one, server.connect() as other:
                for connection in (one, other):
                    self.assertEqual(connection.request("GET", "/health/live").status, 200)
                with server.connect() as third:
                    self.assertEqual(third.read().status, 503)
                metrics = metrics_of(server)
                self.assertEqual([metrics[f"portail_connections{name}"] for name in ("", "_max", "_total", "_turned_away_total")], [2, 2, 3, 1])
                self.assertEqual(metrics["portail_unsent_bytes"], 0)
                self.assertEqual([name for name in metrics if name.startswith("portail_store_")], [], "memory: has no connections")
            until(lambda: metrics_of(server)["portail_connections"] == 0, "the end of both")

    def test_build_and_process(self):
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server:
            metrics = metrics_of(server)
            version, compiler = re.match(r"portail (\S+)\nbuilt by (\w+ \S+) for ", run("--version").stdout).groups()
            build = next(re.findall(r'(\w+)="([^"]*)"', sample) for sample in metrics if sample.startswith("portail_build_info"))
            self.assertEqual((dict(build)["version"], dict(build)["compiler"]), (version, compiler))
            with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as stat, open("/proc/uptime", encoding="ascii") as uptime:
                began = time.time() - float(uptime.read().split()[0]) + int(stat.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
            self.assertAlmostEqual(metrics["process_start_time_seconds"], began, delta=5)
            self.assertGreater(metrics["process_cpu_seconds_total"], 0)
            self.assertGreater(metrics["process_virtual_memory_bytes"], metrics["process_resident_memory_bytes"])
            self.assertGreater(metrics["process_resident_memory_bytes"], 1024 * 1024)
            self.assertGreaterEqual(metrics["process_max_fds"], metrics["process_open_fds"])
            open_files = metrics["process_open_fds"]
            with server.connect() as one, server.connect() as other:
                for connection in (one, other):
                    self.assertEqual(connection.request("GET", "/health/live").status, 200)
                self.assertEqual(metrics_of(server)["process_open_fds"], open_files + 2)

    def test_the_age_of_the_keys_and_the_failures(self):
        with self.provider() as provider:
            provider.publish(self.make_key("one"))
            with OidcServer(self.folder, provider, "--jwks-refresh", "1", "--jwks-min-interval", "0", "--metrics-listen", "127.0.0.1:0",
                            "--token-cache", "0", jwks=provider.url + "/keys") as server:
                until(server.is_ready, "the keys")
                self.assertLess(metrics_of(server)["portail_key_set_age_seconds"], 60)
                provider.documents.clear()
                failed = until(lambda: (m := metrics_of(server))["portail_key_set_refresh_failures_total"] >= 2 and
                               m["portail_key_set_age_seconds"] >= 1 and m, "failures")
                self.assertGreater(failed["portail_key_set_refreshes_total"], failed["portail_key_set_refresh_failures_total"])
                self.assertNotIn("portail_token_cache_hits_total", failed)

    def test_the_metrics_are_not_the_portals(self):
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server:
            self.assertEqual(server.ask("GET", "/metrics").status, 404)

    def test_the_end_of_the_certificate(self):
        name = "portail_tls_certificate_not_after_timestamp_seconds"

        def end():
            done = subprocess.run(["openssl", "x509", "-noout", "-enddate", "-dateopt", "iso_8601", "-in",
                                   self.path("certificate.pem")], check=True, capture_output=True, text=True)
            return datetime.datetime.fromisoformat(done.stdout.removeprefix("notAfter=").strip()).timestamp()
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server:
            first = end()
            self.assertEqual(metrics_of(server)[name], first)
            self.make_certificate("certificate.pem", "key.pem", "-days", "500")
            self.assertEqual(metrics_of(server)[name], first)
            server.process.send_signal(signal.SIGHUP)
            until(lambda: server.events("reloaded"), "the new certificate")
            self.assertGreater(end(), first)
            self.assertEqual(metrics_of(server)[name], end())
        with Server(self.folder, "--store", "memory:", "--insecure-http", "--metrics-listen", "127.0.0.1:0", tls=False) as server:
            self.assertNotIn(name, metrics_of(server))


if __name__ == "__main__":
    unittest.main()

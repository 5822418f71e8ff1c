"""What a monitoring system sees."""

import datetime
import http.client
import re
import signal
import subprocess
import unittest

from support.identity import Identified, IdentityTest
from support.program import Server, run, until

ASKED = "/api/app/objet-courrier"


def metrics_of(server):
    """Each sample by its name and labels."""
    def port():
        lines = [line for line in server.log_lines() if line.get("event") == "metrics are served"]
        return lines and lines[0]["port"]
    connection = http.client.HTTPConnection("127.0.0.1", int(until(port, "the metrics' port")))
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status != 200 or not answer.getheader("Content-Type").startswith("text/plain; version=0.0.4"):
        raise AssertionError(f"{answer.status} {answer.getheader('Content-Type')}")
    return {name: float(value) for name, value in re.findall(r"^([^#\s]+) (\S+)$", text, re.MULTILINE)}


class MetricsTest(IdentityTest):
    def test_requests_and_remembered_tokens(self):
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server:
            token = self.bearer()
            for _ in range(3):
                self.assertEqual(server.ask("GET", ASKED, [token]).status, 200)
            self.assertEqual(server.ask("GET", ASKED).status, 401)
            # A request counts once its answer is written, which may be after the client has read it.
            metrics = until(lambda: (m := metrics_of(server))['portail_requests_total{status="4xx"}'] == 1 and m, "four requests")
            self.assertEqual(metrics['portail_requests_total{status="2xx"}'], 3)
            self.assertEqual(metrics['portail_requests_total{status="5xx"}'], 0)
            self.assertEqual(metrics["portail_token_cache_hits_total"], 2)
            self.assertEqual(metrics["portail_token_cache_misses_total"], 1)
            self.assertEqual(metrics["portail_key_set_keys"], 1)
            self.assertEqual(metrics["portail_key_set_refresh_failures_total"], 0)

    def test_the_age_of_the_keys_and_the_failures(self):
        with self.provider() as provider:
            provider.publish(self.make_key("one"))
            with Identified(self.folder, provider, "--jwks-refresh", "1", "--jwks-pause", "0", "--metrics-listen", "127.0.0.1:0",
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

    def test_a_wrong_address(self):
        done = run("serve", "--store", "memory:", "--insecure-http", "--issuer", "i", "--audience", "a", "--jwks",
                   self.path("public.json"), "--metrics-listen", "metrics:9000")
        self.assert_one_line(done, 2, "--metrics-listen")


if __name__ == "__main__":
    unittest.main()

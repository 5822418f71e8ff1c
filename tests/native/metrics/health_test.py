"""The detailed health report: on the metrics' address only."""

import json
import pathlib
import signal
import unittest

from support.identity import IdentityTest, OidcServer
from support.metrics import metrics_of, text_of
from support.program import Revision, Server, must_run, until
from support.valkey import Valkey

METRICS = ("--metrics-listen", "127.0.0.1:0")


def health_of(server):
    """Returns the status and the parts."""
    status, content_type, text = text_of(server, "/health")
    answer = json.loads(text)
    if content_type != "application/json; charset=utf-8" or status != (503 if answer["status"] == "Unhealthy" else 200):
        raise AssertionError(f"{status} {content_type} {text}")
    return answer["status"], answer["parts"]


class HealthTest(IdentityTest):
    def test_all_is_well(self):
        store = f"lmdb:{self.path('healthy')}"
        must_run("import", "--store", store, self.document())
        with Server(self.folder, "--store", store, *METRICS) as server:
            status, parts = health_of(server)
            self.assertEqual((status, list(parts)), ("Healthy", ["store", "keys", "certificate", "connections", "load", "host"]))
            self.assertEqual({part["status"] for part in parts.values()}, {"Healthy"})
            self.assertEqual(parts["store"]["detail"], f"{store} answers")
            self.assertRegex(parts["keys"]["detail"], "^1 usable, their source last answered [0-9]+ s ago$")
            self.assertRegex(parts["certificate"]["detail"], r"^it is valid until 20\d\d-\d\d-\d\d$")
            self.assertEqual(parts["connections"]["detail"], "0 of 8192 are open")
            self.assertEqual((parts["load"]["detail"], parts["host"]["detail"]), ("no request is shed", "the server is running"))
            metrics = metrics_of(server)
            self.assertEqual([metrics[f'portail_healthy{{part="{part}"}}'] for part in parts], [1] * 6)

    def test_clients_learn_the_names_of_parts_alone(self):
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            self.assertEqual(server.ask("GET", "/health").status, 404)
            self.assertEqual(server.ask("GET", "/health/ready").json(), {"status": "Healthy", "parts": {"store": "Healthy", "keys": "Healthy"}})
            self.assertEqual(health_of(server)[1]["store"]["detail"], "memory: answers; it is empty")

    def test_a_store_of_another_layout(self):
        """A newer program changes the layout while the server runs."""
        store = pathlib.Path(self.path("newer"))
        must_run("import", "--store", f"dir:{store}", self.document())

        def set_layout(layout):
            with Revision(store).change():
                (store / "format").write_text(layout)

        administrator = [self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"),
                         ("Content-Type", "application/json")]
        update = b'{"utilisablePourLiasse": false, "typeAffectation": "Rien"}'
        requests = (("GET", "/api/app/objet-courrier/1", b""), ("GET", "/api/app/objet-courrier", b""),
                 ("PUT", "/api/app/objet-courrier/1", update), ("GET", "/health/ready", b""))
        with Server(self.folder, "--store", f"dir:{store}") as server:
            def statuses():
                return [server.ask(method, target, administrator, body).status for method, target, body in requests]
            self.assertEqual(statuses(), [200] * 4)
            tag = server.ask("GET", "/api/app/objet-courrier/1", administrator)["ETag"]
            set_layout("2")
            self.assertEqual(statuses(), [503] * 4)
            self.assertEqual([line["detail"] for line in until(lambda: server.events("store refused"), "a line in the log")],
                             ["the store was written by a newer version of portail: use that version, or import into a new store"])
            set_layout("1")
            self.assertEqual(server.ask("GET", "/api/app/objet-courrier/1", administrator)["ETag"], tag)
            self.assertEqual(statuses(), [200] * 4)

    def test_a_folder_that_was_emptied(self):
        store = pathlib.Path(self.path("emptied"))
        targets = ("/api/app/liasse", "/api/app/objet-courrier/list-all", "/health/ready")
        with Server(self.folder, "--store", f"dir:{store}", "--create", *METRICS) as server:
            def statuses():
                return [server.ask("GET", target, [self.bearer()]).status for target in targets]
            self.assertEqual(statuses(), [200] * 3, "it was never filled")
            must_run("import", "--store", f"dir:{store}", self.document())
            self.assertEqual(statuses(), [200] * 3)
            for file in filter(pathlib.Path.is_file, store.iterdir()):
                file.unlink()
            self.assertEqual(statuses(), [503] * 3)
            self.assertEqual(health_of(server)[1]["store"],
                             {"status": "Unhealthy", "detail": f"dir:{store}: the store is empty: import a document first"})
            must_run("import", "--store", f"dir:{store}", self.document())
            self.assertEqual(statuses(), [200] * 3)

    def test_a_store_that_is_away(self):
        with Valkey("--requirepass", "sesame") as valkey:
            with_password = f"redis://:sesame@127.0.0.1:{valkey.port}/0"
            must_run("import", self.document(), environment={"PORTAIL_STORE": with_password})
            with Server(self.folder, *METRICS, environment={"PORTAIL_STORE": with_password}) as server:
                self.assertEqual(health_of(server)[1]["store"], {"status": "Healthy", "detail": f"{valkey.url} answers"})
                valkey.stop()
                status, parts = health_of(server)
                self.assertEqual((status, parts["store"]["status"], parts["keys"]["status"]), ("Unhealthy", "Unhealthy", "Healthy"))
                self.assertIn(f"{valkey.url} cannot be read: ", parts["store"]["detail"])
                self.assertIn("Connection refused", parts["store"]["detail"])
                self.assertNotIn("sesame", parts["store"]["detail"])
                self.assertEqual(server.ask("GET", "/health/ready").json(), {"status": "Unhealthy", "parts": {"store": "Unhealthy", "keys": "Healthy"}})
                metrics = metrics_of(server)
                self.assertEqual((metrics['portail_healthy{part="store"}'], metrics['portail_healthy{part="keys"}']), (0, 1))

    def test_a_source_of_keys_that_fails(self):
        with self.provider() as provider:
            with OidcServer(self.folder, provider, "--jwks-refresh", "1", "--jwks-min-interval", "0", *METRICS, jwks=provider.url + "/keys") as server:
                none = until(lambda: (parts := health_of(server)[1]["keys"]) and "failures" in parts["detail"] and parts, "a failure")
                self.assertEqual(none["status"], "Unhealthy")
                self.assertRegex(none["detail"], rf"^0 usable; [0-9]+ failures? in a row: cannot fetch {provider.url}/keys: answered 404$")
                provider.publish(self.make_key("one"))
                until(lambda: health_of(server)[1]["keys"]["status"] == "Healthy", "the keys")
                provider.documents.clear()
                old = until(lambda: (parts := health_of(server)[1]["keys"])["status"] == "Degraded" and parts, "failures")
                self.assertRegex(old["detail"], "^1 usable, their source last answered [0-9]+ s ago; [0-9]+ failures? in a row: cannot fetch ")
                self.assertEqual(health_of(server)[0], "Degraded")

    def test_a_certificate_that_expires_soon(self):
        self.make_certificate("certificate.pem", "key.pem", "-days", "20")
        with Server(self.folder, "--store", "memory:", *METRICS) as server:
            status, parts = health_of(server)
            self.assertEqual((status, parts["certificate"]["status"]), ("Degraded", "Degraded"))
            self.assertRegex(parts["certificate"]["detail"], r"^it expires on 20\d\d-\d\d-\d\d, within 30 days$")
        self.make_certificate("certificate.pem", "key.pem")

    def test_connections_that_are_used_up(self):
        with Server(self.folder, "--store", "memory:", "--max-connections", "1", *METRICS) as server, server.connect() as connection:
            self.assertEqual(connection.request("GET", "/health/live").status, 200)
            self.assertEqual(health_of(server)[1]["connections"], {"status": "Degraded", "detail": "1 of 1 are open: further ones are refused"})

    def test_a_server_that_stops(self):
        with Server(self.folder, "--store", "memory:", "--drain-delay", "60s", *METRICS) as server:
            server.process.send_signal(signal.SIGTERM)
            until(lambda: health_of(server)[1]["host"] == {"status": "Unhealthy", "detail": "the server is stopping"}, "the stop")
            self.assertEqual(health_of(server)[0], "Unhealthy")
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(30), 1)


if __name__ == "__main__":
    unittest.main()

"""The program over a Valkey whose address comes from sentinels: import, export, check and serve, error messages, and TLS on every
connection. failover_test.py has the failovers."""

import unittest

from support.engine import free_port
from support.program import PortailTest, Server, must_run, run
from support.sentinel import NAME, Sentinel
from support.valkey import Valkey


class SentinelTest(PortailTest):
    def assert_refused(self, store, status, why, *secrets):
        """Every command fails with one line that contains `why` and none of `secrets`."""
        for command in (["export"], ["check", *self.accepting()], ["serve", "--listen", "127.0.0.1:0", *self.accepting()]):
            with self.subTest(store=store, command=command[0]):
                done = run(*command, environment={"PORTAIL_STORE": store})
                self.assert_one_line(done, status, why)
                for secret in secrets:
                    self.assertNotIn(secret, done.stdout + done.stderr)

    def test_serves_over_the_primary_that_they_name(self):
        with Valkey() as primary, Sentinel(primary.port) as sentinel:
            away = free_port()
            store = f"redis+sentinel://127.0.0.1:{away},127.0.0.1:{sentinel.port}/{NAME}"
            done = run("import", "--store", store, self.document())
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(primary.cli("get", "format"))
            checked = must_run("check", "--store", store, *self.accepting())
            self.assertIn(f"store            ok      {store}/0\n", checked)
            with Server(self.folder, "--store", store) as server:
                self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.bearer()]).json()["id"], "L-00001")
                self.assertEqual(server.stop(), 0)

    def test_one_password_is_for_all_and_never_printed(self):
        with Valkey("--requirepass", "builder") as primary:
            asking = (f"sentinel auth-pass {NAME} builder", "requirepass builder")
            with Sentinel(primary.port, *asking) as sentinel, Sentinel(primary.port, asking[0]) as open_sentinel:
                for port in (sentinel.port, open_sentinel.port):
                    address, name = f"127.0.0.1:{port}/{NAME}", f"redis+sentinel://127.0.0.1:{port}/{NAME}/0"
                    store = {"PORTAIL_STORE": f"redis+sentinel://:builder@{address}"}
                    must_run("import", self.document(), environment=store)
                    checked = run("check", *self.accepting(), environment=store)
                    self.assertEqual(checked.returncode, 0, checked.stderr)
                    self.assertNotIn("builder", checked.stdout + checked.stderr)
                unknown = "it rejects this user and password (WRONGPASS)"
                self.assert_refused(f"redis+sentinel://:burglar@127.0.0.1:{sentinel.port}/{NAME}", 1,
                                    f"no sentinel answers: 127.0.0.1:{sentinel.port}: {unknown}", "burglar", "builder")
                self.assert_refused(f"redis+sentinel://:burglar@{address}", 1,
                                    f"{name} cannot be used: the primary, 127.0.0.1:{primary.port}: {unknown}", "burglar", "builder")

    def test_tls_is_spoken_with_sentinels_and_primary(self):
        self.make_certificate("engine.pem", "engine-key.pem", "-days", "365", "-addext", "subjectAltName=IP:127.0.0.1")
        files = [("tls-cert-file", self.path("engine.pem")), ("tls-key-file", self.path("engine-key.pem")),
                 ("tls-ca-cert-file", self.path("engine.pem")), ("tls-auth-clients", "no")]
        tls = [f"{name} {value}" for name, value in (*files, ("tls-replication", "yes"))]
        ports = free_port(), free_port()
        with Valkey("--tls-port", str(ports[0]), *[word for name, value in files for word in (f"--{name}", value)]), \
                Sentinel(ports[0], f"tls-port {ports[1]}", *tls):
            address = f"rediss+sentinel://127.0.0.1:{ports[1]}/{NAME}"
            known = f"{address}?sslrootcert={self.path('engine.pem')}"
            done = run("import", "--store", known, self.document())
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assert_refused(address, 1, f"{address}/0 cannot be used: no sentinel answers: 127.0.0.1:{ports[1]}: TLS fails: "
                                            "its certificate is not accepted: self-signed certificate")


if __name__ == "__main__":
    unittest.main()

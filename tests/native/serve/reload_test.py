"""SIGHUP: certificate and key, key set and log level are loaded again; an invalid file changes nothing."""

import hashlib
import os
import signal
import ssl
import unittest

from support.program import PortailTest, Server, until

TARGET = "/api/app/objet-courrier"


class ReloadTest(PortailTest):
    def setUp(self):
        self.make_certificate("certificate.pem", "key.pem")

    def start(self, text="", *flags, **options):
        self.write("portail.toml", text)
        return Server(self.folder, "--store", "memory:", "--config", self.path("portail.toml"), *flags, **options)

    def reload(self, server, event="reloaded"):
        """Sends SIGHUP and returns the log line of its outcome."""
        before = len(server.events(event))
        server.process.send_signal(signal.SIGHUP)
        until(lambda: len(server.events(event)) > before, f"the line {event}")
        return server.events(event)[-1]

    def fingerprint(self, connection):
        return hashlib.sha256(connection.socket.getpeercert(binary_form=True)).hexdigest()

    def of_file(self):
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.read("certificate.pem"))).hexdigest()

    def of_new_connection(self, server):
        with server.connect() as connection:
            return self.fingerprint(connection)

    def test_new_connections_get_the_new_certificate(self):
        with self.start() as server, server.connect() as old:
            first = self.of_file()
            self.assertEqual(old.request("GET", "/health/live").status, 200)
            self.make_certificate("certificate.pem", "key.pem")
            self.assertEqual(self.reload(server)["level"], "info")
            self.assertNotEqual(self.of_file(), first)
            self.assertEqual(self.of_new_connection(server), self.of_file())
            # Existing connections stay, with their certificate.
            self.assertEqual(old.request("GET", "/health/live").status, 200)
            self.assertEqual(self.fingerprint(old), first)
            self.assertEqual(server.stop(), 0)

    def replace_link(self, name, target):
        """As certbot does for a renewal."""
        os.symlink(target, self.path("new-link"))
        os.replace(self.path("new-link"), self.path(name))

    def test_a_renewed_certificate_is_used_without_a_signal(self):
        kept = "the TLS certificate was replaced, but the previous one stays in effect"
        os.makedirs(self.path("archive"), exist_ok=True)
        for number in (1, 2, 3):
            self.make_certificate(f"archive/certificate{number}.pem", f"archive/key{number}.pem")
        self.replace_link("certificate.pem", "archive/certificate1.pem")
        self.replace_link("key.pem", "archive/key1.pem")
        with self.start() as server, server.connect() as old:
            first = self.of_file()
            self.assertEqual(self.of_new_connection(server), first)

            def second_is_used():
                # The connection of before stays, with its certificate. It would be closed if it were idle.
                self.assertEqual(old.request("GET", "/health/live").status, 200)
                return self.of_new_connection(server) == self.of_file()

            self.replace_link("certificate.pem", "archive/certificate2.pem")
            self.replace_link("key.pem", "archive/key2.pem")
            until(second_is_used, "the second certificate")
            self.assertEqual(old.request("GET", "/health/live").status, 200)
            self.assertEqual(self.fingerprint(old), first)
            until(lambda: server.events("the TLS certificate was replaced"), "the line")
            second, warnings = self.of_file(), len(server.events(kept))
            self.replace_link("certificate.pem", "archive/certificate3.pem")
            until(lambda: len(server.events(kept)) > warnings, "the warning")
            line = server.events(kept)[-1]
            self.assertEqual(line["level"], "warning")
            self.assertIn("is of the key", line["detail"])
            self.assertEqual(self.of_new_connection(server), second)
            self.replace_link("key.pem", "archive/key3.pem")
            until(lambda: self.of_new_connection(server) == self.of_file(), "the third certificate")
            self.assertEqual(len(server.events(kept)), warnings + 1)
            self.assertEqual(server.stop(), 0)
        for name in ("certificate.pem", "key.pem"):
            os.remove(self.path(name))

    def test_a_broken_certificate_changes_nothing(self):
        failed = "not reloaded: the previous values stay in effect"
        with self.start('log-level = "error"\n') as server:
            first = self.of_file()
            self.write("key.pem", "no key")
            line = self.reload(server, failed)
            self.assertEqual(line["level"], "error")
            self.assertIn("key.pem", line["detail"])
            self.assertEqual(self.of_new_connection(server), first)
            self.make_certificate("other-certificate.pem", "key.pem")
            self.assertIn("is of the key", self.reload(server, failed)["detail"])
            self.assertEqual(self.of_new_connection(server), first)
            os.remove(self.path("certificate.pem"))
            self.assertIn("certificate.pem", self.reload(server, failed)["detail"])
            self.assertEqual(server.ask("GET", "/health/ready").status, 200)

    def test_a_certificate_that_expires_soon_or_has_expired(self):
        with self.start() as server:
            self.make_certificate("certificate.pem", "key.pem", "-days", "3")
            self.reload(server)
            said = until(lambda: server.events("the TLS certificate expires soon"), "the warning")
            self.assertIn(self.path("certificate.pem"), said[0]["detail"])
            self.assertEqual(self.of_new_connection(server), self.of_file())
            kept = self.of_file()
            self.make_certificate("certificate.pem", "key.pem", "-not_before", "20190101000000Z", "-not_after", "20200101000000Z")
            self.assertIn("expired at 2020-01-01T00:00:00Z", self.reload(server, "not reloaded: the previous values stay in effect")["detail"])
            self.assertEqual(self.of_new_connection(server), kept)

    def test_the_level_of_the_log(self):
        with self.start('log-level = "warning"\n') as server:
            with server.connect() as connection:  # the second request is read after the first was logged or skipped
                connection.request("GET", "/health/live")
                connection.request("GET", "/health/ready")
            self.write("portail.toml", 'log-level = "info"\n')
            self.reload(server)
            server.ask("GET", "/health/live")
            until(lambda: [line for line in server.log_lines() if line.get("route") == "/health/live"], "a line of a request")
            self.assertEqual(len([line for line in server.log_lines() if line.get("route") == "/health/live"]), 1)
            # A broken file and one with invalid values change nothing.
            for text, part in [('log-level = "loud"\n', "must be debug, info, warning or error"), ('log-level = "error\n', "line 1"),
                               ('log-level = "error"\ninsecure-http = true\n', "insecure-http in ")]:
                self.write("portail.toml", text)
                self.assertIn(part, self.reload(server, "not reloaded: the previous values stay in effect")["detail"])
            server.ask("GET", "/health/ready")
            until(lambda: [line for line in server.log_lines() if line.get("route") == "/health/ready"], "the level of before")

    def test_a_flag_still_beats_the_file(self):
        with self.start("", "--log-level", "debug") as server:
            self.write("portail.toml", 'log-level = "error"\n')
            self.reload(server)
            server.ask("GET", "/health/live")
            until(lambda: [line for line in server.log_lines() if line.get("route") == "/health/live"], "a line of a request")

    def test_an_overridden_change_is_reported(self):
        event = "changed settings are overridden by flags or the environment"
        with self.start('leeway = 5\nissuer = "https://other.test"\nlog-key = "sesame"\n', "--log-level", "info",
                        environment={"PORTAIL_LEEWAY": "7", "PORTAIL_LOG_KEY": "sesame"}) as server:
            self.reload(server)
            self.write("portail.toml", 'leeway = 6\nlog-level = "error"\nissuer = "https://other.test"\nlog-key = "sesame 2"\n')
            self.reload(server)
            said = until(lambda: server.events(event), "the warning")
            self.assertEqual([line["detail"] for line in said], ["leeway by PORTAIL_LEEWAY, log-level by --log-level, log-key by PORTAIL_LOG_KEY"])
            self.assertNotIn("sesame", server.log())

    def test_what_needs_a_start_is_named(self):
        with self.start("workers = 4\n") as server:
            self.write("portail.toml", 'workers = 5\nlog-key = "sesame"\n')
            self.reload(server)
            event = "changed settings take effect after a restart"
            until(lambda: server.events(event), "the line")
            self.assertEqual(server.events(event)[0]["detail"], "workers, log-key")
            self.assertNotIn("sesame", server.log())

    def test_tls_does_not_end_in_passing(self):
        certificate = "".join(f'{name} = "{self.path(file)}"\n' for name, file in
                              [("tls-cert", "certificate.pem"), ("tls-key", "key.pem")])
        with InFile(self.folder, self.write("portail.toml", certificate)) as server:
            self.write("portail.toml", "insecure-http = true\n")
            self.assertIn("a reload cannot enable or disable TLS", self.reload(server, "not reloaded: the previous values stay in effect")["detail"])
            self.assertEqual(self.of_new_connection(server), self.of_file())

    def test_it_never_ends_the_server(self):
        auth = self.bearer()
        with self.start() as server:
            for _ in range(5):
                self.reload(server)
                self.assertEqual(server.ask("GET", TARGET, [auth]).status, 200)
            self.assertEqual(server.stop(), 0)
        with self.start("", "--drain-delay", "600000") as server:
            server.process.send_signal(signal.SIGTERM)
            until(lambda: server.ask("GET", "/health/ready").status == 503, "the stop to begin")
            server.process.send_signal(signal.SIGHUP)  # no second signal that ends it
            self.assertEqual(server.ask("GET", TARGET, [auth]).status, 200)
            self.assertIsNone(server.process.poll())
            self.assertEqual(server.stop(), 1)


class InFile(Server):
    """A server whose configuration file names its certificate."""

    def __init__(self, folder, file):
        super().__init__(folder, "--store", "memory:", "--config", file)

    def settings(self, folder, jwks):
        flags = super().settings(folder, jwks)
        return flags[:flags.index("--tls-cert")]


if __name__ == "__main__":
    unittest.main()

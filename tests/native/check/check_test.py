"""`portail check`: the certificate's validity and the store's contents; and the server's use of the certificate."""

import datetime
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import unittest

from support.metrics import text_of
from support.program import AUDIENCE, ISSUER, PortailTest, Server, must_run, on_terminal, run, until
from support.valkey import Valkey

DAY = datetime.timedelta(days=1)


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


class CheckTest(PortailTest):
    def make_certificate_for(self, begin, end, certificate="certificate.pem", key="key.pem"):
        """Creates a certificate that is valid from `begin` to `end`."""
        self.make_certificate(certificate, key, "-not_before", begin.strftime("%Y%m%d%H%M%SZ"), "-not_after",
                              end.strftime("%Y%m%d%H%M%SZ"))

    def run_with_certificate(self, command, *flags, store="memory:", environment=None):
        return run(command, "--listen", "127.0.0.1:0", "--store", store, "--issuer", ISSUER, "--audience", AUDIENCE, "--jwks",
                   self.path("public.json"), "--tls-cert", self.path("certificate.pem"), "--tls-key", self.path("key.pem"), *flags,
                   environment=environment)

    def test_a_certificate_that_is_not_valid_now(self):
        for begin, words in ((now() - 2 * DAY, ["expired at {end:%Y-%m-%dT%H:%M:%SZ}"]),
                             (now() + DAY, ["is not valid before {begin:%Y-%m-%dT%H:%M:%SZ}", "clock"])):
            end = begin + DAY
            self.make_certificate_for(begin, end)
            for command in ("check", "serve"):
                with self.subTest(command, words=words):
                    self.assert_one_line(self.run_with_certificate(command), 1, self.path("certificate.pem"), "--tls-cert",
                                         *(word.format(begin=begin, end=end) for word in words))

    def test_a_certificate_that_expires_soon(self):
        soon = now() + 20 * DAY
        self.make_certificate_for(now() - DAY, soon)
        warning = f"the TLS certificate {self.path('certificate.pem')} expires on {soon:%Y-%m-%d}"
        done = self.run_with_certificate("check")
        self.assertEqual((done.returncode, done.stderr), (0, f"portail: {warning}\n"))
        with Server(self.folder, "--store", "memory:") as server:
            self.assertEqual(server.ask("GET", "/health/ready").status, 200)
            said = until(lambda: server.events("the TLS certificate expires soon"), "the warning")
            self.assertEqual([(line["level"], line["detail"]) for line in said], [("warning", warning)])

    def test_a_certificate_that_lasts(self):
        end = now() + 31 * DAY
        self.make_certificate_for(now() - DAY, end)
        done = self.run_with_certificate("check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"certificate      ok      {self.path('certificate.pem')}, valid until {end:%Y-%m-%d}\n", done.stdout)
        with Server(self.folder, "--store", "memory:") as server:
            self.assertEqual(server.ask("GET", "/health/ready").status, 200)
            self.assertEqual(server.events("the TLS certificate expires soon"), [])

    def test_every_certificate_of_a_chain_is_judged(self):
        """The server's own one is that of the key, wherever it is."""
        self.make_certificate("root.pem", "root.key", "-days", "2", "-addext", "basicConstraints=critical,CA:TRUE")
        for days, order in ((-1, "leaf between"), (10, "leaf between"), (10, "between leaf"), (10, "root between leaf"), (-1, "between leaf")):
            with self.subTest(days=days, order=order):
                end = now() + days * DAY
                times = ("-not_before", f"{end - 30 * DAY:%Y%m%d%H%M%SZ}", "-not_after", f"{end:%Y%m%d%H%M%SZ}")
                self.make_signed_certificate("between", "root", "basicConstraints=critical,CA:TRUE", times)
                self.make_signed_certificate("leaf", "between", "subjectAltName=IP:127.0.0.1", ("-days", "90"))
                chain = self.write("certificate.pem", "".join(self.read(f"{name}.pem") for name in order.split()))
                shutil.copy(self.path("leaf.key"), self.path("key.pem"))
                if days < 0:
                    expired = f"the TLS certificate {chain} (CN = between) expired at {end:%Y-%m-%dT%H:%M:%SZ}; give --tls-cert a new one"
                    self.assert_one_line(self.run_with_certificate("check"), 1, expired)
                    self.assert_served_with_warning(f"{expired}, or remove it from the file if clients do not need it", "Degraded")
                    continue
                warning = f"the TLS certificate {chain} (CN = between) expires on {end:%Y-%m-%d}"
                done = self.run_with_certificate("check")
                self.assertEqual((done.returncode, done.stderr), (0, f"portail: {warning}\n"))
                with Server(self.folder, "--store", "memory:") as server, socket.create_connection(("127.0.0.1", server.port)) as connection:
                    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                    trusting.load_verify_locations(self.path("root.pem"))
                    with trusting.wrap_socket(connection, server_hostname="127.0.0.1") as client:
                        self.assertEqual(client.getpeercert()["subject"], ((("commonName", "leaf"),),))

    def assert_served_with_warning(self, warning, health, environment=None):
        """The server is ready, and the certificate's part of its health is `health`."""
        with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0", environment=environment) as server:
            self.assertEqual(server.ask("GET", "/health/ready").status, 200)
            said = until(lambda: server.events("the TLS certificate expires soon"), "the warning")
            self.assertEqual([line["detail"] for line in said], [warning])
            status, _, report = text_of(server, "/health")
            self.assertEqual((status, json.loads(report)["parts"]["certificate"]["status"]), (200, health))

    def test_an_expired_cross_certificate(self):
        """Clients that have its subject as a root do not need it."""
        authority = "basicConstraints=critical,CA:TRUE"
        self.make_certificate("retired.pem", "retired.key")
        self.make_signed_certificate("root", "retired", authority, ("-not_before", "20210101000000Z", "-not_after", "20210102000000Z"))
        subprocess.run(["openssl", "req", "-x509", "-key", self.path("root.key"), "-subj", "/CN=root", "-days", "90", "-addext", authority,
                        "-out", self.path("new-root.pem")], check=True)
        self.make_signed_certificate("between", "root", authority, ("-days", "90"))
        self.make_signed_certificate("leaf", "between", "subjectAltName=IP:127.0.0.1", ("-days", "90"))
        shutil.copy(self.path("leaf.key"), self.path("key.pem"))
        chain = self.write("certificate.pem", "".join(self.read(f"{name}.pem") for name in ("leaf", "between", "root")))
        name = f"the TLS certificate {chain} (CN = root)"
        for environment, warning, health in (
                ({"SSL_CERT_FILE": self.path("new-root.pem")}, f"{name} expired on 2021-01-02, and no client needs it; remove it from the file",
                 "Healthy"),
                ({}, f"{name} expired at 2021-01-02T00:00:00Z; give --tls-cert a new one, or remove it from the file if clients do not need it",
                 "Degraded")):
            with self.subTest(environment):
                done = self.run_with_certificate("check", environment=environment)
                self.assertEqual((done.returncode, done.stderr), (0, f"portail: {warning}\n"))
                self.assert_served_with_warning(warning, health, environment)

    def test_certificates_of_one_key(self):
        """The first that is valid now is used, of the server and of an issuer."""
        self.make_certificate("root.pem", "root.key", "-addext", "basicConstraints=critical,CA:TRUE")
        self.make_signed_certificate("between", "root", "basicConstraints=critical,CA:TRUE", ("-days", "60"))
        self.make_signed_certificate("leaf", "between", "subjectAltName=IP:127.0.0.1", ("-days", "60"))
        shutil.copy(self.path("leaf.key"), self.path("key.pem"))
        for made, name, authority, begin in (("next", "leaf", "between", 1), ("longer", "leaf", "between", -1), ("next-between", "between", "root", 1)):
            subprocess.run(["openssl", "x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{authority}.pem"), "-CAkey",
                            self.path(f"{authority}.key"), "-extfile", self.path(f"{name}.cnf"), "-not_before", f"{now() + begin * DAY:%Y%m%d%H%M%SZ}",
                            "-not_after", f"{now() + 90 * DAY:%Y%m%d%H%M%SZ}", "-out", self.path(f"{made}.pem")], check=True, capture_output=True)
        for order, used in (("leaf next between", "leaf"), ("next leaf between", "leaf"), ("leaf longer between", "leaf"),
                            ("longer leaf between", "longer"), ("leaf next-between between", "leaf")):
            with self.subTest(order):
                self.write("certificate.pem", "".join(self.read(f"{name}.pem") for name in order.split()))
                done = self.run_with_certificate("check")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                with Server(self.folder, "--store", "memory:") as server:
                    certificate = ssl.PEM_cert_to_DER_cert(self.read(f"{used}.pem"))
                    self.assertEqual(ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", server.port))), certificate)

    def test_an_expired_certificate_that_no_client_needs(self):
        """A root, and an older certificate of the same key."""
        past = ("-not_before", "20210101000000Z", "-not_after", "20210102000000Z")
        self.make_certificate("root.pem", "root.key", *past)
        self.make_signed_certificate("leaf", "root", "subjectAltName=IP:127.0.0.1", ("-days", "90"))
        shutil.copy(self.path("leaf.key"), self.path("key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-key", self.path("key.pem"), "-subj", "/CN=older", *past, "-out", self.path("older.pem")], check=True)
        for order, expired in ("leaf root", "portail.test"), ("older leaf", "older"):
            with self.subTest(order):
                chain = self.write("certificate.pem", "".join(self.read(f"{name}.pem") for name in order.split()))
                warning = f"the TLS certificate {chain} (CN = {expired}) expired on 2021-01-02, and no client needs it; remove it from the file"
                done = self.run_with_certificate("check")
                self.assertEqual((done.returncode, done.stderr), (0, f"portail: {warning}\n"))
                with Server(self.folder, "--store", "memory:", "--metrics-listen", "127.0.0.1:0") as server:
                    self.assertEqual(text_of(server, "/health")[0], 200)
                    said = until(lambda: server.events("the TLS certificate expires soon"), "the warning")
                    self.assertEqual([line["detail"] for line in said], [warning])
                    certificate = ssl.PEM_cert_to_DER_cert(self.read("leaf.pem"))
                    self.assertEqual(ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", server.port))), certificate)

    def test_a_fault_of_tls_names_the_source_of_the_setting(self):
        self.make_certificate("certificate.pem", "key.pem")
        self.make_certificate("other.pem", "other-key.pem")
        end = now() - DAY
        self.make_certificate_for(end - DAY, end, "expired.pem", "expired-key.pem")
        nothing = self.write("nothing.pem", "nothing\n")
        file = self.path("tls.toml")
        good = {"tls-cert": self.path("certificate.pem"), "tls-key": self.path("key.pem")}
        expired = {"tls-cert": self.path("expired.pem"), "tls-key": self.path("expired-key.pem")}
        for changes, named in [
            ({"tls-cert": self.path("missing.pem")}, "tls-cert"), ({"tls-key": self.path("missing.pem")}, "tls-key"),
            ({"tls-cert": "no such relative name"}, "tls-cert"), ({"tls-cert": nothing}, "tls-cert"),
            ({"tls-key": nothing}, "tls-key"), ({"tls-key": self.path("other-key.pem")}, "tls-key"),
            ({"tls-key": ""}, "tls-cert"), (expired, "tls-cert"), ({"insecure-http": "true"}, "insecure-http"),
        ]:
            given = good | changes
            flags = [part for name, value in given.items() for part in
                     ([f"--{name}"] if name == "insecure-http" else [f"--{name}", value])]
            environment = {"PORTAIL_" + name.upper().replace("-", "_"): value for name, value in given.items()}
            in_file = "".join(f"{name} = {value}\n" if name == "insecure-http" else f'{name} = "{value}"\n'
                              for name, value in given.items())
            self.write("tls.toml", in_file)
            for how, arguments, variables, where in [
                ("flag", flags, {}, f"--{named}"), ("environment", [], environment, "PORTAIL_" + named.upper().replace("-", "_")),
                ("file", ["--config", file], {}, f"{named} in {file}"),
            ]:
                with self.subTest(changes=changes, how=how):
                    done = run("check", "--store", "memory:", "--issuer", ISSUER, "--audience", AUDIENCE, "--jwks",
                               self.path("public.json"), *arguments, environment=variables)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                    self.assertIn(where, done.stderr)
                    if how != "flag":
                        self.assertNotIn(f"--{named}", done.stderr)

    def test_what_the_store_holds_is_counted(self):
        self.make_certificate("certificate.pem", "key.pem")
        document = self.document(mail_objects=4, bundles=1500)
        rows = ("  objetsCourrier         4, 0 of them with a template file\n  tiers                  1\n  liasses                1500\n"
                "  droits                 0\n  audit                  2 records\n")
        with Valkey() as valkey:
            for store in (f"lmdb:{self.path('lmdb')}", f"dir:{self.path('dir')}", valkey.url):
                with self.subTest(store):
                    for _ in range(2):
                        must_run("import", "--store", store, document)
                    before = run("export", "--store", store).stdout
                    done = self.run_with_certificate("check", store=store)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertTrue(done.stdout.endswith(f"store            ok      {store}\n{rows}"), done.stdout)
                    self.assertEqual(run("export", "--store", store).stdout, before)
        done = self.run_with_certificate("check")
        self.assertTrue(done.stdout.endswith("store            ok      memory:, empty\n"), done.stdout)

    def test_a_lost_value_is_named_and_an_import_writes_it_again(self):
        folder = pathlib.Path(self.path("lost"))
        store, document = f"dir:{folder}", self.document()
        must_run("import", "--store", store, document)
        for key in ("catalogue.0", "tiers.=541", "format"):
            (folder / key).unlink()
            reason = f"a stored value is missing: {key}; import the document again, or restore a backup"
            self.assert_one_line(run("check", *self.accepting(), "--store", store), 1, f"the store {store} cannot be read: {reason}")
            self.assert_one_line(run("export", "--store", store), 1, reason.partition(";")[0])
            must_run("import", "--store", store, document)
            self.assertEqual(run("check", *self.accepting(), "--store", store).returncode, 0)
        (folder / "format").unlink()
        (folder / "droits").write_text("damaged")  # what can be said of the contents is not certain
        self.assert_one_line(run("check", *self.accepting(), "--store", store), 1, f"the store {store} cannot be read: its catalogue or its grants are damaged")

    def test_a_store_that_was_never_filled_is_empty(self):
        folder = pathlib.Path(self.path("only-keys"))
        store = f"dir:{folder}"
        must_run("keys", "store", "--store", store, self.path("public.json"))
        done = run("check", *self.accepting(), "--store", store)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith(f"{store}, empty\n"), done.stdout)
        copy = pathlib.Path(self.write("last-copy.json", "{}"))
        for flags in ((), ("--format", "json-lines")):
            self.assert_one_line(run("export", "--store", store, "--output", copy, "--overwrite", *flags), 1,
                                 f"the store {store} holds no portal: a stored value is missing: format; import the document, or restore a backup")
        self.assertEqual(copy.read_text(), "{}")

    def test_an_interrupted_import_is_named_until_it_is_repeated(self):
        folder = pathlib.Path(self.path("interrupted"))
        store, document = f"dir:{folder}", self.document()
        must_run("import", "--store", store, document)
        configuration = (folder / "configuration").read_text().removesuffix("\n")
        (folder / "configuration").write_text(configuration.replace("\tcomplete\t", "\tbegun\t") + "\t7\n")
        warning = "an import was interrupted, or is running; unless one is running, import the document again"
        grants = self.write("grants.json", '{"droits":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"}]}')
        for _ in range(2):
            done = run("check", *self.accepting(), "--store", store)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"store            warning {store}\n", done.stdout)
            self.assertTrue(done.stdout.endswith(warning + "\n"), done.stdout)
            self.assert_one_line(run("export", "--store", store), 0, warning)
            must_run("import", "--store", store, grants)
        must_run("import", "--store", store, document)
        self.assertNotIn(warning, run("check", *self.accepting(), "--store", store).stdout)
        self.assertEqual(run("export", "--store", store).stderr, "")

    def test_codes_that_mail_objects_share_are_listed(self):
        self.make_certificate("certificate.pem", "key.pem")
        store = f"dir:{self.path('shared')}"
        must_run("import", "--store", store, self.document(mail_objects=4, bundles=1))
        catalogue = pathlib.Path(self.path("shared"), "catalogue.0")
        before = catalogue.read_text()
        catalogue.write_text(before.replace('"TYPE3"', '"TYPE1"').replace('"TYPE4"', '"TYPE1"'))
        self.assertNotEqual(catalogue.read_text(), before)
        warning = 'objetsCourrier: mail objects 1, 3 and 4 have the same typeObjet, "TYPE1"; import them with distinct codes'
        done = self.run_with_certificate("check", store=store)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"store            warning {store}\n", done.stdout)
        self.assertTrue(done.stdout.endswith(warning + "\n"), done.stdout)
        found = json.loads(self.run_with_certificate("check", "--json", store=store).stdout)
        self.assertEqual((found["status"], found["checks"]["store"]["status"], found["remarks"]), ("warning", "warning", [warning]))

    def test_every_check_runs_though_one_fails(self):
        end = now() - DAY
        self.make_certificate_for(end - DAY, end)
        store = f"lmdb:{self.path('missing')}"
        done = self.run_with_certificate("check", store=store)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "configuration    ok\n"
                                      f"keys             ok      1 usable, 0 refused: {self.path('public.json')}\n"
                                      f"certificate      failed  the TLS certificate {self.path('certificate.pem')} expired at "
                                      f"{end:%Y-%m-%dT%H:%M:%SZ}; give --tls-cert a new one\n"
                                      f"store            failed  {self.path('missing')} does not exist: import a document into it first, or "
                                      "name another store\n")
        # Scripts that keep standard error only have the reasons too.
        self.assertEqual(done.stderr.splitlines(),
                         [f"portail: {line.split('failed  ')[1]}" for line in reversed(done.stdout.splitlines()[2:])])
        printed = on_terminal("check", "--store", store, "--issuer", ISSUER, "--audience", AUDIENCE, "--jwks", self.path("public.json"),
                              "--tls-cert", self.path("certificate.pem"), "--tls-key", self.path("key.pem"), environment={"TERM": "dumb"})
        self.assertEqual(printed, done.stdout.replace("\n", "\r\n") + "portail: check failed: certificate, store\r\n")

    def test_as_json(self):
        self.make_certificate_for(now() - DAY, now() + 20 * DAY)
        store = f"lmdb:{self.path('counted')}"
        must_run("import", "--store", store, self.document(mail_objects=4, bundles=2))
        done = self.run_with_certificate("check", "--json", store=store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertEqual(json.loads(done.stdout), {
            "status": "warning",
            "checks": {"configuration": {"status": "ok", "detail": "", "remedy": None},
                       "keys": {"status": "ok", "detail": f"1 usable, 0 refused: {self.path('public.json')}", "remedy": None},
                       "certificate": {"status": "warning",
                                       "detail": f"{self.path('certificate.pem')}, valid until {now() + 20 * DAY:%Y-%m-%d}",
                                       "remedy": None},
                       "store": {"status": "ok", "detail": store, "remedy": None}},
            "remarks": [],
            "contents": {"objetsCourrier": 4, "fichiersModeles": 0, "tiers": 1, "liasses": 2, "droits": 0, "audit": 1}})
        weak = self.write("weak.json", '{"keys":[{"kty":"oct","kid":"w","alg":"HS256","k":"c2hvcnQ"}]}')
        failed = run("check", "--json", "--store", "memory:", *self.accepting(weak))
        self.assertEqual(failed.returncode, 1)
        found = json.loads(failed.stdout)
        self.assertEqual((found["status"], found["checks"]["keys"]["status"], list(found["checks"])),
                         ("failed", "failed", ["configuration", "keys", "store"]))
        self.assertIn(found["checks"]["keys"]["detail"], failed.stderr)
        self.assertEqual(len(found["remarks"]), 1)
        unusable = self.run_with_certificate("check", "--json", "--leeway", "7h")
        self.assertEqual((unusable.returncode, unusable.stdout), (2, ""))

    def test_colours_are_for_a_terminal_that_has_them(self):
        self.make_certificate("certificate.pem", "key.pem")
        for environment, coloured in [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": ""}, True),
                                      ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]:
            with self.subTest(environment):
                printed = on_terminal("check", "--store", "memory:", "--issuer", ISSUER, "--audience", AUDIENCE, "--jwks",
                                      self.path("public.json"), "--tls-cert", self.path("certificate.pem"), "--tls-key",
                                      self.path("key.pem"), environment=environment)
                self.assertIn("configuration    \033[32mok     \033[0m\r\n" if coloured else "configuration    ok\r\n", printed)
                self.assertEqual("\033" in printed, coloured)
        self.assertNotIn("\033", self.run_with_certificate("check", environment={"TERM": "xterm"}).stdout)

    def times(self, folder):
        """Returns the modification time of each file, except for LMDB's table of readers."""
        return {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder) if name != "lock.mdb"}

    def test_nothing_of_the_store_is_written(self):
        self.make_certificate("certificate.pem", "key.pem")
        for scheme in ("lmdb", "dir"):
            with self.subTest(scheme):
                folder = self.path(f"sealed-{scheme}")
                must_run("import", "--store", f"{scheme}:{folder}", self.document())
                before = self.times(folder)
                done = self.run_with_certificate("check", store=f"{scheme}:{folder}")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(self.times(folder), before)


if __name__ == "__main__":
    unittest.main()

"""A flag beats the environment, which beats the configuration file."""

import json
import unittest

from support.program import AUDIENCE, ISSUER, PortailTest, Server, must_run, run


class SettingsTest(PortailTest):
    def check(self, *flags, environment=None):
        return run("check", *flags, environment=environment)

    def configuration(self, **changes):
        settings = {"issuer": f'"{ISSUER}"', "audience": f'["{AUDIENCE}", "other"]', "jwks": f'"{self.path("public.json")}"',
                    "store": '"memory:"', "tls-cert": f'"{self.path("certificate.pem")}"',
                    "tls-key": f'"{self.path("key.pem")}"'} | {k.replace("_", "-"): v for k, v in changes.items()}
        return self.write("portail.toml", "# settings\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()))

    def test_a_file_alone_is_enough(self):
        done = self.check("--config", self.configuration())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        *lines, certificate, store = done.stdout.splitlines()
        self.assertEqual(lines, ["configuration    ok", f"keys             ok      1 usable, 0 refused: {self.path('public.json')}"])
        self.assertRegex(certificate, rf"^certificate      ok      {self.path('certificate.pem')}, valid until \d{{4}}-\d\d-\d\d$")
        self.assertEqual(store, "store            ok      memory:, empty")
        done = self.check(environment={"PORTAIL_CONFIG": self.configuration()})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_setting_in_force_is_shown_and_no_secret(self):
        file = self.configuration(leeway=30, store='"redis://user:sesame@127.0.0.1:1/0"')
        done = self.check("--show", "--config", file, "--workers", "7", "--shutdown-timeout", "1min", "--filter-lists",
                          environment={"PORTAIL_LOG_KEY": "sesame", "PORTAIL_DRAIN_DELAY": "5", "PORTAIL_TLS_CERT": "sesame"})
        lines = done.stdout.splitlines()
        for line in (f"issuer = {ISSUER}  (issuer in {file})", f"audience = {AUDIENCE},other  (audience in {file})",
                     f"leeway = 30 seconds  (leeway in {file})", "workers = 7  (--workers)", "drain-delay = 5 milliseconds  (PORTAIL_DRAIN_DELAY)",
                     "audit-retention = 365 days  (default)", "shutdown-timeout = 60 seconds  (--shutdown-timeout)", "max-unsent = 256 MiB  (default)",
                     "transport = direct  (default)", "insecure-http = off  (default)", "filter-lists = on  (--filter-lists)",
                     f"page-authority = {ISSUER}  (default)", "identity-ca = the system's  (default)",
                     "log-key = (set)  (PORTAIL_LOG_KEY)", "tls-cert = (set)  (PORTAIL_TLS_CERT)", "log-level = info  (default)", "tenant = -  (default)",
                     f"store = redis://127.0.0.1:1/0  (store in {file})", f"tls-key = (set)  (tls-key in {file})"):
            self.assertIn(line, lines)
        self.assertNotIn("jwks-min-interval", done.stdout)
        self.assertNotIn("sesame", done.stdout + done.stderr)
        done = self.check("--show", "--json", "--config", file, "--workers", "7", environment={"PORTAIL_LOG_KEY": "sesame"})
        shown = json.loads(done.stdout)["settings"]
        self.assertEqual([name for name in shown if name == "jwks-min-interval"], [])
        self.assertEqual([shown[name] for name in ("leeway", "workers", "log-key", "tenant", "store")],
                         [{"value": "30", "unit": "seconds", "source": f"leeway in {file}"}, {"value": "7", "source": "--workers"},
                          {"value": "(set)", "source": "PORTAIL_LOG_KEY"}, {"value": "-", "source": "default"},
                          {"value": "redis://127.0.0.1:1/0", "source": f"store in {file}"}])
        self.assertNotIn("sesame", done.stdout + done.stderr)
        shown = self.check("--show", "--insecure-http", "--store", "memory:").stdout.splitlines()
        self.assertIn("transport = loopback  (default)", shown)
        self.assertRegex("\n".join(shown), r"(?m)^workers = [0-9]+  \(default\)$")

    def test_the_environment_alone_is_enough(self):
        environment = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": f"other,{AUDIENCE}", "PORTAIL_STORE": "memory:",
                       "PORTAIL_JWKS": self.read("public.json"),
                       "PORTAIL_TLS_CERT": self.path("certificate.pem"), "PORTAIL_TLS_KEY": self.path("key.pem")}
        self.assertEqual(self.check(environment=environment).returncode, 0)
        self.assert_one_line(self.check(environment=environment | {"PORTAIL_LEEWAY": "much"}), 2, "much")
        self.assert_one_line(self.check(environment=environment | {"PORTAIL_LEEWAY": "301"}), 2, "301")

    def test_lists_are_replaced_and_not_joined(self):
        token = self.bearer()
        for environment, flags, status in [({}, [], 200), ({"PORTAIL_AUDIENCE": "other"}, [], 401),
                                           ({"PORTAIL_AUDIENCE": "other"}, ["--audience", AUDIENCE], 200)]:
            file = self.configuration(audience=f'["{AUDIENCE}"]')
            with self.subTest(environment=environment, flags=flags):
                with Configured(self.folder, file, environment, flags) as server:
                    self.assertEqual(server.ask("GET", "/api/app/objet-courrier", [token]).status, status)

    def test_a_broken_file_is_refused(self):
        file = self.path("portail.toml")
        for text, position in [
                (f'issuer = "{ISSUER}\naudience = "a"\n', "line 1, column "),
                (f'issuer = "{ISSUER}"\naudience = ["a"\nstore = "lmdb:x"\njwks = "{self.path("public.json")}"\n', "line 3, column 1"),
                ("leeway = 1\nleeway = 2\n", "line 2, column 1"),
                ("leeway 1\n", "line 1, column 8"),
                ("leeway = 1 sesame\n", "line 1, column 12"),
                ("log-key = sesame\n", "line 1, column 11"),
                ("sesame\n", "line 1, column 7")]:
            with self.subTest(text):
                done = self.check("--config", self.write("portail.toml", text))
                self.assert_one_line(done, 2, f"{file}, {position}", "is not TOML")
                self.assertNotIn("sesame", done.stderr)

    def test_values_of_another_type(self):
        for line, what in [('leeway = "60"', "leeway must be a number"), ("leeway = 6.0", "leeway must be a number"),
                           ("leeway = [60]", "leeway must be a number"), ('insecure-http = "true"', "insecure-http must be true or false"),
                           ("issuer = 7", "issuer must be a text"), ('issuer = ["sesame"]', "issuer must be a text"),
                           ("audience = [1]", "audience must be a list"), ("audience = true", "audience must be a list"),
                           ("[issuer]", "issuer must be a text"), ('issuer.sesame = "a"', "issuer must be a text")]:
            with self.subTest(line):
                file = self.write("portail.toml", f"# settings\n{line}\n")
                done = self.check("--config", file)
                self.assert_one_line(done, 2, f"the configuration {file}, line 2, column ", what)
                self.assertNotIn("sesame", done.stderr)

    def test_unknown_names_and_the_nearest_known_one(self):
        for line, what in [('isuer = "x"', "unknown setting isuer; did you mean issuer?"),
                           ('tls-certificate = "x"', "unknown setting tls-certificate; `"),
                           ('audiences = ["x"]', "unknown setting audiences; did you mean audience?"),
                           ("[serve]", "unknown table serve; `"), ('config = "x"', "unknown setting config; `"),
                           ('S3SAME = "x"', ": unknown setting")]:
            with self.subTest(line):
                file = self.write("portail.toml", f"\n{line}\n")
                done = self.check("--config", file)
                self.assert_one_line(done, 2, f"{file}, line 2, column ", what)
                self.assertNotIn("S3SAME", done.stderr)

    def test_a_folder_is_no_file(self):
        self.assert_one_line(self.check("--config", self.folder), 1, self.folder, "it is a folder")
        self.assert_one_line(self.check("--config", self.path("missing.toml")), 1, "missing.toml", "--config")

    def test_an_unknown_variable_is_refused(self):
        file, keys, other = self.configuration(), self.path("private.json"), "; unset this variable, or see `portail serve --help`"
        for name, suggestion in [("PORTAIL_AUDIANCE", "; did you mean PORTAIL_AUDIENCE?"), ("PORTAIL_TOKN", "; did you mean PORTAIL_TOKEN?"),
                                 ("PORTAIL_SYNC_SORCE", "; did you mean PORTAIL_SYNC_SOURCE?"), ("PORTAIL_", other), ("PORTAIL_PORT", other)]:
            with self.subTest(name):
                for command in (["serve", "--config", file], ["check", "--config", file], ["import", self.document()], ["export"], ["backup"],
                                ["keys", "store", self.path("public.json")]):
                    done = run(*command, environment={name: "8443"})
                    self.assertEqual((done.returncode, done.stderr), (2, f"portail: unknown setting {name}{suggestion}\n"), command)
        # It precedes what is missing for that reason.
        done = run("token", "--keys", keys, environment={"PORTAIL_ISUER": ISSUER})
        self.assertEqual((done.returncode, done.stderr),
                         (2, "portail: unknown setting PORTAIL_ISUER; did you mean PORTAIL_ISSUER?\n"))
        # A command that reads no variable accepts all.
        for command in (["version"], ["completions", "bash"], ["serve", "--help"], ["keys", "show", self.path("public.json")]):
            self.assertEqual(run(*command, environment={"PORTAIL_ISUER": ISSUER}).returncode, 0, command)

    def test_variables_of_other_commands_and_of_orchestrators_are_accepted(self):
        of_commands = {"PORTAIL_TOKEN": "a.b.c", "PORTAIL_SYNC_SOURCE": "/nowhere", "PORTAIL_BACKUP_KEEP": "7"}
        links = {"PORTAIL_SERVICE_HOST": "10.0.0.1", "PORTAIL_SERVICE_PORT": "8443", "PORTAIL_PORT": "tcp://10.0.0.1:8443",
                 "PORTAIL_PORT_8443_TCP_ADDR": "10.0.0.1"}
        done = self.check("--config", self.configuration(), environment=of_commands | links)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with Configured(self.folder, self.configuration(), of_commands | links) as server:
            lines = [json.loads(line) for line in server.log().splitlines() if "orchestrator" in line]
        self.assertEqual([(line["level"], line["event"], set(line["detail"].split(", "))) for line in lines],
                         [("info", "variables of an orchestrator are ignored", set(links))])

    def test_settings_of_the_environment_only(self):
        for name, value, status in [("PORTAIL_TENANT", "acme", 401), ("PORTAIL_SUBJECT_CLAIM", "oid", 401)]:
            with Configured(self.folder, self.configuration(), {name: value}) as server:
                self.assertEqual(server.ask("GET", "/api/app/objet-courrier", [self.bearer()]).status, status, name)
        with Configured(self.folder, self.configuration(), {"PORTAIL_TENANT": "acme"}) as server:
            token = self.bearer("sub-client", "--claim", 'tenantid="acme"')
            self.assertEqual(server.ask("GET", "/api/app/objet-courrier", [token]).status, 200)

    def test_switches_in_the_environment_and_in_the_file(self):
        common = ["--issuer", ISSUER, "--audience", AUDIENCE, "--jwks", self.path("public.json"), "--store", "memory:"]
        self.assert_one_line(self.check(*common), 2, "--tls-cert")
        for value, status in [("1", 0), ("true", 0), ("0", 2), ("false", 2)]:
            self.assertEqual(self.check(*common, environment={"PORTAIL_INSECURE_HTTP": value}).returncode, status, value)
        file = self.write("switch.toml", "insecure-http = true\n")
        self.assertEqual(self.check(*common, "--config", file).returncode, 0)
        done = self.check(*common, "--config", file, environment={"PORTAIL_INSECURE_HTTP": "false"})
        self.assertEqual(done.returncode, 2)

    def test_the_default_store_is_in_the_users_data_folder(self):
        must_run("import", self.document(), environment={"HOME": self.path("home")})
        exported = run("export", "--store", "lmdb:" + self.path("home/.local/share/portail"))
        self.assertIn("TYPE1", exported.stdout)
        must_run("import", self.document(), environment={"XDG_DATA_HOME": self.path("data")})
        self.assertIn("TYPE1", run("export", "--store", "lmdb:" + self.path("data/portail")).stdout)


class Configured(Server):
    """A server with a configuration file instead of flags."""

    def __init__(self, folder, file, environment, flags=()):
        super().__init__(folder, "--config", file, *flags, environment=environment)

    def settings(self, folder, jwks):
        return []


if __name__ == "__main__":
    unittest.main()

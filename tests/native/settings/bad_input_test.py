"""Failures at start or in an import: one line, exit status 1 or 2, nothing lost."""

import os
import socket
import unittest

from support.program import AUDIENCE, ISSUER, PortailTest, Server, must_run, run

FAILURE, WRONG_USAGE = 1, 2


class BadInputTest(PortailTest):
    def serve(self, *flags, store="memory:", **changes):
        """Runs `serve` with valid settings, except for `changes`; None omits a setting."""
        settings = {"listen": "127.0.0.1:0", "store": store, "issuer": ISSUER, "audience": AUDIENCE,
                    "jwks": self.path("public.json"), "tls-cert": self.path("certificate.pem"), "tls-key": self.path("key.pem")}
        settings |= {name.replace("_", "-"): value for name, value in changes.items()}
        given = [part for name, value in settings.items() if value is not None for part in (f"--{name}", value)]
        return run("serve", *given, *flags)

    def test_a_wrong_flag(self):
        commands = "serve, check, explain, import, export, migrate, backup, restore, touch, audit, person, status, shadow, development, token, keys, completions, manual, version"
        for arguments, line in [
            ([], f"name a command: {commands}; see portail --help"),
            (["serv"], "unknown command; did you mean serve? See portail --help"),
            (["no-such-command"], f"unknown command; the commands are {commands}; see portail --help"),
            (["--no-such-flag"], "unknown flag --no-such-flag; see portail --help"),
            (["serve", "--lsten", "x"], "unknown flag --lsten; did you mean --listen? See portail serve --help"),
            (["serve", "--lsten=x", "--loud"], "unknown flags --lsten (did you mean --listen?), --loud; see portail serve --help"),
            (["serve", "--insecure"], "unknown flag --insecure; did you mean --insecure-http? See portail serve --help"),
            (["serve", "--tls"], "unknown flag --tls; see portail serve --help"),  # ambiguous
            (["serve", "--jwks-paus", "1"], "unknown flag --jwks-paus; see portail serve --help"),  # the nearest flag is undocumented
            (["serve", "-listen", "x"], "unknown flag -listen; did you mean --listen? See portail serve --help"),
            (["serve", "-lsten=x"], "unknown flag -lsten; did you mean --listen? See portail serve --help"),
            (["serve", "-sesame"], "1 argument was not expected; see portail serve --help"),  # may be a value
            (["import", "--dry", "portail.json"], "unknown flag --dry; did you mean --dry-run? See portail import --help"),
            (["export", "--out", "x"], "unknown flag --out; did you mean --output? See portail export --help"),
            (["--store", "x", "export"], "unknown flag --store: it must follow the command's name; see portail export --help"),
            (["man"], "unknown command; did you mean manual? See portail --help"),
            (["s"], f"unknown command; the commands are {commands}; see portail --help"),
            (["hepl"], "unknown command; did you mean help? See portail --help"),
            (["versoin"], "unknown command; did you mean version? See portail --help"),
            (["help", "serv"], "unknown command; did you mean serve? See portail --help"),
            (["serv", "--help"], "unknown command; did you mean serve? See portail --help"),
            (["help", "nonsense"], f"unknown command; the commands are {commands}; see portail --help"),
            (["help", "keys", "mak"], "unknown command; did you mean make? See portail keys --help"),
            (["help", "keys", "serve"], "unknown command; the commands are make, public, show, store; see portail keys --help"),
            (["help", "serve", "make"], "1 argument was not expected; see portail serve --help"),
            (["serve", "--lsten", "--help"], "unknown flag --lsten; did you mean --listen? See portail serve --help"),
            (["--version", "--jsn"], "unknown flag --jsn; see portail --help"),
            (["version", "--jsn"], "unknown flag --jsn; did you mean --json? See portail version --help"),
            (["keys"], "name a command: make, public, show, store; see portail keys --help"),
            (["keys", "shwo"], "unknown command; did you mean show? See portail keys --help"),
            (["import"], "SOURCE is missing; see portail import --help"),
            (["migrate"], "FROM and TO are missing; see portail migrate --help"),
            (["migrate", "x"], "TO is missing; see portail migrate --help"),
            (["backup"], "FOLDER is missing; see portail backup --help"), (["restore"], "FOLDER is missing; see portail restore --help"),
            (["shadow"], "--upstream is missing; see portail shadow --help"),
            (["keys", "show"], "FILE is missing; see portail keys show --help"),
            (["keys", "store"], "FILE is missing; see portail keys store --help"),
            (["keys", "public"], "--input and --output are missing; see portail keys public --help"),
            (["keys", "make"], "--output is missing; see portail keys make --help"),
            (["token"], "--keys, --issuer and --audience are missing; see portail token --help"),
            (["completions"], "SHELL is missing; see portail completions --help"),
            (["completions", "csh"], "SHELL: must be bash, zsh or fish, not csh; see portail completions --help"),
            (["serve", "--store"], "--store: its value is missing; see portail serve --help"),
            (["serve", "--audience"], "--audience: its value is missing; see portail serve --help"),
            (["status", "--to"], "--to: its value is missing; see portail status --help"),
            (["serve", "--store", "a", "--store", "b"], "--store: it must be given once; see portail serve --help"),
            (["import", "one", "two"], "1 argument was not expected; see portail import --help"),
            *((["token", "--lifetime", text], f"--lifetime: must be seconds, or a number with its unit (ms, s, min, h or d), not {text}; see portail token --help")
              for text in ("soon", "1.5h", "1500ms", "--5", "99999999999d")),
        ]:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (WRONG_USAGE, "", f"portail: {line}\n"))

    def test_settings_that_are_missing_or_make_no_sense(self):
        for changes, named in [
            ({"issuer": None}, "--issuer"), ({"audience": None}, "--audience"),
            ({"jwks": None, "issuer": "http://issuer.test"}, "--jwks"),
            ({"tls_cert": None, "tls_key": None}, "--tls-cert"), ({"tls_key": None}, "--tls-key"),
            ({"listen": "portal.example"}, "--listen"), ({"leeway": "301"}, "--leeway"), ({"transport": "magic"}, "--transport"),
            ({"transport": "forwarded"}, "--trusted-proxy"), ({"trusted_proxy": "10.0.0.0/33"}, "--trusted-proxy"),
            ({"allow_origin": "*"}, "--allow-origin"), ({"store": "sqlite:x"}, "--store"), ({"log_level": "loud"}, "--log-level"),
            ({"jwks": "http://issuer.test/keys"}, "an https URL"), ({"jwks": "https://a@issuer.test/keys"}, "user name"),
            ({"jwks": "ftp://issuer.test"}, "https URL"), ({"jwks_refresh": "0"}, "--jwks-refresh"),
            ({"jwks_max_age": "x"}, "--jwks-max-age"), ({"token_cache": "-1"}, "--token-cache"),
            ({"tls_cert": None, "tls_key": None, "transport": "loopback"}, "--insecure-http"),
        ]:
            with self.subTest(changes=changes):
                self.assert_one_line(self.serve(**changes), WRONG_USAGE, named)

    def test_a_fault_names_the_source_of_the_setting(self):
        file = self.write("where.toml", "leeway = 301\n")
        unit = "; it may have a unit: ms, s, min, h or d"
        for arguments, environment, line in [
            (["--leeway", "301"], {"PORTAIL_LEEWAY": "302"}, f"portail: --leeway must be 0 to 300 seconds, not 301{unit}\n"),
            (["--config", file], {"PORTAIL_LEEWAY": "302"}, f"portail: PORTAIL_LEEWAY must be 0 to 300 seconds, not 302{unit}\n"),
            (["--config", file], {}, f"portail: leeway in {file} must be 0 to 300 seconds, not 301{unit}\n"),
            ([], {"PORTAIL_LOG_LEVEL": "loud\nlevel"},
             "portail: PORTAIL_LOG_LEVEL must be debug, info, warning or error, not loud?level\n"),
            ([], {"PORTAIL_ISSUER": f'"{ISSUER}"'}, "portail: PORTAIL_ISSUER must not begin with a quotation mark (U+0022)\n"),
            ([], {"PORTAIL_AUDIENCE": f"{AUDIENCE}\r"}, "portail: PORTAIL_AUDIENCE must not contain a carriage return (U+000D)\n"),
            (["--audience", AUDIENCE, "--audience", f"{AUDIENCE}'"], {}, "portail: --audience must not end with an apostrophe (U+0027)\n"),
        ]:
            with self.subTest(line=line):
                done = run("check", *arguments, environment=environment)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (WRONG_USAGE, "", line))

    def test_a_time_has_a_unit_wherever_it_is_given(self):
        file = self.write("units.toml", 'leeway = "5min"\ndrain-delay = "2s"\nworkers = "2"\n')
        done = run("check", "--config", file)
        self.assert_one_line(done, WRONG_USAGE, f"{file}, line 3", "workers must be a number, without quotes")
        file = self.write("units.toml", 'leeway = "5min"\ndrain-delay = "2s"\nworkers = 2\n')
        settings = ["--config", file, "--store", "memory:", "--issuer", ISSUER, "--audience", AUDIENCE, "--insecure-http",
                    "--jwks", self.path("public.json")]
        must_run("check", *settings, "--shutdown-timeout", "1min", environment={"PORTAIL_JWKS_TIMEOUT": "5s"})
        self.assert_one_line(run("check", *settings, "--drain-delay", "5m"), WRONG_USAGE,
                             "--drain-delay must be 0 to 600000 milliseconds, not 5m")

    def test_no_key_that_is_given_in_the_place_of_its_file_is_repeated(self):
        """tests/native/settings/secrets_test.py has the settings."""
        secret = "c2VjcmV0LW9mLXRoZS10ZXN0"
        done = run("check", secret)  # after a flag that was forgotten
        self.assertIn("URL: must be", done.stderr)
        self.assertNotIn(secret, done.stdout + done.stderr)
        for command in (["token", "--issuer", ISSUER, "--audience", AUDIENCE, "--keys"], ["keys", "show"],
                        ["keys", "public", "--output", self.path("nothing.json"), "--input"]):
            done = run(*command, f'{{"keys":[{{"k":"{secret}"}}]}}')
            self.assert_one_line(done, FAILURE, command[-1] if command[-1].startswith("--") else "FILE")
            self.assertNotIn(secret, done.stderr)

    def test_plain_http_is_for_loopback_only(self):
        for address in ("0.0.0.0:0", "192.0.2.1:0", "[::]:0"):
            done = self.serve("--insecure-http", listen=address, tls_cert=None, tls_key=None)
            self.assert_one_line(done, WRONG_USAGE, "loopback")

    def test_key_sets_that_cannot_be_read(self):
        self.assert_one_line(self.serve(jwks=self.path("missing.json")), FAILURE, "missing.json", "--jwks")
        self.assert_one_line(self.serve(jwks="missing.json"), FAILURE, "cannot read missing.json: No such file", "--jwks")
        self.assert_one_line(self.serve(jwks=self.folder), FAILURE, "is a folder")
        self.assert_one_line(self.serve(jwks=self.write("broken.json", '{"keys":[')), FAILURE, "broken.json")
        self.assert_one_line(self.serve(jwks='{"no":"keys"}'), FAILURE, "key set given as text")

    def test_a_port_in_use(self):
        with socket.socket() as occupied:
            occupied.bind(("127.0.0.1", 0))
            occupied.listen()
            port = occupied.getsockname()[1]
            self.assert_one_line(self.serve(listen=f"127.0.0.1:{port}"), FAILURE, str(port), "in use", "--listen")
        with Server(self.folder, "--store", "memory:") as server:
            self.assert_one_line(self.serve(listen=f"127.0.0.1:{server.port}"), FAILURE, "in use")

    def test_a_store_that_cannot_be_opened(self):
        file = self.write("file", "")
        self.assert_one_line(self.serve(store=f"lmdb:{file}"), FAILURE, file)
        self.assert_one_line(run("export", "--store", f"lmdb:{self.path('nowhere')}"), FAILURE, "nowhere")

    def test_a_store_that_does_not_exist(self):
        for scheme in ("lmdb", "dir"):
            with self.subTest(scheme):
                name = f"tpyo-{scheme}"
                self.assert_one_line(self.serve(store=f"{scheme}:{self.path(name)}"), FAILURE, name, "does not exist", "import")
                self.assertFalse(os.path.exists(self.path(name)))
                # A volume that is not mounted.
                os.mkdir(self.path(name))
                self.assert_one_line(self.serve(store=f"{scheme}:{self.path(name)}"), FAILURE, name, "import")
                self.assertEqual(os.listdir(self.path(name)), [])
                os.rmdir(self.path(name))
                with Server(self.folder, "--store", f"{scheme}:{self.path(name)}", "--create") as server:
                    self.assertEqual(server.ask("GET", "/health/ready").status, 200)
                self.assert_one_line(self.serve(store=f"{scheme}:{self.path(name)}"), FAILURE, name, " is empty: import a document first", "--create")
                must_run("import", "--store", f"{scheme}:{self.path(name)}", self.document())
                with Server(self.folder, "--store", f"{scheme}:{self.path(name)}") as server:
                    self.assertEqual(server.ask("GET", "/health/ready").status, 200)
                imported = f"{scheme}:{self.path(name)}-imported"
                with Server(self.folder, "--store", imported, "--import", self.document()) as server:
                    self.assertEqual(len(server.ask("GET", "/api/app/liasse", [self.bearer()]).json()), 2)


if __name__ == "__main__":
    unittest.main()

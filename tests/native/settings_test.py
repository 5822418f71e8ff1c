"""A flag beats the environment, which beats the configuration file."""

import unittest

from support.program import AUDIENCE, ISSUER, PortailTest, Server, run


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
        self.assertEqual(done.stdout, "configuration    in order\n"
                         f"key set          1 usable, 0 refused: {self.path('public.json')}\nstore            memory:, empty\n")
        done = self.check(environment={"PORTAIL_CONFIG": self.configuration()})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_environment_alone_is_enough(self):
        environment = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": f"other,{AUDIENCE}", "PORTAIL_STORE": "memory:",
                       "PORTAIL_JWKS": self.read("public.json"),
                       "PORTAIL_TLS_CERT": self.path("certificate.pem"), "PORTAIL_TLS_KEY": self.path("key.pem")}
        self.assertEqual(self.check(environment=environment).returncode, 0)
        self.assert_one_line(self.check(environment=environment | {"PORTAIL_LEEWAY": "much"}), 2, "much")
        self.assert_one_line(self.check(environment=environment | {"PORTAIL_LEEWAY": "301"}), 2, "301")

    def test_precedence(self):
        # Which of the three counted shows in what is complained about.
        file = self.configuration(leeway=901)
        self.assert_one_line(self.check("--config", file), 2, "901")
        environment = {"PORTAIL_LEEWAY": "902"}
        self.assert_one_line(self.check("--config", file, environment=environment), 2, "902")
        self.assert_one_line(self.check("--config", file, "--leeway", "903", environment=environment), 2, "903")
        self.assertEqual(self.check("--config", file, "--leeway", "60", environment=environment).returncode, 0)

    def test_lists_are_replaced_and_not_joined(self):
        token = self.bearer()
        for environment, flags, status in [({}, [], 200), ({"PORTAIL_AUDIENCE": "other"}, [], 401),
                                           ({"PORTAIL_AUDIENCE": "other"}, ["--audience", AUDIENCE], 200)]:
            file = self.configuration(audience=f'["{AUDIENCE}"]')
            with self.subTest(environment=environment, flags=flags):
                with Configured(self.folder, file, environment, flags) as server:
                    self.assertEqual(server.ask("GET", "/api/app/objet-courrier", [token]).status, status)

    def test_a_file_that_cannot_be_used(self):
        self.assert_one_line(self.check("--config", self.path("missing.toml")), 1, "missing.toml", "--config")
        self.assert_one_line(self.check("--config", self.configuration(isuer='"x"')), 2, "isuer")
        self.assert_one_line(self.check("--config", self.configuration(leeway='"x"')), 2, "portail.toml")

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
        done = run("import", self.document(), environment={"HOME": self.path("home")})
        self.assertEqual(done.returncode, 0, done.stderr)
        exported = run("export", "--store", "lmdb:" + self.path("home/.local/share/portail"))
        self.assertIn("TYPE1", exported.stdout)
        done = run("import", self.document(), environment={"XDG_DATA_HOME": self.path("data")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("TYPE1", run("export", "--store", "lmdb:" + self.path("data/portail")).stdout)


class Configured(Server):
    """A server with a configuration file instead of flags."""

    def __init__(self, folder, file, environment, flags=()):
        super().__init__(folder, "--config", file, *flags, environment=environment)

    def settings(self, folder, jwks):
        return []


if __name__ == "__main__":
    unittest.main()

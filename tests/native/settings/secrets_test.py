"""No line that the program prints at a start contains a secret: every setting that may hold one, by flag, variable and file,
with every kind of fault. The settings come from the table, so new ones are included."""

import itertools
import json
import pathlib
import re
import unittest

from support.program import AUDIENCE, ISSUER, PortailTest, run

SECRET = "c2VjcmV0LW9mLXRoZS10ZXN0"
CHECKOUT = pathlib.Path(__file__).resolve().parents[3]

# Values with a secret at valid and invalid positions; each is tried for each setting.
TEXTS = [
    SECRET, f" {SECRET} ", f'"{SECRET}"', f"{SECRET},{SECRET}", f"{SECRET}\n{SECRET}", f"{SECRET}/{SECRET}", f"{SECRET}:{SECRET}",
    f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n",
    f'{{"keys":[{{"kty":"oct","k":"{SECRET}"}}]}}', f'{{"keys":[{{"kty":"oct","kid":"a","alg":"HS512","k":"{SECRET}"}}]}}',
    f'{{"keys":[{{"kty":"oct","k":"{SECRET}"', f'{{"{SECRET}":1}}', f'[{{"k":"{SECRET}"}}]', f'"{{\\"k\\":\\"{SECRET}',
    f"redis://:{SECRET}@127.0.0.1:1/0", f"redis://:{SECRET}@", f"redis://user:{SECRET}@127.0.0.1:99999",
    f"redis://{SECRET}@127.0.0.1",
    f"redis://:{SECRET}%ZZ@127.0.0.1", f"redis://:{SECRET}@127.0.0.1:1/x", f"redis://127.0.0.1:1/{SECRET}", f"redis:{SECRET}",
    f"rediss://:{SECRET}@127.0.0.1", f"redis+sentinel://:{SECRET}@127.0.0.1:1/portal", f"redis+sentinel://u:1/{SECRET}@127.0.0.1/portal",
    f"postgres://user:{SECRET}@127.0.0.1", f"postgres://user:{SECRET}@127.0.0.1:1/data",
    f"postgres://127.0.0.1:1/data?password={SECRET}", f"postgres://user:{SECRET}/@127.0.0.1:1/data", f"postgres://u:{SECRET}@{SECRET}@h/data",
    f"postgres://u:1/{SECRET}@127.0.0.1/data", f"postgres://user:%{SECRET}@127.0.0.1:1/data", f"{SECRET}://127.0.0.1",
    f"https://user:{SECRET}@127.0.0.1:1/keys", f"https://127.0.0.1:1/keys?key={SECRET}", f"https://127.0.0.1:1/keys#{SECRET}",
    f"http://127.0.0.1/{SECRET}", f"ftp://127.0.0.1/{SECRET}",
]
CHECK = ["check", "--show"]
SERVE = ["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "192.0.2.1:1"]  # no address of this machine: the start fails


def secret_settings():
    """Each with whether it may stand in the configuration file. Of the table: those that may hold a secret, and those that name a
    file, which may be given what the file should hold; but not the document of an import, which is no secret of the program's."""
    tables = ("core/settings/guest_settings.hpp", "native/settings/setting_table.hpp")
    rows = [row for table in tables for row in (CHECKOUT / table).read_text(encoding="utf-8").split("    Setting{")[1:]]
    names = [re.search(r'\.name = "([^"]+)"', row)[1] for row in rows
             if "may_be_secret = true" in row or "SettingKind::file" in row or "SettingKind::key_set" in row]
    return [(name, name != "config") for name in names if name != "import"]


class SecretsTest(PortailTest):
    def base(self, name):
        """Returns the other settings that a start needs."""
        settings = {"issuer": ISSUER, "audience": AUDIENCE, "store": "memory:", "jwks": self.path("public.json"),
                    "tls-cert": self.path("certificate.pem"), "tls-key": self.path("key.pem")}
        settings.pop(name, None)
        return [part for given in settings.items() for part in (f"--{given[0]}", given[1])]

    def assert_silent(self, arguments, environment=None):
        done = run(*arguments, environment=environment)
        self.assertNotIn("Sanitizer", done.stderr)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        return done

    def test_the_table_has_secret_settings(self):
        names = [name for name, _ in secret_settings()]
        self.assertEqual({"store", "jwks", "tls-cert", "tls-key", "identity-ca", "log-key", "config"} - set(names), set())

    def test_every_setting_every_text_and_every_way(self):
        tried = 0
        for (name, in_file), text in itertools.product(secret_settings(), TEXTS):
            variable = {"PORTAIL_" + name.upper().replace("-", "_"): text}
            ways = [(CHECK, [f"--{name}={text}"], {}), (CHECK, [], variable), (SERVE, [], variable)]
            if in_file:
                self.write("given.toml", f"{name} = {json.dumps(text)}\n")
                ways.append((CHECK, ["--config", self.path("given.toml")], {}))
            for command, arguments, environment in ways:
                with self.subTest(setting=name, text=text, arguments=arguments, command=command[0]):
                    done = self.assert_silent([*command, *self.base(name), *arguments], environment)
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr)
                    tried += 1
        self.assertGreater(tried, 800)

    def test_a_store_in_every_command(self):
        stores = [text for text in TEXTS if not text.startswith(("-", " "))]
        for command, store in itertools.product((["export"], ["audit"], ["import", self.document()]), stores):
            with self.subTest(command=command[0], store=store):
                for arguments, environment in [(["--store", store], {}), ([], {"PORTAIL_STORE": store})]:
                    self.assertNotEqual(self.assert_silent([*command, *arguments], environment).returncode, 0)

    def test_a_file_that_is_broken_where_the_secret_stands(self):
        for name, _ in secret_settings():
            for number, line in enumerate([
                    f"{name} = {SECRET}", f"{name} = '{SECRET}", f'{name} = "{SECRET}', f'{name} = "{SECRET}" {SECRET}',
                    f'{name} = "{SECRET}\\q"', f'{name} = ["{SECRET}"]', f'{name} = {{ {SECRET} = "{SECRET}" }}',
                    f"[{name}]\n{SECRET} = 1",
                    f'{name}.{SECRET} = "{SECRET}"', f'{name} = """\n{SECRET}', f"{name} {SECRET}", f"{name}: {SECRET}",
                    f"{name}={SECRET}#",
                    f'{name}x = "{SECRET}"', f'{SECRET} = "{name}"', f'"{SECRET}" = 1', f"[{SECRET}]", f"[[{name}]]\n{SECRET}=1",
                    f'{name} = "a"\n{name} = "{SECRET}"', f'{name} = "{SECRET}"\n{name} = "{SECRET}"', f"{SECRET}", f"\x01{SECRET}",
                    f'{name} = "\x01{SECRET}"', f'{name} = "{SECRET}\ud800"'.encode("utf-8", "surrogatepass").decode("latin-1")]):
                with self.subTest(setting=name, number=number):
                    self.write("broken.toml", line + "\n")
                    self.assertNotEqual(self.assert_silent(["check", "--config", self.path("broken.toml")]).returncode, 0)

    def test_an_unknown_name(self):
        for name, _ in secret_settings():
            wrong = f"{name[:-1]}{name[-1]}{name[-1]}"
            for arguments, environment in [
                    ([f"--{wrong}", SECRET], {}), ([f"--{wrong}={SECRET}"], {}), ([f"-{wrong}", SECRET], {}), ([SECRET], {}),
                    ([f"--{name}"], {}), ([f"--{name}", "a", SECRET], {}), ([f"--{name}", SECRET, f"--{name}", SECRET], {}),
                    (["--show", SECRET], {}),
                    ([], {"PORTAIL_" + wrong.upper().replace("-", "_"): SECRET}), ([], {"PORTAIL_" + name.upper(): SECRET})]:
                with self.subTest(arguments=arguments, environment=environment):
                    self.assert_silent(["check", *self.base(name), *arguments], environment)
                    self.assert_silent([SECRET, *arguments], environment)


if __name__ == "__main__":
    unittest.main()

"""What a host of the portal needs, made by the native program: a store, keys and tokens. Standard library only."""

import os
import subprocess

ISSUER, AUDIENCE = "https://issuer.test", "portail"


def clean_environment():
    """Returns this process's environment without settings of the portal, and without XDG_DATA_HOME, the directory of its default store."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PORTAIL_") and name != "XDG_DATA_HOME"}


class Portal:
    """The native program, with keys.json and public.json in `folder`, by which it makes tokens of `issuer`."""

    def __init__(self, program, folder, issuer=ISSUER, audience=AUDIENCE):
        self.program, self.issuer, self.audience = program, issuer, audience
        self.keys, self.public = folder / "keys.json", folder / "public.json"

    def run(self, *arguments):
        """Runs the program, which must succeed; returns its standard output."""
        return subprocess.run([self.program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout

    def make_keys(self, *flags):
        self.run("keys", "make", "--output", self.keys, *flags)
        self.run("keys", "public", "--input", self.keys, "--output", self.public)

    def token(self, subject, *flags):
        return self.run("token", "--keys", self.keys, "--issuer", self.issuer, "--audience", self.audience, "--subject", subject, *flags).strip()

    def bearer(self, subject, *flags):
        """Returns the header of a request."""
        return {"Authorization": f"Bearer {self.token(subject, *flags)}"}

    @property
    def settings(self):
        """Returns the settings of a host on loopback that accepts these tokens, as environment variables."""
        return {"PORTAIL_ISSUER": self.issuer, "PORTAIL_AUDIENCE": self.audience, "PORTAIL_TRANSPORT": "loopback",
                "PORTAIL_JWKS": self.public.read_text()}

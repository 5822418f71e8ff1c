"""A Valkey server that a test starts on a free port of the loopback, without persistence. Standard library only."""

import subprocess

from support.engine import Engine


class Valkey(Engine):
    ready = "Ready to accept connections"

    def command(self):
        return ["valkey-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder.name, "--save", "", *self.settings]

    def url_at(self, port):
        return f"redis://127.0.0.1:{port}/0"

    @property
    def name(self):
        """The address as the program's messages show it."""
        return self.url

    def clear(self):
        self.cli("flushall")

    def follows(self):
        """Whether this is a replica whose link to the primary is up; writes in flight may be missing."""
        return "master_link_status:up" in self.cli("info", "replication")

    def cli(self, *arguments):
        """Runs valkey-cli and returns its output without the last line end."""
        done = subprocess.run(["valkey-cli", "-p", str(self.port), *arguments], capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")

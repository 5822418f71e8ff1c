"""Valkey servers that a test starts, with sentinels that monitor them and promote a replica if the primary fails. Standard library
only."""

import pathlib

from support.engine import Engines
from support.valkey import Valkey
from waiting import until

NAME = "portal"  # of the primary, in the sentinels' configuration
DELAY = ("--repl-diskless-sync-delay", "0")


class Sentinel(Valkey):
    """A sentinel that monitors the server at a port; `settings` are lines of its configuration."""

    ready = "Sentinel ID is"

    def __init__(self, watched, *settings, quorum=1, silence=30_000):
        """`quorum`: sentinels that must agree that the server is down. `silence`: milliseconds without an answer until then."""
        super().__init__(f"sentinel monitor {NAME} 127.0.0.1 {watched} {quorum}", f"sentinel down-after-milliseconds {NAME} {silence}",
                         f"sentinel failover-timeout {NAME} 5000", *settings)

    def command(self):
        file = pathlib.Path(self.folder.name) / "sentinel.conf"  # the sentinel rewrites this file
        lines = [f"port {self.port}", "bind 127.0.0.1", f"dir {self.folder.name}", *self.settings]
        file.write_text("\n".join(lines) + "\n", encoding="ascii")
        return ["valkey-server", str(file), "--sentinel"]

    def url_at(self, port):
        return f"redis+sentinel://127.0.0.1:{port}/{NAME}"


class WatchedValkey(Engines):
    """A primary, its replica, and three sentinels with a quorum of two; the constructor returns when all are connected. If `line` is given,
    it creates a proxy to a port, through which all clients reach the primary."""

    def start_all(self, enter, silence=30_000, line=None):
        self.primary = enter(Valkey(*DELAY))
        self.line = enter(line(self.primary.port)) if line else None
        port = (self.line or self.primary).port
        self.replica = enter(Valkey(*DELAY, "--replicaof", "127.0.0.1", str(port)))
        until(self.replica.follows, "the replica to follow")
        self.sentinels = [enter(Sentinel(port, quorum=2, silence=silence)) for _ in range(3)]
        wanted = f"status=ok,address=127.0.0.1:{port},slaves=1,sentinels=3"
        until(lambda: self.all_sentinels(wanted, "info", "sentinel"), "the sentinels to know all others")

    def all_sentinels(self, wanted, *command):
        """Whether the answer of each sentinel to the command has the text `wanted`."""
        return all(wanted in sentinel.cli(*command) for sentinel in self.sentinels)

    @property
    def url(self):
        return f"redis+sentinel://{','.join(f'127.0.0.1:{sentinel.port}' for sentinel in self.sentinels)}/{NAME}"

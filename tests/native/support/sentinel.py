"""Valkey servers that a test starts, with sentinels that monitor them and promote a replica if the primary fails. Standard library
only."""

import contextlib
import pathlib
import sys

from support.valkey import Valkey

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from waiting import until  # noqa: E402

NAME = "portal"  # of the primary, in the sentinels' configuration


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


class WatchedValkey:
    """A primary, its replica, and three sentinels with a quorum of two; the constructor returns when all are connected. If `line` is given,
    it creates a proxy to a port, through which all clients reach the primary."""

    def __init__(self, silence=30_000, line=None):
        with contextlib.ExitStack() as made:
            self.primary = made.enter_context(Valkey("--repl-diskless-sync-delay", "0"))
            self.line = made.enter_context(line(self.primary.port)) if line else None
            port = (self.line or self.primary).port
            self.replica = made.enter_context(Valkey("--repl-diskless-sync-delay", "0", "--replicaof", "127.0.0.1", str(port)))
            until(self.replica.follows, "the replica to follow")
            self.sentinels = [made.enter_context(Sentinel(port, quorum=2, silence=silence)) for _ in range(3)]
            wanted = f"status=ok,address=127.0.0.1:{port},slaves=1,sentinels=3"
            until(lambda: all(wanted in sentinel.cli("info", "sentinel") for sentinel in self.sentinels), "the sentinels to know all others")
            self.running = made.pop_all()

    @property
    def url(self):
        return f"redis+sentinel://{','.join(f'127.0.0.1:{sentinel.port}' for sentinel in self.sentinels)}/{NAME}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.running.close()

"""Valkey servers of a test's own with sentinels that watch over them: they agree on which one is the primary, and promote a
replica where it has gone. Standard library only."""

import contextlib
import pathlib
import sys

from support.valkey import Valkey

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from waiting import until  # noqa: E402

NAME = "portal"  # of the primary, as the sentinels know it


class Sentinel(Valkey):
    """Watches the server at a port; `settings` are lines of its configuration."""

    ready = "Sentinel ID is"

    def __init__(self, watched, *settings, quorum=1, silence=30_000):
        """So many of them must agree that the server has gone, after so many milliseconds of silence."""
        super().__init__(f"sentinel monitor {NAME} 127.0.0.1 {watched} {quorum}", f"sentinel down-after-milliseconds {NAME} {silence}",
                         f"sentinel failover-timeout {NAME} 5000", *settings)

    def command(self):
        file = pathlib.Path(self.folder.name) / "sentinel.conf"  # which it writes what it learns into
        lines = [f"port {self.port}", "bind 127.0.0.1", f"dir {self.folder.name}", *self.settings]
        file.write_text("\n".join(lines) + "\n", encoding="ascii")
        return ["valkey-server", str(file), "--sentinel"]

    def url_at(self, port):
        return f"redis+sentinel://127.0.0.1:{port}/{NAME}"


class WatchedValkey:
    """A primary, a replica that follows it, and three sentinels of which two must agree; all know one another once it is made. Where
    `line` makes a proxy that leads to a port, all clients reach the primary through it."""

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

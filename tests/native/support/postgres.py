"""A PostgreSQL server that a test starts on a free port of the loopback, without fsync. PostgreSQL refuses to run as root; the tests of
root start it as the user of Debian's package. Standard library only."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess

from support.engine import Engine

OWNER = "postgres"

# For the programs that tests start: a server of a busy machine may need longer to answer than the default of 2 s.
os.environ.setdefault("PGCONNECT_TIMEOUT", "10")


def programs():
    """Returns the directory of the newest version; Debian does not put it on the PATH."""
    return max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))


def as_owner(command):
    return ["setpriv", f"--reuid={OWNER}", f"--regid={OWNER}", "--clear-groups", *command] if os.geteuid() == 0 else command


class Postgres(Engine):
    """A server. `password`: required of every client. `tls`: certificate and key, for optional encryption. `standby_of`: the primary that
    this standby follows, through the proxy port `line` if given; a standby rejects writes until it is promoted."""

    ready = "ready to accept"  # connections, or read-only ones
    stop_signal = signal.SIGQUIT  # an immediate shutdown: recovery runs at the next start

    def __init__(self, *settings, password=None, tls=None, standby_of=None, line=None):
        self.password, self.tls, self.primary, self.line = password, tls, standby_of, line
        super().__init__(*settings)

    def prepare(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder.name, OWNER, OWNER)
        if self.tls:
            files = [shutil.copy(file, self.folder.name) for file in self.tls]
            for file in files:
                os.chmod(file, 0o600)
                if os.geteuid() == 0:
                    shutil.chown(file, OWNER, OWNER)
            self.settings += ("ssl=on", f"ssl_cert_file={files[0]}", f"ssl_key_file={files[1]}")
        if self.primary:
            source = self.primary.url_at(self.line or self.primary.port)
            command = [programs() / "pg_basebackup", "-D", self.data, "-d", source, "--write-recovery-conf", "--no-sync",
                       "--checkpoint=fast"]
            subprocess.run(as_owner(command), check=True)
            return
        command = [programs() / "initdb", "-D", self.data, "-U", "bob", "--no-sync", "--no-instructions", "--encoding=UTF8",
                   "--locale=C.UTF-8", "--auth=scram-sha-256" if self.password else "--auth=trust"]
        if self.password:
            file = pathlib.Path(self.folder.name) / "password"
            file.write_text(self.password)
            command.append(f"--pwfile={file}")
        subprocess.run(as_owner(command), stdout=subprocess.DEVNULL, check=True)

    @property
    def data(self):
        return pathlib.Path(self.folder.name) / "data"

    def command(self):
        command = [programs() / "postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder.name]
        for setting in ("listen_addresses=127.0.0.1", "fsync=off", "log_min_messages=log", "log_checkpoints=off", *self.settings):
            command += ["-c", setting]
        return as_owner(command)

    @property
    def name(self):
        """The address as the program's messages show it."""
        return f"postgres://127.0.0.1:{self.port}/postgres"

    def url_at(self, port):
        return f"postgres://bob@127.0.0.1:{port}/postgres"

    @property
    def client(self):
        return [programs() / "psql", "-X", "-q", "-A", "-t", "-h", self.folder.name, "-p", str(self.port), "-U", "bob", "-d", "postgres"]

    def sql(self, statement):
        """Runs the statement and returns its rows, one a line, without the last line end."""
        done = subprocess.run([*self.client, "-c", statement], capture_output=True, text=True, check=True)
        return done.stdout.rstrip("\n")

    def clear(self):
        self.sql("TRUNCATE portail")

    def has_caught_up(self):
        """Whether the standby has replayed all WAL that its primary has written."""
        position = self.primary.sql("SELECT pg_current_wal_lsn()")
        return self.sql(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") == "t"

    @contextlib.contextmanager
    def session(self, statement):
        """Opens a connection, runs the statement on it, and closes it at the end of the block."""
        with subprocess.Popen(self.client, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdin.write(f"{statement};\n\\echo done\n")
            process.stdin.flush()
            for line in process.stdout:
                if line == "done\n":
                    break
            yield
            process.stdin.close()

"""portail.service of an installed package, started as its unit says by a test: no systemd runs in a root. So what the unit has
against the program (its sandbox) is not in force, and what it gives the program is. Standard library only."""

import collections
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import PATIENCE, until  # noqa: E402

UNIT = "/usr/lib/systemd/system/portail.service"
CREDENTIALS = "/run/credentials/portail.service"
STATE = "/var/lib"


class Service:
    """The service of a PristineRoot, in a `with` block; `address` is where it listens."""

    def __init__(self, root, log):
        self.root, self.log = root, pathlib.Path(log)
        self.unit = collections.defaultdict(list)
        for line in root.path(UNIT).read_text().splitlines():
            if found := re.fullmatch(r"(\w+)=(.*)", line):
                self.unit[found[1]].append(found[2])

    def __enter__(self):
        user = self.root.ids_of(self.unit["User"][0])
        self.give_credentials(user)
        self.give_state(user)
        start = ["sh", "-c", f"umask {self.unit['UMask'][0]}; exec {self.unit['ExecStart'][0]}"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(self.root.command(*start, user=user, environment=self.environment()),
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.address = until(self.listening_on, "the service to listen")
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """As systemd stops it; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def listening_on(self):
        said = self.log.read_text()
        if self.process.poll() is not None:
            raise AssertionError(f"the service ended:\n{said}")
        found = re.search(r"listening on https://(\S+)", said)
        return found and found[1]

    def give_credentials(self, user):
        folder = self.root.path(CREDENTIALS)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for credential in self.unit["LoadCredential"]:
            name, source = credential.split(":")
            copy = folder / name
            shutil.copyfile(self.root.path(source), copy)
            copy.chmod(0o400)
            os.chown(copy, *user)

    def give_state(self, user):
        folder = self.root.path(STATE) / self.unit["StateDirectory"][0]
        folder.mkdir(exist_ok=True)
        folder.chmod(int(self.unit["StateDirectoryMode"][0], 8))
        os.chown(folder, *user)

    def environment(self):
        assignments = [line for file in self.unit["EnvironmentFile"] for line in self.root.path(file).read_text().splitlines()
                       if line and not line.startswith("#")]
        for line in self.unit["Environment"]:
            assignments += shlex.split(line.replace("%d", CREDENTIALS).replace("%S", STATE))
        return dict(assignment.split("=", 1) for assignment in assignments)

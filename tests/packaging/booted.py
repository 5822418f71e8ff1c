"""A CleanRoot in which systemd runs. Needs root and the right to create namespaces. Standard library only."""

import os
import pathlib
import subprocess
import sys

from clean_root import PROPAGATION, Debian

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import PATIENCE, until  # noqa: E402

NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--ipc", "--uts"]
ENTERED = ["--mount", "--pid", "--cgroup", "--ipc", "--uts", "--root", "--wd"]


def can_boot():
    """Returns whether these namespaces, and the mounts that systemd needs in them, can be created."""
    probe = ["unshare", *NAMESPACES, "--propagation", PROPAGATION, "--", "sh", "-c", "mount -t cgroup2 cgroup2 /mnt && mount -t proc proc /proc"]
    return os.geteuid() == 0 and subprocess.run(probe, capture_output=True).returncode == 0


class Booted(Debian):
    """Starts systemd on entry of a `with` block, and kills it at the end. The directory of the root is kept."""

    patience = 10 * PATIENCE

    def __init__(self, root):
        self.root = root

    def __enter__(self):
        boot = pathlib.Path(__file__).resolve().parent / "boot"
        self.outside = subprocess.Popen(["unshare", *NAMESPACES, "--propagation", PROPAGATION, "--", "bash", boot, self.root.folder],
                                        stdin=subprocess.DEVNULL)
        try:
            self.first = until(self.first_process, "systemd to start")
            state = until(self.is_up, "systemd to be up")
            if state != "running":
                raise AssertionError(f"{state}:\n{self.ended('systemctl', 'list-units', '--failed', '--no-legend')[1]}")
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Kills all processes, as a power failure does."""
        self.outside.kill()
        self.outside.wait()

    def first_process(self):
        if self.outside.poll() is not None:
            raise AssertionError("systemd could not be started")
        children = pathlib.Path(f"/proc/{self.outside.pid}/task/{self.outside.pid}/children").read_text().split()
        return children and pathlib.Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n" and children[0]

    def is_up(self):
        state = self.ended("systemctl", "is-system-running")[1].strip()
        return state if state in ("running", "degraded") else None

    def entered(self, user=(0, 0)):
        return ["nsenter", "--target", self.first, *ENTERED, "--", "setpriv", "--reuid", str(user[0]), "--regid", str(user[1]), "--clear-groups"]

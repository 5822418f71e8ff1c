"""A PristineRoot in which systemd runs. Needs root and namespaces of one's own. Standard library only."""

import os
import pathlib
import subprocess
import sys

from pristine import ASKING_NOBODY, PATH, PROPAGATION, apt_get

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import PATIENCE, until  # noqa: E402

NAMESPACES = ["--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--ipc", "--uts"]
ENTERED = ["--mount", "--pid", "--cgroup", "--ipc", "--uts", "--root", "--wd"]


def may_boot():
    """Whether such namespaces, and what systemd needs in them, can be had."""
    probe = ["unshare", *NAMESPACES, "--propagation", PROPAGATION, "--", "sh", "-c", "mount -t cgroup2 cgroup2 /mnt && mount -t proc proc /proc"]
    return os.geteuid() == 0 and subprocess.run(probe, capture_output=True).returncode == 0


class Booted:
    """In a `with` block, from its start to its end; what is in the folder of the root stays."""

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
                raise AssertionError(f"{state}:\n{self.told('systemctl', 'list-units', '--failed', '--no-legend')}")
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """As when the power goes."""
        self.outside.kill()
        self.outside.wait()

    def first_process(self):
        if self.outside.poll() is not None:
            raise AssertionError("systemd could not be started")
        children = pathlib.Path(f"/proc/{self.outside.pid}/task/{self.outside.pid}/children").read_text().split()
        return children and pathlib.Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n" and children[0]

    def is_up(self):
        state = subprocess.run(self.command("systemctl", "is-system-running"), capture_output=True, text=True).stdout.strip()
        return state if state in ("running", "degraded") else None

    def apt(self, *arguments):
        return self.run(*apt_get(*arguments), environment=ASKING_NOBODY)

    def command(self, *command, user=None, environment=None, inheriting=False):
        """What runs a command there, as a user id and a group id. Of this process's environment it has nothing, or with `inheriting` all."""
        as_user = () if user is None else ("setpriv", "--reuid", str(user[0]), "--regid", str(user[1]), "--clear-groups")
        variables = {"PATH": PATH, "HOME": "/root", "LC_ALL": "C.UTF-8"} | (environment or {})
        return ["nsenter", "--target", self.first, *ENTERED, "--", "env", *(() if inheriting else ("-i",)),
                *(f"{name}={value}" for name, value in variables.items()), *as_user, *command]

    def told(self, *command, **options):
        """Its standard output and error, whether it failed or not."""
        return self.ended(*command, **options)[1]

    def run(self, *command, **options):
        """The same, of a command that must not fail."""
        status, said = self.ended(*command, **options)
        if status != 0:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {status}:\n{said[-4000:]}")
        return said

    def ended(self, *command, **options):
        done = subprocess.run(self.command(*command, **options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=10 * PATIENCE)
        return done.returncode, done.stdout

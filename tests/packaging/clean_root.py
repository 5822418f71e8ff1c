"""A clean Debian 13 to install packages in, unpacked for one test and removed after it. Needs root. Standard library only."""

import os
import pathlib
import shutil
import subprocess
import tempfile

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
BASE = CHECKOUT / "build" / "clean-root" / "root.tar"  # created by tools/lib/packaging.sh
# A private root (tools/lib/root.sh) is not a mount, and needs no isolation from other mount namespaces.
MOUNTS = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
PROPAGATION = "private" if any(line.split()[4] == "/" for line in MOUNTS) else "unchanged"
NOWHERE = "http://127.0.0.1:9"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Debian:
    """Runs commands in it, with an empty environment, or with that of this process if `inheriting`."""

    patience = None  # seconds that a command may take

    def entered(self, **options):
        """Returns the command prefix that enters it, as a user id and a group id (`user`)."""
        raise NotImplementedError

    def command(self, *command, environment=None, inheriting=False, **options):
        """Returns the command line that runs a command there."""
        variables = {"PATH": PATH, "HOME": "/root", "LC_ALL": "C.UTF-8"} | (environment or {})
        return [*self.entered(**options), "env", *(() if inheriting else ("-i",)),
                *(f"{name}={value}" for name, value in variables.items()), *command]

    def ended(self, *command, **options):
        """Runs a command; returns its exit status, and its standard output and error."""
        done = subprocess.run(self.command(*command, **options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=self.patience)
        return done.returncode, done.stdout

    def run(self, *command, **options):
        """Runs a command; returns its standard output and error. Fails if the command fails."""
        status, output = self.ended(*command, **options)
        if status != 0:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {status}:\n{output[-4000:]}")
        return output

    def apt(self, *arguments):
        """Runs apt-get without questions. Packages come from its cache: these proxies do not exist, so there is no network."""
        return self.run("apt-get", "--yes", "--no-install-recommends", "-o", f"Acquire::http::Proxy={NOWHERE}", "-o",
                        f"Acquire::https::Proxy={NOWHERE}", "-o", f"DPkg::Path={PATH}", "-o", "Dpkg::Use-Pty=0", *arguments,
                        environment={"DEBIAN_FRONTEND": "noninteractive"})


class CleanRoot(Debian):
    """Each command enters it by tools/lib/enter_root, with separate mounts. It shares the machine's network."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="portail-clean-"))
        subprocess.run(["tar", "--extract", "--file", BASE, "--directory", self.folder], check=True)
        self.folder.chmod(0o755)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def path(self, inside):
        """Returns the path, for this process, of an absolute path in it."""
        return self.folder / inside.lstrip("/")

    def entered(self, user=(0, 0), shared=()):
        """The directories `shared` have the same path inside and outside."""
        binds = [argument for folder in shared for argument in ("--bind", folder, folder)]
        return ["unshare", "--mount", "--propagation", PROPAGATION, "--", "bash", CHECKOUT / "tools" / "lib" / "enter_root",
                self.folder, "/", f"{user[0]}:{user[1]}:{user[1]}", *binds, "--"]

    def ids_of(self, name):
        """Returns the user id and the group id of a user there."""
        lines = self.path("/etc/passwd").read_text().splitlines()
        fields = next(line.split(":") for line in lines if line.startswith(f"{name}:"))
        return int(fields[2]), int(fields[3])


def can_create():
    return os.geteuid() == 0

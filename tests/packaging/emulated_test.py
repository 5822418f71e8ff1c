#!/usr/bin/env python3
"""The Debian package for arm64, which cannot be installed here: its metadata, and its program, unpacked and run under
emulation. Arguments: the package, and the emulator's command. Standard library only."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from needed import missing  # noqa: E402
from portal import clean_environment  # noqa: E402
from serving import Serving  # noqa: E402

PACKAGE, EMULATOR = pathlib.Path(sys.argv[1]), sys.argv[2:]
AARCH64 = 183  # the machine that an ELF file of it names


class EmulatedPackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-emulated-")))
        self.root = self.folder / "root"
        subprocess.run(["dpkg-deb", "--extract", PACKAGE, self.root], check=True)

    def command(self, *arguments):
        return [*EMULATOR, self.root / "usr/bin/portail", *arguments]

    def run_program(self, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, env=clean_environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def field(self, name):
        return subprocess.run(["dpkg-deb", "--field", PACKAGE, name], check=True, capture_output=True, text=True).stdout.strip()

    def test_control_fields(self):
        self.assertEqual((self.field("Package"), self.field("Architecture")), ("portail", "arm64"))
        needed = dict(re.fullmatch(r"(\S+)(?: \((.*)\))?", part).groups() for part in self.field("Depends").split(", ") if "|" not in part)
        self.assertEqual(set(needed), {
            "procps", "libbearssl0", "libbrotli1", "libc6", "libcurl4t64", "libgcc-s1", "libhiredis1.1.0",
            "liblmdb0", "libpq5", "libprometheus-cpp-core1.0", "libsimdjson25", "libsodium23", "libsqlite3-0", "libssl3t64", "libstdc++6",
            "libtomlplusplus3t64", "libzstd1", "zlib1g"})
        self.assertRegex(needed["libc6"], r"^>= 2\.")

    def test_all_its_code_is_for_that_processor(self):
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertEqual({path.name for path in files}, {"portail"})
        self.assertEqual({int.from_bytes(path.read_bytes()[18:20], "little") for path in files}, {AARCH64})

    def test_it_runs(self):
        self.assertRegex(self.run_program("--version"), r"(?s)^portail \d+\.\d+\.\d+\n.*Linux aarch64")

    def test_it_serves(self):
        keys, public = self.folder / "keys.json", self.folder / "public.json"
        self.run_program("keys", "make", "--output", keys)
        self.run_program("keys", "public", "--input", keys, "--output", public)
        store = f"lmdb:{self.folder / 'store'}"
        self.run_program("import", "--store", store, self.root / "usr/share/doc/portail/examples/portail.json")
        token = self.run_program("token", "--keys", keys, "--issuer", "https://issuer.test", "--audience", "portail",
                                 "--subject", "sub-client-1").strip()
        command = self.command("serve", "--listen", "127.0.0.1:0", "--transport", "loopback", "--insecure-http", "--store", store,
                               "--issuer", "https://issuer.test", "--audience", "portail", "--jwks", public, "--queue-timeout", "0")
        with Serving(command, self.folder / "log") as server:
            self.assertEqual(server.ask("/health/live")[0], 200)
            status, _, body = server.ask("/api/app/liasse", {"Authorization": f"Bearer {token}"})
            self.assertEqual(status, 200)
            self.assertIn(b"L-2024-0001", body)


if __name__ == "__main__":
    if missing(PACKAGE, EMULATOR[0], made_by="elsewhere aarch64"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])

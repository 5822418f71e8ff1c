#!/usr/bin/env python3
"""The tarball in a root with only a shell: without a C library, certificates or users. Arguments: the tarball, the
contract suite, and a busybox that is linked statically. Standard library only."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "contract"), str(HERE.parent / "native")]
from clean_root import can_create  # noqa: E402
from needed import missing  # noqa: E402
from serving import Serving  # noqa: E402
from suite import AUDIENCES, DOMAIN, ISSUER, ORIGIN, make_certificate, make_keys, run_suite  # noqa: E402

TARBALL, SUITE, BUSYBOX = map(pathlib.Path, sys.argv[1:4])


@unittest.skipUnless(can_create(), "only root can create a clean root")
class TarballTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-empty-")))
        for folder in ("bin", "opt", "shared"):
            (self.root / folder).mkdir()
        shutil.copy(BUSYBOX, self.root / "bin" / "busybox")
        for applet in ("sh", "dirname", "readlink"):
            (self.root / "bin" / applet).symlink_to("busybox")
        subprocess.run(["tar", "--extract", "--file", TARBALL, "--directory", self.root / "opt", "--strip-components=1"], check=True)
        # Has the same path there and here.
        self.folder = self.root / "shared"
        alias = self.root / self.folder.relative_to("/")
        alias.parent.mkdir(parents=True)
        alias.symlink_to("/shared")

    def command(self, *arguments):
        return ["chroot", str(self.root), "/opt/bin/portail", *map(str, arguments)]

    def test_it_runs_without_system_libraries(self):
        program = self.root / "usr" / "bin" / "portail"
        program.parent.mkdir(parents=True)
        program.symlink_to("../../opt/bin/portail")  # as an operator may have it in the path
        done = subprocess.run(["chroot", self.root, "/usr/bin/portail", "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^portail \d+\.\d+\.\d+\n")
        done = subprocess.run(self.command("serve", "--no-such flag"), capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_licences_of_the_libraries_are_included(self):
        libraries = [path for path in (self.root / "opt/lib/portail").iterdir() if ".so" in path.name and not path.is_symlink()]
        self.assertGreater(len(libraries), 15)
        terms = {path.name for path in (self.root / "opt/share/doc/portail/licences").iterdir()}
        self.assertLess({"libc6", "libssl3t64", "libstdc++6", "libcurl4t64"}, terms)

    def test_the_contract(self):
        keys = self.folder / "portail"  # make_keys runs a program
        keys.write_text(f'#!/bin/sh\nexec chroot {self.root} /opt/bin/portail "$@"\n')
        keys.chmod(0o755)
        make_keys(keys, SUITE, self.folder)
        make_certificate(self.folder)
        store = "lmdb:/shared/store"
        settings = ["--store", store, "--create", "--listen", "127.0.0.1:0", "--issuer", ISSUER, "--jwks", "/shared/public.json",
                    "--tls-cert", "/shared/tls.crt", "--tls-key", "/shared/tls.key", "--queue-timeout", "0",
                    *(flag for audience in AUDIENCES for flag in ("--audience", audience)),
                    "--allow-origin", ORIGIN, "--allow-origin", f"https://*.{DOMAIN}"]
        with Serving(self.command("serve", *settings), self.folder / "log") as server:
            os.environ["TMPDIR"] = str(self.folder)
            self.assertEqual(run_suite(SUITE, self.folder, {"BASE": server.url, "DIRECT": server.url},
                                       self.command("import", "--store", store), 1, [], ca=str(self.folder / "tls.crt")), [])
            server.stop(signal.SIGTERM)
            self.assertEqual(server.process.returncode, 0)


if __name__ == "__main__":
    if missing(TARBALL, SUITE, BUSYBOX, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])

#!/usr/bin/env python3
"""The Debian package in a pristine Debian 13: installed, served from, upgraded, removed, purged. Arguments: the package, the
contract suite, and the program that makes keys. Standard library only."""

import contextlib
import http.client
import json
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "contract")]
from needed import missing  # noqa: E402
from pristine import BASE, PristineRoot, may_make_one  # noqa: E402
from service import UNIT, Service  # noqa: E402
from suite import AUDIENCES, DOMAIN, ISSUER, ORIGIN, make_certificate, make_keys, run_suite  # noqa: E402
from waiting import PATIENCE  # noqa: E402

PACKAGE, SUITE, PROGRAM = map(pathlib.Path, sys.argv[1:4])
SETTINGS = "/etc/portail/portail.env"
STORE = "/var/lib/portail"
EXAMPLES = "/usr/share/doc/portail/examples"
# What stands in for systemd, which does not run there: it writes down what it was asked.
ASKED = "/tmp/asked"
STAND_IN = f'#!/bin/sh\necho "$(basename "$0") $*" >>{ASKED}\n'


def control(package, field):
    return subprocess.run(["dpkg-deb", "--field", package, field], check=True, capture_output=True, text=True).stdout.strip()


def repacked(folder, version, changed):
    """The package with another version, and with another content of its settings."""
    unpacked, made = folder / "unpacked", folder / "upgrade.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", PACKAGE, unpacked], check=True)
    described = unpacked / "DEBIAN" / "control"
    described.write_text(described.read_text().replace(f"Version: {control(PACKAGE, 'Version')}\n", f"Version: {version}\n"))
    settings = unpacked / SETTINGS.lstrip("/")
    settings.write_text(settings.read_text() + changed)
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", unpacked, made], check=True, stdout=subprocess.DEVNULL)
    return made


class ContentsTest(unittest.TestCase):
    def test_everything_is_where_a_package_may_put_it(self):
        lines = subprocess.run(["dpkg-deb", "--contents", PACKAGE], check=True, capture_output=True, text=True).stdout.splitlines()
        names = {line.split()[5] for line in lines}
        self.assertEqual({name.split("/")[1] for name in names}, {"etc", "usr"})
        self.assertLess({"./usr/bin/portail", "./usr/share/doc/portail/licences/libcpp-httplib0.41", "./usr/share/zsh/vendor-completions/_portail"}, names)


@unittest.skipUnless(may_make_one(), "only root can make a pristine root")
class DebianPackageTest(unittest.TestCase):
    def setUp(self):
        ending = contextlib.ExitStack()
        self.addCleanup(ending.close)
        self.folder = pathlib.Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="portail-package-")))
        self.root = ending.enter_context(PristineRoot())
        make_keys(PROGRAM, SUITE, self.folder)
        make_certificate(self.folder)

    def service(self):
        return Service(self.root, self.folder / "log")

    def install(self, package, *options):
        shutil.copy(package, self.root.path("/tmp/portail.deb"))
        return self.root.apt(*options, "install", "/tmp/portail.deb")

    def configure(self):
        """As an operator does after the installation: docs/packages.md."""
        settings = {"PORTAIL_LISTEN": "127.0.0.1:0", "PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": ",".join(AUDIENCES),
                    "PORTAIL_JWKS": "/etc/portail/public.json", "PORTAIL_ALLOW_ORIGINS": f"{ORIGIN},https://*.{DOMAIN}",
                    "PORTAIL_LONGEST_WAIT": "0"}  # no load is shed, however slow the machine
        self.root.path(SETTINGS).write_text("# Edited.\n" + "".join(f"{name}={value}\n" for name, value in settings.items()))
        for file, name, mode in (("tls.crt", "certificate.pem", 0o600), ("tls.key", "key.pem", 0o600), ("public.json", "public.json", 0o644)):
            shutil.copy(self.folder / file, self.root.path(f"/etc/portail/{name}"))
            self.root.path(f"/etc/portail/{name}").chmod(mode)

    def as_portail(self, *command):
        return self.root.run(*command, user=self.root.ids_of("portail"))

    def ask(self, address, method, target, body=None):
        connection = http.client.HTTPSConnection(address, timeout=PATIENCE, context=ssl._create_unverified_context())
        with contextlib.closing(connection):
            connection.request(method, target, body, {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def make_token(self):
        """Of the sample portal's administrator."""
        made = subprocess.run([PROGRAM, "token", "--keys", self.folder / "private.json", "--kid", "contract-eddsa", "--issuer", ISSUER,
                               "--audience", AUDIENCES[0], "--subject", "sub-administrateur-1"], check=True, capture_output=True, text=True)
        self.token = made.stdout.strip()

    def run_contract(self, address):
        """The suite itself runs there, as the service's user: so do the imports that it asks for."""
        ours = self.folder / "suite"
        shutil.copytree(self.folder, ours, ignore=shutil.ignore_patterns("suite"))
        user = self.root.ids_of("portail")
        for path in (self.folder, ours, *ours.iterdir()):
            shutil.chown(path, *user)
        suite = self.root.command(SUITE, user=user, shared=(SUITE.parent, ours), inheriting=True)
        urls = {"BASE": f"https://{address}", "DIRECT": f"https://{address}"}
        return run_suite(suite[0], ours, urls, ["/usr/bin/portail", "import", "--store", f"lmdb:{STORE}"], 1, suite[1:],
                         ca=str(ours / "tls.crt"))

    def test_its_life(self):
        self.install(PACKAGE)
        self.root.apt("purge", "portail")
        self.assertEqual(self.root.run("find", "/etc", "/usr", "/var", "-path", "/var/lib/dpkg", "-prune", "-o", "-name", "*portail*", "-print"), "")
        self.install(PACKAGE)
        self.root.run("systemd-analyze", "verify", "--man=no", UNIT)
        self.assertEqual(self.root.path(SETTINGS).stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.root.run("stat", "-c", "%U %a", STORE), "portail 700\n")
        self.assertIn("portail serve", self.root.run("zcat", "/usr/share/man/man1/portail.1.gz"))
        self.assertIn(f"portail {control(PACKAGE, 'Version').split('-')[0]}\n", self.root.run("portail", "--version"))
        self.assertEqual(self.root.run("dpkg", "--verify", "portail"), "")

        self.configure()
        self.as_portail("portail", "import", "--store", f"lmdb:{STORE}", f"{EXAMPLES}/portail.json")
        self.make_token()
        with self.service() as service:
            self.upgrade_while_it_serves(service)
        with self.service() as service:
            self.assertEqual(self.ask(service.address, "GET", "/api/app/objet-courrier/1")[1]["typeAffectation"], self.acknowledged)
            self.assertEqual(self.run_contract(service.address), [])
            self.assertEqual(service.stop(), 0)

        self.remove_and_purge()

    def upgrade_while_it_serves(self, service):
        """While PUTs come; the last that was acknowledged is in `acknowledged`. The scripts believe that systemd runs."""
        self.root.path("/run/systemd/system").mkdir(parents=True)
        for name in ("systemctl", "deb-systemd-invoke"):
            self.root.path(f"/usr/local/bin/{name}").write_text(STAND_IN)
            self.root.path(f"/usr/local/bin/{name}").chmod(0o755)
        before = self.root.path(SETTINGS).read_text()
        upgraded, statuses = threading.Event(), []

        def put():
            kinds = ("Obligatoire", "Optionnel")
            while not upgraded.is_set() or len(statuses) < 2:
                kind = kinds[len(statuses) % 2]
                statuses.append(self.ask(service.address, "PUT", "/api/app/objet-courrier/1",
                                         json.dumps({"utilisablePourLiasse": True, "typeAffectation": kind}))[0])
                self.acknowledged = kind if statuses[-1] == 200 else self.acknowledged

        putting = threading.Thread(target=put)
        putting.start()
        try:
            self.install(repacked(self.folder, "99.0-1", "PORTAIL_NEW_DEFAULT=1\n"), "-o", "Dpkg::Options::=--force-confold")
        finally:
            upgraded.set()
            putting.join()
        self.assertEqual(set(statuses), {200})
        self.assertEqual(service.stop(), 0)  # what systemd does first, asked to restart it
        self.assertEqual(self.root.path(ASKED).read_text().splitlines(),
                         ["systemctl daemon-reload", "deb-systemd-invoke try-restart portail.service"])
        self.assertEqual(self.root.run("dpkg-query", "-W", "-f", "${Version}", "portail"), "99.0-1")
        self.assertEqual(self.root.path(SETTINGS).read_text(), before)
        self.assertEqual(self.root.path(SETTINGS).stat().st_mode & 0o777, 0o600)
        self.assertIn("PORTAIL_NEW_DEFAULT", self.root.path(f"{SETTINGS}.dpkg-dist").read_text())

    def remove_and_purge(self):
        self.root.path(ASKED).unlink()
        self.root.apt("remove", "portail")
        self.assertEqual(self.root.path(ASKED).read_text().splitlines(),
                         ["deb-systemd-invoke stop portail.service", "systemctl daemon-reload"])
        self.assertFalse(self.root.path("/usr/bin/portail").exists())
        self.assertTrue(self.root.path(SETTINGS).exists())
        self.assertIn(f"what was stored stays in {STORE}", self.root.apt("purge", "portail"))
        self.assertFalse(self.root.path(SETTINGS).exists())
        self.assertTrue(self.root.path(f"{STORE}/data.mdb").exists())
        # What is installed again finds it, and its user.
        self.install(PACKAGE)
        self.assertIn("wrote /tmp/export.json", self.as_portail("portail", "export", "--store", f"lmdb:{STORE}", "--output", "/tmp/export.json"))


if __name__ == "__main__":
    if missing(PACKAGE, SUITE, PROGRAM, BASE, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])

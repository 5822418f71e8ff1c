#!/usr/bin/env python3
"""Installs, runs, upgrades, removes and purges the Debian package in a clean Debian 13, under systemd. Arguments: the package, the
contract suite, and the program that makes keys. Standard library only."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "contract")]
from booted import Booted, can_boot  # noqa: E402
from clean_root import BASE, CleanRoot, can_create  # noqa: E402
from needed import missing  # noqa: E402
from portal import clean_environment  # noqa: E402
from serving import free_port  # noqa: E402
from suite import AUDIENCES, DOMAIN, ISSUER, ORIGIN, make_certificate, make_keys, run_suite  # noqa: E402
from waiting import PATIENCE, until  # noqa: E402
from workers import Worker  # noqa: E402

PACKAGE, SUITE, PROGRAM = map(pathlib.Path, sys.argv[1:4])
SETTINGS = "/etc/portail/portail.env"
STORE = "/var/lib/portail"
EXAMPLES = "/usr/share/doc/portail/examples"
UNITS = [f"/usr/lib/systemd/system/{name}" for name in ("portail.service", "portail-sync.service", "portail-sync.timer", "portail-sync.path",
                                                         "portail-backup.service", "portail-backup.timer")]
INCOMING = "/var/lib/portail-incoming"
DOCUMENTS = "/usr/share/doc/portail"
GOLDEN = HERE.parent / "native/stores/golden/format-1"


def control(package, field):
    return subprocess.run(["dpkg-deb", "--field", package, field], check=True, capture_output=True, text=True).stdout.strip()


def repacked(folder, version, changed):
    """Creates a package with another version and other default settings."""
    unpacked, package = folder / f"unpacked-{version}", folder / f"portail-{version}.deb"
    subprocess.run(["dpkg-deb", "--raw-extract", PACKAGE, unpacked], check=True)
    described = unpacked / "DEBIAN" / "control"
    described.write_text(described.read_text().replace(f"Version: {control(PACKAGE, 'Version')}\n", f"Version: {version}\n"))
    settings = unpacked / SETTINGS.lstrip("/")
    settings.write_text(settings.read_text() + changed)
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Znone", unpacked, package], check=True, stdout=subprocess.DEVNULL)
    return package


class ContentsTest(unittest.TestCase):
    def test_files_are_below_etc_and_usr(self):
        lines = subprocess.run(["dpkg-deb", "--contents", PACKAGE], check=True, capture_output=True, text=True).stdout.splitlines()
        names = {line.split()[5] for line in lines}
        self.assertEqual({name.split("/")[1] for name in names}, {"etc", "usr"})
        self.assertLess({"./usr/bin/portail", "./usr/share/zsh/vendor-completions/_portail"}, names)

    def test_the_documents_are_there_also_those_that_units_name(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "--extract", PACKAGE, folder], check=True)
            root = pathlib.Path(folder)
            documents = root / DOCUMENTS.lstrip("/")
            pages = sorted(documents.rglob("*.md"))
            self.assertLess({"docs/how-to/operate.md", "docs/how-to/back-up-and-restore.md", "docs/reference/settings.md", "CHANGELOG.md"},
                            {str(page.relative_to(documents)) for page in pages})
            for unit in UNITS:
                for named in re.findall(r"/usr/share/doc/portail/[a-z/-]+\.md", (root / unit.lstrip("/")).read_text()):
                    self.assertTrue((root / named.lstrip("/")).exists(), named)
            # What prints messages must not name what the package lacks.
            self.assertNotIn(b"tools/dev", (root / "usr/bin/portail").read_bytes())


@unittest.skipUnless(can_create(), "only root can create a clean root")
@unittest.skipUnless(can_boot(), "no systemd can be started here")
class DebianPackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-package-")))
        self.root = self.enterContext(CleanRoot())
        self.address = f"127.0.0.1:{free_port()}"
        make_keys(PROGRAM, SUITE, self.folder)
        make_certificate(self.folder)

    def install(self, machine, package, *options):
        shutil.copy(package, self.root.path("/srv/portail.deb"))
        return machine.apt(*options, "install", "/srv/portail.deb")

    def configure(self):
        """Follows docs/how-to/operate.md after the installation."""
        settings = {"PORTAIL_LISTEN": self.address, "PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": ",".join(AUDIENCES),
                    "PORTAIL_JWKS": "/etc/portail/public.json", "PORTAIL_ALLOW_ORIGINS": f"{ORIGIN},https://*.{DOMAIN}",
                    "PORTAIL_QUEUE_TIMEOUT": "0"}  # no load is shed, however slow the machine
        self.root.path(SETTINGS).write_text("# Edited.\n" + "".join(f'{name}="{value}"\n' for name, value in settings.items()))
        for file, name, mode in (("tls.crt", "certificate.pem", 0o600), ("tls.key", "key.pem", 0o600), ("public.json", "public.json", 0o644)):
            shutil.copy(self.folder / file, self.root.path(f"/etc/portail/{name}"))
            self.root.path(f"/etc/portail/{name}").chmod(mode)

    def as_portail(self, machine, *command):
        return machine.run(*command, user=self.root.ids_of("portail"))

    def ask(self, method, target, body=None):
        connection = http.client.HTTPSConnection(self.address, timeout=PATIENCE, context=ssl._create_unverified_context())
        with contextlib.closing(connection):
            connection.request(method, target, body, {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def certificate(self):
        host, port = self.address.split(":")
        return ssl.get_server_certificate((host, int(port)))

    def kind(self):
        return self.ask("GET", "/api/app/objet-courrier/1")[1]["typeAffectation"]

    def make_token(self):
        """Creates a token of the sample portal's administrator."""
        done = subprocess.run([PROGRAM, "token", "--keys", self.folder / "private.json", "--kid", "contract-eddsa", "--issuer", ISSUER,
                               "--audience", AUDIENCES[0], "--subject", "sub-administrateur-1"], check=True, capture_output=True, text=True,
                              env=clean_environment())
        self.token = done.stdout.strip()

    def start(self, machine):
        status, output = machine.ended("systemctl", "enable", "--now", "portail")
        self.assertEqual(status, 0, output + machine.ended("journalctl", "--no-pager", "--lines", "20")[1])
        self.wait_until_it_serves(machine)

    def wait_until_it_serves(self, machine):
        def serves():
            with contextlib.suppress(ConnectionError):
                return self.ask("GET", "/health/ready")[0] == 200

        try:
            until(serves, "the service to serve")
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{machine.ended('journalctl', '--no-pager', '--unit', 'portail')[1][-4000:]}") from None

    def shown(self, machine, name, unit="portail"):
        """Returns a property of the unit."""
        return machine.run("systemctl", "show", "--value", "--property", name, unit).strip()

    def run_contract(self, machine):
        """Runs the suite, and its imports, inside, as the user of the service."""
        inside = pathlib.Path("/srv/contract")
        user = self.root.ids_of("portail")
        shutil.copytree(self.folder, self.root.path(str(inside)))
        shutil.copy(SUITE, self.root.path(str(inside / "suite")))
        for path in (self.root.path(str(inside)), *self.root.path(str(inside)).iterdir()):
            shutil.chown(path, *user)
        suite = machine.command(inside / "suite", user=user, inheriting=True)
        urls = {"BASE": f"https://{self.address}", "DIRECT": f"https://{self.address}"}
        return run_suite(suite[0], inside, urls, ["/usr/bin/portail", "import", "--store", f"lmdb:{STORE}"], 1, suite[1:],
                         ca=str(inside / "tls.crt"))

    def test_install_upgrade_remove_and_purge(self):
        self.install(self.root, PACKAGE)
        self.root.apt("purge", "portail")
        self.assertEqual(self.root.run("find", "/etc", "/usr", "/var", "-path", "/var/lib/dpkg", "-prune", "-o", "-name", "*portail*", "-print"), "")
        with Booted(self.root) as machine:
            self.upgrade_from_an_older_version(machine)
            self.install(machine, PACKAGE)
            self.check_installed(machine)
            self.configure()
            self.as_portail(machine, "portail", "import", "--store", f"lmdb:{STORE}", f"{EXAMPLES}/portail.json")
            self.make_token()
            self.start(machine)
            self.check_settings(machine)
            self.check_sandbox(machine)
            self.check_synchronisation(machine)
            self.check_backup(machine)
            self.reload_and_crash(machine)
            self.upgrade_while_it_serves(machine)
        with Booted(self.root) as machine:  # enabled, it starts with the machine
            self.wait_until_it_serves(machine)
            self.assertEqual(self.kind(), self.acknowledged)
            self.assertEqual(self.run_contract(machine), [])
            self.remove_and_purge(machine)

    def upgrade_from_an_older_version(self, machine):
        """The older version is the package that TEST_OLDER_PACKAGE names, or this program under another number; its store is one that the
        first program of the layout wrote."""
        older = os.environ.get("TEST_OLDER_PACKAGE") or repacked(self.folder, "0.0.1-1", "")
        self.install(machine, older)
        self.assertEqual(machine.run("dpkg-query", "-W", "-f", "${Version}", "portail"), control(older, "Version"))
        self.configure()
        shutil.copy(GOLDEN / "lmdb" / "data.mdb", self.root.path(STORE))
        shutil.chown(self.root.path(f"{STORE}/data.mdb"), *self.root.ids_of("portail"))
        self.make_token()
        self.start(machine)
        first = self.shown(machine, "MainPID")
        self.install(machine, PACKAGE)
        self.wait_until_it_serves(machine)
        self.assertNotEqual(self.shown(machine, "MainPID"), first)
        self.assertEqual(machine.run("dpkg-query", "-W", "-f", "${Version}", "portail"), control(PACKAGE, "Version"))
        machine.run("mkdir", "/srv/exported")
        machine.run("portail", "export", "--store", f"lmdb:{STORE}", "--output", "/srv/exported/portail.json")
        self.assertEqual(self.root.path("/srv/exported/portail.json").read_bytes(), (GOLDEN / "portail.json").read_bytes())
        machine.run("systemctl", "disable", "--now", "portail")
        machine.apt("purge", "portail")
        machine.run("sh", "-c", f"rm {STORE}/*")

    def check_installed(self, machine):
        machine.run("systemd-analyze", "verify", "--man=no", *UNITS)
        self.assertEqual(self.shown(machine, "ActiveState"), "inactive")
        self.assertEqual(self.root.path(SETTINGS).stat().st_mode & 0o777, 0o600)
        self.assertEqual(machine.run("stat", "-c", "%U %a", STORE), "portail 700\n")
        self.assertEqual(machine.run("stat", "-c", "%U %G %a", INCOMING), "portail portail 2770\n")
        self.assertIn("portail serve", machine.run("zcat", "/usr/share/man/man1/portail.1.gz"))
        self.assertIn(f"portail {control(PACKAGE, 'Version').split('-')[0]}\n", machine.run("portail", "--version"))
        self.assertEqual(machine.run("dpkg", "--verify", "portail"), "")
        self.assertEqual(machine.ended("portail", "check"), (2, "configuration    failed  no issuer: give --issuer the iss of the tokens (or set "
                                                                f"PORTAIL_ISSUER); read from {SETTINGS}\nportail: no issuer: give --issuer the iss of "
                                                                f"the tokens (or set PORTAIL_ISSUER); read from {SETTINGS}\n"))

    def check_settings(self, machine):
        """As root and without arguments, `portail check` checks the service."""
        shown = machine.run("portail", "check", "--show")
        for line in (f"store = lmdb:{STORE}  (PORTAIL_STORE)", "tls-cert = /etc/portail/certificate.pem  (PORTAIL_TLS_CERT)",
                     f"issuer = {ISSUER}  (PORTAIL_ISSUER)", f"configuration    ok      {SETTINGS}", f"store            ok      lmdb:{STORE}"):
            self.assertIn(f"{line}\n", shown)
        without_service = machine.ended("env", "PORTAIL_LEEWAY=5", "portail", "check")
        self.assertEqual(without_service[0], 2)
        self.assertIn(f"; read from the environment, not {SETTINGS}\n", without_service[1])
        self.assertRegex(shown, r"\ncertificate +(ok|warning) +/etc/portail/certificate.pem, valid until ")

    def check_sandbox(self, machine):
        """Checks the status of the process: no capabilities, no means to gain any, and filtered system calls."""
        output = machine.run("cat", f"/proc/{self.shown(machine, 'MainPID')}/status")
        status = dict(line.split(":\t", 1) for line in output.splitlines() if ":\t" in line)
        user, group = self.root.ids_of("portail")
        self.assertEqual((status["Uid"], status["Gid"]), (f"{user}\t" * 3 + f"{user}", f"{group}\t" * 3 + f"{group}"))
        self.assertEqual([status[name] for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")], ["0000000000000000"] * 4)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))

    def check_synchronisation(self, machine):
        """Drops a changed sample portal, then a text that is no document, into the folder that the path unit watches."""
        machine.run("systemctl", "enable", "--now", "portail-sync.path", "portail-sync.timer")
        changes = "/var/lib/portail-sync/changes"

        def exit_status():
            """Returns the metric, as the node exporter would read it."""
            shown = machine.ended("cat", "/run/portail-sync/portail_sync.prom")[1]
            return next((line.rpartition(" ")[2] for line in shown.splitlines() if line.startswith("portail_sync_last_exit_status")), None)

        def drop(command):
            machine.run("sh", "-c", f"{command} && chmod 644 {INCOMING}/new && mv {INCOMING}/new {INCOMING}/portail.json")

        machine.run("cp", "-r", f"{EXAMPLES}/modeles", INCOMING)
        drop(f"sed s/Durand/Dupond/ {EXAMPLES}/portail.json >{INCOMING}/new")
        until(lambda: exit_status() == "0", "the synchronisation")
        self.assertEqual(machine.run("sh", "-c", f"ls {changes} | wc -l"), "1\n")
        # A change during a run is left to the timer.
        until(lambda: self.shown(machine, "ActiveState", "portail-sync") == "inactive", "the end of the synchronisation")
        until(lambda: self.shown(machine, "SubState", "portail-sync.path") == "waiting", "the path unit")
        drop(f"echo broken >{INCOMING}/new")
        until(lambda: exit_status() == "1", "the failure of a synchronisation")
        until(lambda: self.shown(machine, "ActiveState", "portail-sync") == "failed", "the end of the failed synchronisation")
        machine.run("systemctl", "reset-failed", "portail-sync")
        machine.run("systemctl", "disable", "--now", "portail-sync.path", "portail-sync.timer")

    def check_backup(self, machine):
        """Starts what the timer starts, and restores the result."""
        machine.run("systemctl", "enable", "--now", "portail-backup.timer")
        machine.run("systemctl", "start", "portail-backup.service")
        (made,) = machine.run("ls", "/var/lib/portail-backup").split()
        self.assertRegex(made, r"^\d{4}-\d\d-\d\dT\d{6}Z$")
        machine.run("portail", "restore", "--store", "lmdb:/srv/restored", f"/var/lib/portail-backup/{made}")
        machine.run("systemctl", "disable", "--now", "portail-backup.timer")

    def reload_and_crash(self, machine):
        first = self.shown(machine, "MainPID")
        machine.run("systemctl", "reload", "portail")
        until(lambda: '"event":"reloaded"' in machine.run("journalctl", "--no-pager", "--unit", "portail"), "the reload")
        before = self.certificate()
        make_certificate(self.folder)  # renewed, behind links as certbot's are
        for file, name in (("tls.crt", "certificate.pem"), ("tls.key", "key.pem")):
            shutil.copy(self.folder / file, self.root.path(f"/srv/renewed-{name}"))
            self.root.path(f"/srv/renewed-{name}").chmod(0o600)
            machine.run("ln", "-sf", f"/srv/renewed-{name}", f"/etc/portail/{name}")
        machine.run("systemctl", "reload", "portail")
        until(lambda: self.certificate() != before, "the renewed certificate")
        self.assertEqual(self.certificate(), (self.folder / "tls.crt").read_text())
        self.assertEqual(self.shown(machine, "MainPID"), first)
        machine.run("systemctl", "kill", "--signal", "KILL", "portail")
        until(lambda: self.shown(machine, "NRestarts") == "1", "the restart")
        self.wait_until_it_serves(machine)
        self.assertNotEqual(self.shown(machine, "MainPID"), first)

    def upgrade_while_it_serves(self, machine):
        """Upgrades while PUTs are sent, at least one of them during the restart. `acknowledged` is the last acknowledged value."""
        before, first = self.root.path(SETTINGS).read_text(), self.shown(machine, "MainPID")
        upgraded, statuses, refused = threading.Event(), [], []

        def put():
            kinds = ("Obligatoire", "Optionnel")
            while not upgraded.is_set() or len(statuses) < 2:
                kind = kinds[len(statuses) % 2]
                body = json.dumps({"utilisablePourLiasse": True, "typeAffectation": kind})
                try:
                    statuses.append(self.ask("PUT", "/api/app/objet-courrier/1", body)[0])
                    self.acknowledged = kind if statuses[-1] == 200 else self.acknowledged
                except (ConnectionError, ssl.SSLEOFError) as error:  # while it restarts, also in the middle of a handshake
                    refused.append(error)

        putting = Worker(put)
        putting.start()
        try:
            self.install(machine, repacked(self.folder, "99.0-1", "PORTAIL_NEW_DEFAULT=1\n"), "-o", "Dpkg::Options::=--force-confold")
            self.wait_until_it_serves(machine)
        finally:
            upgraded.set()
            putting.join()
        self.assertEqual(set(statuses), {200})
        self.assertGreater(len(refused), 0, "no PUT was sent during the restart")
        self.assertEqual(self.kind(), self.acknowledged)
        self.assertNotEqual(self.shown(machine, "MainPID"), first)
        self.assertEqual(machine.run("dpkg-query", "-W", "-f", "${Version}", "portail"), "99.0-1")
        self.assertEqual(self.root.path(SETTINGS).read_text(), before)
        self.assertEqual(self.root.path(SETTINGS).stat().st_mode & 0o777, 0o600)
        self.assertIn("PORTAIL_NEW_DEFAULT", self.root.path(f"{SETTINGS}.dpkg-dist").read_text())

    def remove_and_purge(self, machine):
        machine.apt("remove", "portail")
        with self.assertRaises(ConnectionError):
            self.ask("GET", "/health/ready")
        self.assertEqual(self.shown(machine, "ActiveState"), "inactive")
        self.assertFalse(self.root.path("/usr/bin/portail").exists())
        self.assertTrue(self.root.path(SETTINGS).exists())
        self.assertIn(f"what was stored stays in {STORE}", machine.apt("purge", "portail"))
        self.assertFalse(self.root.path(SETTINGS).exists())
        self.assertTrue(self.root.path(f"{STORE}/data.mdb").exists())
        # A new installation finds the store and its user.
        self.install(machine, PACKAGE)
        self.assertIn("wrote /srv/export.json", machine.run("portail", "export", "--store", f"lmdb:{STORE}", "--output", "/srv/export.json"))


if __name__ == "__main__":
    if missing(PACKAGE, SUITE, PROGRAM, BASE, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])

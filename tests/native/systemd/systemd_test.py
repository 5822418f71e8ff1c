"""The systemd units stay as hardened as they are, and every setting in them, and in the examples of schedules, is one of the program's."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support.program import run

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNITS = ROOT / "native" / "systemd"
SCHEDULES = ROOT / "native" / "scheduling"
needs_systemd = unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze (package systemd) is not installed")


def exposure(unit):
    """Returns the exposure that `systemd-analyze security` gives to the unit."""
    done = subprocess.run(["systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=100", UNITS / unit],
                          capture_output=True, text=True)
    return re.search(rf"Overall exposure level for {unit}: (\d+\.\d)", done.stdout)[1]


class SystemdTest(unittest.TestCase):
    @needs_systemd
    def test_the_unit_is_hardened(self):
        promised = re.search(r"gives it an exposure of\s+(\d+\.\d)", (ROOT / "docs/how-to/run-under-systemd.md").read_text(encoding="utf-8"))
        self.assertEqual(exposure("portail.service"), promised[1])
        for unit in ("portail-sync.service", "portail-backup.service"):
            self.assertEqual(exposure(unit), promised[1])

    def test_the_other_units_have_the_sandbox_of_the_server(self):
        def sandbox(unit):
            lines = (UNITS / unit).read_text().splitlines()
            return lines[lines.index("NoNewPrivileges=yes"):lines.index("SystemCallErrorNumber=EPERM") + 1]
        self.assertGreater(len(sandbox("portail.service")), 25)
        for unit in ("portail-sync.service", "portail-backup.service"):
            self.assertEqual(sandbox(unit), sandbox("portail.service"))

    @needs_systemd
    def test_the_other_units_are_valid(self):
        names = ("portail-sync.service", "portail-sync.timer", "portail-sync.path", "portail-backup.service", "portail-backup.timer")
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                # The program is not installed here.
                text = (UNITS / name).read_text().replace("/usr/local/bin/portail", "/bin/true")
                (pathlib.Path(folder) / name).write_text(text)
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, cwd=folder)
        own = [line for line in done.stderr.splitlines() if "portail" in line]
        self.assertEqual((done.returncode, own), (0, []), done.stderr)

    def test_the_unit_has_the_documented_time_to_stop(self):
        documented = re.search(r"`TimeoutStopSec=(\d+)`", (ROOT / "docs/how-to/run-under-systemd.md").read_text(encoding="utf-8"))
        self.assertIn(f"\nTimeoutStopSec={documented.group(1)}\n", (UNITS / "portail.service").read_text())
        self.assertGreater(int(documented.group(1)), 0.2 + 30 + 5)  # --drain-delay, --shutdown-timeout, a log that is not read

    def test_every_setting_is_one_of_the_program(self):
        settings = r"PORTAIL_[A-Z_]+"
        of_sync = set(re.findall(settings, run("import", "--help").stdout))
        known = {"portail.service": set(re.findall(settings, run("serve", "--help").stdout)), "portail-sync.service": of_sync, "sync.env": of_sync}
        known["portail-backup.service"] = set(re.findall(settings, run("backup", "--help").stdout))
        known["portail.env"] = known["portail.service"]
        for name, of_command in known.items():
            used = set(re.findall(rf"^(?:# )?(?:Environment=)?({settings})=", (UNITS / name).read_text(), re.MULTILINE))
            self.assertGreater(len(used), 2, name)
            self.assertEqual(used - of_command, set(), name)

    def test_the_folders_of_the_units_are_those_of_the_package(self):
        created = (ROOT / "native/packaging/debian/postinst").read_text()
        path = re.search(r"^PathChanged=(.*)/portail.json$", (UNITS / "portail-sync.path").read_text(), re.MULTILINE)[1]
        self.assertIn(f" {path}\n", created)
        self.assertIn(f"\nPORTAIL_SYNC_SOURCE={path}/portail.json\n", (UNITS / "sync.env").read_text())

    def test_the_schedules_use_flags_of_the_program(self):
        known = set(re.findall(r"--[a-z-]+", run("import", "--help").stdout))
        for name, command in (("kubernetes-cronjob.yml", r"args: \[import, (.*)\]"), ("github-workflow.yml", r"run: portail import (.*)")):
            arguments = re.search(command, (SCHEDULES / name).read_text())[1]
            used = set(re.findall(r"--[a-z-]+", arguments))
            self.assertGreater(len(used), 1, name)
            self.assertEqual(used - known, set(), name)


if __name__ == "__main__":
    unittest.main()

"""The systemd unit stays as hardened as it is, and every setting in it is one of the program's."""

import pathlib
import re
import shutil
import subprocess
import unittest

from support.program import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ROOT / "native" / "systemd"


class SystemdTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze (package systemd) is not installed")
    def test_the_unit_is_hardened(self):
        done = subprocess.run(["systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=100",
                               UNITS / "portail.service"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        measured = re.search(r"Overall exposure level for portail.service: (\d+\.\d)", done.stdout)
        promised = re.search(r"gives it an exposure of\s+(\d+\.\d)", (ROOT / "docs/how-to/run-under-systemd.md").read_text(encoding="utf-8"))
        self.assertEqual(measured.group(1), promised.group(1), done.stdout)

    def test_the_unit_has_the_documented_time_to_stop(self):
        documented = re.search(r"`TimeoutStopSec=(\d+)`", (ROOT / "docs/how-to/run-under-systemd.md").read_text(encoding="utf-8"))
        self.assertIn(f"\nTimeoutStopSec={documented.group(1)}\n", (UNITS / "portail.service").read_text())
        self.assertGreater(int(documented.group(1)), 0.2 + 30 + 5)  # --drain-delay, --shutdown-timeout, a log that is not read

    def test_every_setting_is_one_of_the_program(self):
        known = set(re.findall(r"PORTAIL_[A-Z_]+", run("serve", "--help").stdout))
        used = set()
        for name in ("portail.service", "portail.env"):
            used |= set(re.findall(r"^(?:Environment=)?(PORTAIL_[A-Z_]+)=", (UNITS / name).read_text(), re.MULTILINE))
        self.assertGreater(len(used), 5)
        self.assertEqual(used - known, set())


if __name__ == "__main__":
    unittest.main()

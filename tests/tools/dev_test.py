#!/usr/bin/env python3
"""tools/dev without a command that it has, its private root and its builds. Standard library only."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class DevTest(unittest.TestCase):
    def test_an_unknown_command(self):
        for word, line in [
            ("serv", "unknown command serv; did you mean serve? See tools/dev help"),
            ("wams", "unknown command wams; did you mean wasm? See tools/dev help"),
            ("lintt", "unknown command lintt; did you mean lint? See tools/dev help"),
            ("nosuch", "unknown command nosuch; the commands are bench build check checks costs docs edge elsewhere format fuzz lint "
                       "package quick serve setup shell soak test wasm; see tools/dev help"),
        ]:
            with self.subTest(word):
                done = subprocess.run([ROOT / "tools" / "dev", word], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"tools/dev: {line}\n"))


# tools/lib/root.sh in a checkout of its own, with stubs of what creates and enters a root.
ROOT_FUNCTIONS = """
set -euo pipefail
checkout=$1
source "$2/tools/lib/output.sh"
source "$2/tools/lib/root.sh"
become_root() { as_root=(); }
create_root() { :; }
in_checkout() { :; }
copy_cargo_configuration() { :; }
run() { printf '%s\\n' "$@"; }
"""


class PrivateRootTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="portail-dev-"))

    def run_script(self, script, **environment):
        return subprocess.run(["bash", "-c", ROOT_FUNCTIONS + script, "bash", self.folder, ROOT], capture_output=True, text=True, timeout=60,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": self.folder, "DEV_CACHE": self.folder} | environment)

    def test_the_notice_is_printed_when_the_root_is_made(self):
        done = self.run_script("prepare_private_root build; prepare_private_root build")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "tools/dev: this machine is not Debian 13, so tools/dev works in a private Debian 13 root; "
                             f"remove it with: rm -rf --one-file-system '{self.folder}/.root'\n"))

    def test_variables_of_the_program_pass_and_tokens_of_registries_do_not(self):
        done = self.run_script("in_root /nowhere / as_caller -- program --flag", PORTAIL_TOKEN="a.b.c", PORTAIL_ISSUER="https://issuer.example",
                               TEST_FULL="1", CARGO_REGISTRY_TOKEN="sesame", PIP_NO_INPUT="1", SESAME="sesame")
        self.assertEqual(done.returncode, 0, done.stderr)
        words = done.stdout.splitlines()
        self.assertEqual(words[-2:], ["program", "--flag"])
        for word in ("PORTAIL_TOKEN=a.b.c", "PORTAIL_ISSUER=https://issuer.example", "TEST_FULL=1", "PIP_NO_INPUT=1"):
            self.assertIn(word, words)
        self.assertNotIn("sesame", done.stdout)


# tools/lib/build.sh with a ninja that fails. In a condition the shell does not end at the first failed command.
BUILD_FUNCTIONS = """
set -euo pipefail
checkout=$1
cd "$1"
source "$2/tools/lib/output.sh"
source "$2/tools/lib/build.sh"
configure() { :; }
run() { return 3; }
"""


class BuildTest(unittest.TestCase):
    def test_a_build_that_failed_is_no_success_in_a_condition(self):
        with tempfile.TemporaryDirectory(prefix="portail-dev-") as folder:
            done = subprocess.run(["bash", "-c", BUILD_FUNCTIONS + "build release portail || echo failed", "bash", folder, ROOT],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, "failed\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()

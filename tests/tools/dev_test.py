#!/usr/bin/env python3
"""tools/dev without a command that it has. Standard library only."""

import pathlib
import subprocess
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


if __name__ == "__main__":
    unittest.main()

"""The shell completion scripts and the manual page."""

import re
import subprocess
import unittest

from support.program import PortailTest, on_terminal, run

COMMANDS = ["audit", "check", "completions", "export", "import", "keys", "manual", "serve", "status", "token"]
# A command line with an unfinished last word, and its completions.
LINES = [
    (["ser"], ["serve"]),
    (["keys", ""], ["make", "public", "show", "store"]),
    (["keys", "make", "--a"], ["--alg"]),
    (["serve", "--tls-c"], ["--tls-cert"]),
    (["serve", "--transport", ""], ["direct", "forwarded", "forwarded-or-loopback", "loopback"]),
    (["serve", "--transport", "l"], ["loopback"]),
    (["serve", "--insecure-http", "--log-lev"], ["--log-level"]),
    (["audit", "--action", "gr"], ["grants"]),
    (["completions", ""], ["bash", "fish", "zsh"]),
    (["export", "--format", ""], ["document", "fastly", "json-lines", "redis", "spin-sqlite"]),
    (["keys", "make", "--alg", ""], ["ES256", "EdDSA", "HS256", "PS256", "RS256"]),
    (["vers"], ["version"]),
    (["import", "--no-such"], []),
]


class CompletionsTest(PortailTest):
    def script(self, shell):
        done = run("completions", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.write(f"portail.{shell}", done.stdout)

    def words_of(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        words = [line.partition("\t")[0] for line in done.stdout.splitlines()]
        return sorted(word for word in words if word and not word.startswith("-h") and word != "--help")

    def of_bash(self, script, words):
        return self.words_of("bash", "--norc", "-c", 'source "$0"; COMP_WORDS=(portail "$@"); COMP_CWORD=$#; _portail; '
                             'printf "%s\\n" "${COMPREPLY[@]}"', script, *words)

    def of_zsh(self, script, words):
        # As bashcompinit calls it; zsh itself drops candidates without the prefix.
        offered = self.words_of("zsh", "-f", "-c", 'source "$0"; ask() { emulate -L sh; COMP_WORDS=(portail "$@"); COMP_CWORD=$#; _portail; '
                             'printf "%s\\n" "${COMPREPLY[@]}"; }; ask "$@"', script, *words)
        return [word for word in offered if word.startswith(words[-1])]

    def of_fish(self, script, words):
        return self.words_of("fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, " ".join(["portail", *words]))

    def test_the_words_of_each_shell(self):
        for shell, ask in (("bash", self.of_bash), ("zsh", self.of_zsh), ("fish", self.of_fish)):
            script = self.script(shell)
            for words, expected in LINES:
                with self.subTest(shell=shell, words=words):
                    self.assertEqual(ask(script, words), expected)

    def test_a_flag_that_takes_a_file_completes_none_of_the_words(self):
        script = self.script("bash")
        self.assertEqual(self.of_bash(script, ["serve", "--tls-cert", ""]), [])
        self.assertIn("complete -o bashdefault -o default", self.read("portail.bash"))

    def test_the_manual(self):
        page = self.write("portail.1", run("manual").stdout)
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True, text=True)
        self.assertEqual((lint.returncode, lint.stdout, lint.stderr), (0, "", ""))
        shown = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=200", page], capture_output=True, text=True, check=True).stdout
        plain = "\n".join(line.strip() for line in re.sub(".\x08", "", shown).splitlines())  # bold is written twice
        for name in COMMANDS:
            self.assertIn(f"portail {name}", plain)
        for said in ("--log-level value", "One of debug, info, warning, error.", "One of document, fastly, json-lines, redis, spin-sqlite.", "One of EdDSA, ES256, RS256, PS256, HS256.", "Environment: PORTAIL_LOG_LEVEL.", "Default: info.",
                     "EXIT STATUS", "portail keys make --output keys.json"):
            self.assertIn(said, plain)
        self.assertNotIn("jwks-min-interval", plain)

    def test_the_manual_on_a_terminal_is_text(self):
        lines = on_terminal("manual", environment={"TERM": "xterm"}).split("\r\n")
        self.assertEqual(lines[:6], ["NAME", "    portail - The customer portal: mail objects and document bundles", "", "SYNOPSIS",
                                     "    portail command [option]...", ""])
        begin = lines.index("  portail keys show")
        self.assertEqual(lines[begin:begin + 6], ["  portail keys show", "    List the keys of a set, and why some are refused.",
                                                  "    FILE", "        The key set.", "    --json", "        One JSON object instead of lines."])
        self.assertEqual([line for line in lines if len(line) > 80 or "\\" in line or line.startswith(".")], [])
        self.assertIn("    portail development trial", lines)


if __name__ == "__main__":
    unittest.main()

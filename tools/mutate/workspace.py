"""A copy of the sources with its own build, in which mutants are compiled and tested."""

import enum
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

from suites import suites_of

COPIED = ["CMakeLists.txt", "cmake", "core", "native", "tests", "fixtures", "docs/reference"]
MAX_MEMORY = 4 << 30


class Outcome(enum.Enum):
    KILLED = "killed"
    SURVIVED = "survived"
    NOT_COMPILED = "not compiled"


class Workspace:
    def __init__(self, checkout):
        self.checkout = checkout
        self.source = checkout / "build" / "mutate" / "source"
        self.build = checkout / "build" / "mutate" / "build"
        self.max_seconds = {}  # by suite, both of the whole and of one process's CPU
        # Objects of mutants are not worth caching.
        self.environment = {**os.environ, "CCACHE_READONLY": "1"}

    def prepare(self, mutants):
        """Copies, configures and builds; the required tests must pass without a mutant."""
        self._copy()
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
        self._call(
            ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -D_GLIBCXX_ASSERTIONS", "-DPORTAIL_WARNINGS_AS_ERRORS=OFF",
             *(launcher if shutil.which("ccache") else [])],
        )  # fmt: skip
        suites = list(dict.fromkeys(suite for mutant in mutants for suite in suites_of(mutant.file)))
        self._call(["nice", "ninja", "-C", self.build, *sorted({suite.target for suite in suites})])
        for suite in suites:
            run, list_tests = suite.commands(self.build)
            listed = subprocess.run(list_tests, cwd=self.build, capture_output=True, text=True)
            if listed.returncode != 0 or "\n  " not in listed.stdout:
                sys.exit(f"{suite}: no test has such a name")
            start = time.monotonic()
            if not self._passes(run, max_seconds=1200):
                sys.exit(f"{suite} fails without a mutant")
            seconds = time.monotonic() - start
            self.max_seconds[suite] = 60 + 10 * int(seconds)
            print(f"{suite}: {seconds:.1f} s", flush=True)

    def outcome_of(self, mutant):
        path = self.source / mutant.file
        original = path.read_text()
        path.write_text(mutant.text(original))
        try:
            for suite in suites_of(mutant.file):
                if not self._builds(suite.target):
                    return Outcome.NOT_COMPILED
                if not self._passes(suite.commands(self.build)[0], self.max_seconds[suite]):
                    return Outcome.KILLED
            return Outcome.SURVIVED
        finally:
            path.write_text(original)

    def _copy(self):
        """Copies the sources; unchanged files keep their modification time, so that they are not rebuilt."""
        wanted = {
            path.relative_to(self.checkout)
            for part in COPIED
            for path in ([self.checkout / part] if (self.checkout / part).is_file() else (self.checkout / part).rglob("*"))
            if path.is_file()
        }
        tools = self.source / "build"  # of the page, which is part of the program
        for path in list(self.source.rglob("*")):
            if path.is_file() and path.relative_to(self.source) not in wanted and tools not in path.parents:
                path.unlink()
        for name in wanted:
            path = self.source / name
            bytes_now = (self.checkout / name).read_bytes()
            if not path.exists() or path.read_bytes() != bytes_now:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(bytes_now)
        tools.mkdir(exist_ok=True)
        if not (tools / "page").exists():
            (tools / "page").symlink_to(self.checkout / "build" / "page")

    def _call(self, command):
        finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if finished.returncode != 0:
            sys.exit(f"{finished.stdout}\nfailed: {' '.join(map(str, command))}")

    def _builds(self, target):
        command = ["nice", "ninja", "-C", self.build, target]
        return subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL).returncode == 0

    def _passes(self, command, max_seconds):
        """Whether the tests pass within the limits. Ends what they started."""

        def limit_resources():
            resource.setrlimit(resource.RLIMIT_CPU, (max_seconds, max_seconds))
            resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))

        with subprocess.Popen(
            command, cwd=self.build, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=limit_resources, start_new_session=True,
        ) as tests:  # fmt: skip
            try:
                return tests.wait(max_seconds) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                try:
                    os.killpg(tests.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

"""A copy of the sources with its own build, in which mutants are compiled and tested."""

import enum
import os
import resource
import shutil
import subprocess
import sys

# For each directory of the core, the unit tests to run, in this order. A directory without them (core/files, whose tests
# need a host) is not mutated.
UNIT_TESTS = {
    "base": ["base", "http", "json", "auth", "portal", "exchange", "api"],
    "json": ["json", "auth", "exchange", "api"],
    "http": ["http", "api", "guest"],
    "crypto": ["crypto", "auth"],
    "auth": ["auth", "api", "guest"],
    "storage": ["storage", "portal", "exchange"],
    "portal": ["portal", "api", "exchange"],
    "exchange": ["exchange"],
    "api": ["api"],
    "guest": ["guest"],
    "": ["core", "api"],  # files in core/ itself
}
COPIED = ["CMakeLists.txt", "cmake", "core", "tests"]
MAX_CPU_SECONDS = 60  # ten times the longest test program
TIMEOUT = 600  # seconds, for one that blocks
MAX_MEMORY = 4 << 30


class Outcome(enum.Enum):
    KILLED = "killed"
    SURVIVED = "survived"
    NOT_COMPILED = "not compiled"


def directory_of(file):
    return file.parts[1] if len(file.parts) > 2 else ""


def has_unit_tests(file):
    return directory_of(file) in UNIT_TESTS


def unit_tests_of(mutant):
    return UNIT_TESTS[directory_of(mutant.file)]


def limit_resources():
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


class Workspace:
    def __init__(self, checkout):
        self.checkout = checkout
        self.source = checkout / "build" / "mutate" / "source"
        self.build = checkout / "build" / "mutate" / "build"
        # Objects of mutants are not worth caching.
        self.environment = {**os.environ, "CCACHE_READONLY": "1"}

    def prepare(self, mutants):
        """Copies, configures and builds; the required tests must pass without a mutant."""
        self._copy()
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
        self._call(
            ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
             "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -D_GLIBCXX_ASSERTIONS", "-DPORTAIL_NATIVE=OFF", "-DPORTAIL_WARNINGS_AS_ERRORS=OFF",
             *(launcher if shutil.which("ccache") else [])],
        )  # fmt: skip
        needed = {name for mutant in mutants for name in unit_tests_of(mutant)}
        self._call(["ninja", "-C", self.build, *(f"unit_{name}" for name in sorted(needed))])
        for name in sorted(needed):
            if not self._passes(name):
                sys.exit(f"unit_{name} fails without a mutant")

    def outcome_of(self, mutant):
        path = self.source / mutant.file
        original = path.read_text()
        path.write_text(mutant.text(original))
        try:
            for name in unit_tests_of(mutant):
                if not self._builds(name):
                    return Outcome.NOT_COMPILED
                if not self._passes(name):
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
        for path in list(self.source.rglob("*")):
            if path.is_file() and path.relative_to(self.source) not in wanted:
                path.unlink()
        for name in wanted:
            path = self.source / name
            bytes_now = (self.checkout / name).read_bytes()
            if not path.exists() or path.read_bytes() != bytes_now:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(bytes_now)

    def _call(self, command):
        finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if finished.returncode != 0:
            sys.exit(f"{finished.stdout}\nfailed: {' '.join(map(str, command))}")

    def _builds(self, name):
        command = ["ninja", "-C", self.build, f"unit_{name}"]
        return subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL).returncode == 0

    def _passes(self, name):
        """Whether the program's tests pass within the limits."""
        program = self.build / "tests" / "unit" / name / f"unit_{name}"
        try:
            finished = subprocess.run(
                [program, "--gtest_fail_fast", "--gtest_brief=1"], cwd=self.build, timeout=TIMEOUT,
                preexec_fn=limit_resources, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        return finished.returncode == 0

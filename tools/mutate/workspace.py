"""A copy of the sources with a build of its own, where one mutant after the other is compiled and tested."""

import enum
import os
import resource
import shutil
import subprocess
import sys

# Of each folder of the core, the unit tests that know it best, in the order in which they are asked. A folder that has
# none (core/files: its tests need a host) is not changed.
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
    "": ["core", "api"],  # what lies in core/ itself
}
COPIED = ["CMakeLists.txt", "cmake", "core", "tests"]
LONGEST_RUN = 60  # seconds of the processor, so that a machine that does ten things at once kills nothing: ten times the longest
LONGEST_WAIT = 600  # seconds, for one that waits for what never comes
LARGEST_MEMORY = 4 << 30


class Outcome(enum.Enum):
    KILLED = "killed"
    SURVIVED = "survived"
    NOT_COMPILED = "not compiled"


def folder_of(file):
    return file.parts[1] if len(file.parts) > 2 else ""


def has_unit_tests(file):
    return folder_of(file) in UNIT_TESTS


def unit_tests_of(mutant):
    return UNIT_TESTS[folder_of(mutant.file)]


def limit_what_it_takes():
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_RUN, LONGEST_RUN))
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST_MEMORY, LARGEST_MEMORY))


class Workspace:
    def __init__(self, checkout):
        self.checkout = checkout
        self.source = checkout / "build" / "mutate" / "source"
        self.build = checkout / "build" / "mutate" / "build"
        # What is compiled of the originals is worth keeping, what is compiled of mutants is not.
        self.environment = {**os.environ, "CCACHE_READONLY": "1"}

    def prepare(self, mutants):
        """Copies, configures and builds; the tests that the mutants need must pass as things are."""
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
                sys.exit(f"unit_{name} fails before anything is changed")

    def outcome_of(self, mutant):
        place = self.source / mutant.file
        original = place.read_text()
        place.write_text(mutant.text(original))
        try:
            for name in unit_tests_of(mutant):
                if not self._builds(name):
                    return Outcome.NOT_COMPILED
                if not self._passes(name):
                    return Outcome.KILLED
            return Outcome.SURVIVED
        finally:
            place.write_text(original)

    def _copy(self):
        """Copies the sources; a file that is as it was keeps its time, so that little is built anew."""
        wanted = {
            place.relative_to(self.checkout)
            for part in COPIED
            for place in ([self.checkout / part] if (self.checkout / part).is_file() else (self.checkout / part).rglob("*"))
            if place.is_file()
        }
        for place in list(self.source.rglob("*")):
            if place.is_file() and place.relative_to(self.source) not in wanted:
                place.unlink()
        for name in wanted:
            place = self.source / name
            bytes_now = (self.checkout / name).read_bytes()
            if not place.exists() or place.read_bytes() != bytes_now:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(bytes_now)

    def _call(self, command):
        finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if finished.returncode != 0:
            sys.exit(f"{finished.stdout}\nfailed: {' '.join(map(str, command))}")

    def _builds(self, name):
        command = ["ninja", "-C", self.build, f"unit_{name}"]
        return subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL).returncode == 0

    def _passes(self, name):
        """Whether the program's tests pass, in time and with the memory that they have."""
        program = self.build / "tests" / "unit" / name / f"unit_{name}"
        try:
            finished = subprocess.run(
                [program, "--gtest_fail_fast", "--gtest_brief=1"], cwd=self.build, timeout=LONGEST_WAIT,
                preexec_fn=limit_what_it_takes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        return finished.returncode == 0

"""The tests that judge a mutant, by the directory of its file."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Suite:
    target: str  # of ninja
    tests: str = ""  # of GoogleTest: a filter, by default all; of the target `portail`: a regular expression of ctest's names

    def __str__(self):
        return f"{self.target} ({self.tests})" if self.tests else self.target

    def commands(self, build):
        """The command that runs the tests, and the one that lists them."""
        if self.target == "portail":
            ctest = ["ctest", "--test-dir", build, "--no-tests=error", "-R", rf"^native\.({self.tests})$"]
            return [*ctest, "--stop-on-failure", "-j4"], [*ctest, "-N"]
        program = build / "tests" / FOLDERS.get(self.target, self.target.replace("unit_", "unit/")) / self.target
        filtered = [program, f"--gtest_filter={self.tests}"] if self.tests else [program]
        return [*filtered, "--gtest_fail_fast", "--gtest_brief=1"], [*filtered, "--gtest_list_tests"]


# In tests/, of the programs with another name.
FOLDERS = {"native_units": "native", "postgres_stores": "stores", "unit_crypto_bearssl": "unit/crypto"}


def units(*names):
    return [Suite(f"unit_{name}") for name in names]


NATIVE_UNITS = Suite("native_units")
FOLDER_STORES = Suite("stores", "*Folder*:CachedValue.*:ValueCache.*:OpenedFile.*")
REDIS_STORES = Suite("stores", "*Redis*")
POSTGRES_STORES = Suite("postgres_stores")

# The suites run in this order until one fails. A directory has the suites of its nearest parent in this table; without any, its files
# are not mutated.
SUITES = {
    "core": units("core", "api"),
    "core/base": units("base", "http", "json", "auth", "portal", "exchange", "api"),
    "core/json": units("json", "auth", "exchange", "api"),
    "core/http": units("http", "api", "guest"),
    "core/crypto": [*units("crypto"), Suite("unit_crypto_bearssl"), *units("auth")],
    "core/auth": units("auth", "api", "guest"),
    "core/storage": units("storage", "portal", "exchange"),
    "core/portal": units("portal", "api", "exchange"),
    "core/exchange": units("exchange"),
    "core/api": units("api"),
    "core/guest": units("guest"),
    "core/files": [FOLDER_STORES],
    "native/crypto": [Suite("native_units", "*Operations*"), *units("crypto")],
    "native/fetch": [NATIVE_UNITS, Suite("portail", "identity|sync")],
    "native/http": [NATIVE_UNITS, Suite("portail", "http|transport")],
    "native/keys": [NATIVE_UNITS, Suite("portail", "identity|key_file")],
    "native/server": [
        NATIVE_UNITS,
        Suite("portail", "accept|fairness|front_door|http|key_file|limits|log|management|metrics|overload|stalled_clients|stop"),
    ],
    "native/stores": [Suite("stores", "StoreUrl*:Stores*:*Folder*:*Lmdb*:OpenedFile.*"), Suite("portail", "newer_store")],
    "native/stores/dir": [FOLDER_STORES],
    "native/stores/engine": [Suite("native_units", "Engine*:TurnQueue*"), REDIS_STORES, POSTGRES_STORES],
    "native/stores/lmdb": [Suite("stores", "*Lmdb*"), Suite("portail", "backup|full_disk")],
    "native/stores/memory": [Suite("stores", "*Memory*")],
    "native/stores/postgres": [POSTGRES_STORES],
    "native/stores/redis": [REDIS_STORES],
    "native/stores/spin_sqlite": [Suite("stores", "*SpinSqlite*")],
    "native/sync": [NATIVE_UNITS, Suite("portail", "sync")],
}


def suites_of(file):
    """The suites of a file, relative to the checkout; none if it is not mutated."""
    return next((SUITES[str(folder)] for folder in file.parents if str(folder) in SUITES), [])

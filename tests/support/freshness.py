"""A host over a directory answers with the stored values, however a file was changed within a revision.

Files are replaced, and overwritten, by bytes of the same size: in the same tick of the file system's clock, with the same times, and
long after they were read. A writer also runs concurrently with many readers: each answer is compared with the values that were stored
between the start and the end of its request. A change without a revision is not seen, so the host does use its cache. Python's standard
library only.
"""

import concurrent.futures
import json
import os
import pathlib
import tempfile
import threading
import time

import portal as native
from revision import Revision

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "portail.json"
TARGET = "/api/app/objet-courrier?MaxResultCount=1"
DIGITS = 8
READERS, QUESTIONS = 8, 1000
MIN_DISTINCT_ANSWERS = 20  # so that reads and writes did overlap
MAX_OVERLAP_WAIT = 60  # seconds; on a busy machine the first questions may see few of the values


class Portal:
    """A directory whose first mail object has a number as its description."""

    def __init__(self, portail, start, folder):
        self.store, self.folder = folder / "store", folder
        made = self.native = native.Portal(portail, folder)
        made.run("import", "--store", f"dir:{self.store}", FIXTURES)
        made.make_keys("--alg", "EdDSA")
        self.headers = made.bearer("sub-client-1")
        self.file = self.store / "catalogue.0"
        self.revision = Revision(self.store)
        self.text = self.file.read_text()
        self.server = start(self.store, made.settings, folder / "log")

    def value(self, number):
        summary, first, rest = self.text.split("\n", 2)
        fields = first.split("\t")
        fields[2] = f'"{number:0{DIGITS}}"'
        return "\n".join([summary, "\t".join(fields), rest]).encode()

    def make(self, number, name="made"):
        """Creates a file outside the store, to be moved into it."""
        path = self.folder / f"{name}-{number}"
        path.write_bytes(self.value(number))
        return path

    def replace(self, number):
        made = self.make(number)
        with self.revision.change():
            os.replace(made, self.file)

    def write_in_place(self, number):
        with self.revision.change():
            self.write_without_revision(number)

    def write_without_revision(self, number):
        with open(self.file, "r+b") as file:
            file.write(self.value(number))

    def ask(self):
        status, _, body = self.server.ask(TARGET, self.headers)
        if status != 200:
            raise RuntimeError(f"{status} {body}")
        return int(json.loads(body)["items"][0]["description"])


def sees(portal, number, how):
    found = portal.ask()
    print(f"{'ok  ' if found == number else 'FAIL'} {how}: {found}")
    return found == number


def cache_value(portal, number):
    """Reads until a cache may hold this value."""
    return all(portal.ask() == number for _ in range(4))


def changes_in_the_same_tick(portal):
    good = True
    for number in range(1, 51):
        portal.replace(number)
        good &= portal.ask() == number
    good &= sees(portal, 50, "replaced repeatedly, read immediately")
    for number in range(51, 100):
        portal.write_in_place(number)
        good &= portal.ask() == number
    return sees(portal, 99, "written in place repeatedly, read immediately") and good


def replacement_with_the_same_times(portal):
    """Both files have the same times, and are old when the second replaces the first."""
    first, second = portal.make(100), portal.make(101)
    for path in (first, second):
        os.utime(path, ns=(10**18, 10**18))
    with portal.revision.change():
        os.replace(first, portal.file)
    good = cache_value(portal, 100)
    with portal.revision.change():
        os.replace(second, portal.file)
    return sees(portal, 101, "replaced by a file of the same size and times") and good


def write_to_the_same_file(portal):
    portal.replace(200)
    good = cache_value(portal, 200)
    portal.write_in_place(201)
    good &= sees(portal, 201, "written in place")
    portal.write_in_place(202)
    return sees(portal, 202, "and once more immediately") and good


def removal_and_return(portal):
    portal.replace(300)
    good = cache_value(portal, 300)
    with portal.revision.change():
        os.rename(portal.file, portal.folder / "away")
    status, _, body = portal.server.ask(TARGET, portal.headers)
    good &= status == 200 and json.loads(body) == {"totalCount": 0, "items": []}
    print(f"{'ok  ' if good else 'FAIL'} taken away: {body}")
    with portal.revision.change():
        os.rename(portal.folder / "away", portal.file)
    return sees(portal, 300, "and brought back") and good


def change_without_revision(portal):
    """A cached value is used while the revision is the same, and `portail touch` ends that."""
    portal.replace(400)
    good = cache_value(portal, 400)
    portal.write_without_revision(401)
    good &= sees(portal, 400, "written without a revision: cached")
    portal.native.run("touch", "--store", f"dir:{portal.store}")
    return sees(portal, 401, "and after `portail touch`") and good


def writer_that_died(portal):
    """It left an odd revision: each file is read."""
    portal.replace(500)
    good = cache_value(portal, 500)
    portal.revision.set(portal.revision.size() + 1)
    for number in range(501, 511):
        portal.write_without_revision(number)
        good &= portal.ask() == number
    return sees(portal, 510, "after a writer died at its work") and good


def older_revision(portal):
    """The folder is restored from a backup, whose revision has the same size after as many writes."""
    portal.replace(600)
    good = cache_value(portal, 600)
    size = portal.revision.size()
    portal.write_without_revision(601)
    portal.revision.set(size)
    return sees(portal, 601, "restored from a backup") and good


def reads_during_writes(portal):
    """No answer is older than the value stored when its request began, nor newer than the value stored at its end."""
    started, written, ended = [1000], [1000], threading.Event()
    portal.replace(1000)

    def write():
        number = 1000
        while not ended.is_set():
            number += 1
            made = portal.make(number)
            started[0] = number
            with portal.revision.change():
                os.replace(made, portal.file)
            written[0] = number

    def read(count):
        answers = []
        while len(answers) < count or (len(values) < MIN_DISTINCT_ANSWERS and time.monotonic() < deadline):
            oldest = written[0]
            answers.append((oldest, portal.ask(), started[0]))
            values.add(answers[-1][1])
        return answers

    values = set()  # of all readers; adding to a set is atomic
    deadline = time.monotonic() + MAX_OVERLAP_WAIT

    # A thread's exception is raised by its result.
    with concurrent.futures.ThreadPoolExecutor(READERS + 1) as pool:
        writer = pool.submit(write)
        readers = [pool.submit(read, QUESTIONS // READERS) for _ in range(READERS)]
        try:
            answers = [answer for reader in readers for answer in reader.result()]
        finally:
            ended.set()
        writer.result()
    wrong = [(oldest, found, newest) for oldest, found, newest in answers if not oldest <= found <= newest]
    good = not wrong and len(answers) >= QUESTIONS and len(values) >= MIN_DISTINCT_ANSWERS
    print(f"{'ok  ' if good else 'FAIL'} {len(answers)} questions while {written[0] - 1000} values were written: "
          f"{len(values)} different answers, wrong: {wrong[:3]}")
    return good


def is_fresh(portail, start, *more):
    """Runs all tests, then `more`. `start` creates a Serving from a store's directory, the settings and the file of its log."""
    with tempfile.TemporaryDirectory(prefix="portail-fresh-") as name:
        portal = Portal(portail, start, pathlib.Path(name))
        with portal.server:
            return all([test(portal) for test in (changes_in_the_same_tick, replacement_with_the_same_times, write_to_the_same_file,
                                                  removal_and_return, change_without_revision, writer_that_died, older_revision,
                                                  reads_during_writes, *more)])

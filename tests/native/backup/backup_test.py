"""`portail backup` and `portail restore`: a copy of an lmdb: store that is being served, and the store restored from it."""

import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import unittest

from support.program import PROGRAM, PortailTest, Worker, clean_environment, must_run, needs_strace, run, until


class BackupTest(PortailTest):
    def setUp(self):
        for name in ("data", "backup", "restored"):
            shutil.rmtree(self.path(name), ignore_errors=True)
        self.store = f"lmdb:{self.path('data')}"
        self.backup = pathlib.Path(self.path("backup"))
        must_run("import", "--store", self.store, self.document(bundles=300))

    def values(self, store):
        done = run("export", "--store", store, "--format", "json-lines")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_nothing_is_left(self, folder):
        self.assertFalse(pathlib.Path(folder).exists(), os.listdir(folder) if os.path.isdir(folder) else "a file")

    def test_restore_equals_the_backup(self):
        keys = len(self.values(self.store).splitlines()) - 1
        done = run("backup", "--store", self.store, self.backup)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"^backed up        {keys} keys, [1-9]\d+ bytes, hash [0-9a-f]{{32}}, in {self.backup}\n$")
        said = done.stdout.split(maxsplit=2)[2]
        self.assertEqual(self.backup.stat().st_mode & 0o777, 0o700)
        self.assertEqual((self.backup / "data.mdb").stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.values(f"lmdb:{self.backup}"), self.values(self.store))

        restored = self.path("restored")
        done = run("restore", "--store", f"lmdb:{restored}", self.backup)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), [f"restoring        {said.strip()}",
                                                    f"restored         {said.strip().replace(str(self.backup), restored)}"])
        self.assertEqual(sorted(name for name in os.listdir(restored) if name != "lock.mdb"), ["data.mdb"])
        self.assertEqual(self.values(f"lmdb:{restored}"), self.values(self.store))

    def test_json_describes_a_copy_by_its_keys_and_hash(self):
        def said(*command):
            done = run(*command, "--json")
            self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (0, "", 1))
            return json.loads(done.stdout)
        words = re.search(r"(\d+) keys, (\d+) bytes, hash (\w+)", run("backup", "--store", self.store, self.path("text-backup")).stdout)
        what = {"keys": int(words[1]), "bytes": int(words[2]), "hash": words[3]}
        backup, restored = self.path("json-backup"), self.path("json-restored")
        self.assertEqual(said("backup", "--store", self.store, backup), {"folder": backup} | what)
        self.assertEqual(said("restore", "--store", f"lmdb:{restored}", backup), {"folder": restored} | what)
        self.assertEqual(said("migrate", self.store, f"dir:{self.path('json-migrated')}"), what | {"copied": what["keys"]})

    def test_a_backup_during_writes_is_consistent(self):
        """Each import changes all 300 bundles; an inconsistent copy would contain old and new ones."""
        documents = []
        for name in ("Vert", "Bleu"):
            document = pathlib.Path(self.document(f"{name}.json", bundles=300))
            document.write_text(document.read_text(encoding="utf-8").replace('"nomDossier": "Pr\\u00eat"', f'"nomDossier": "{name}"')
                                .replace('"nomDossier": "Prêt"', f'"nomDossier": "{name}"'), encoding="utf-8")
            self.assertIn(f'"nomDossier": "{name}"', document.read_text(encoding="utf-8"))
            documents.append(document)
        stop, imports = threading.Event(), []

        def write():
            while not stop.is_set():
                imports.append(run("import", "--store", self.store, documents[len(imports) % 2]).returncode)

        writer = Worker(write)
        writer.start()
        try:
            until(lambda: len(imports) >= 2, "two imports")
            for i in range(10):
                copy = self.path(f"copy{i}")
                must_run("backup", "--store", self.store, copy)
                exported = run("export", "--store", f"lmdb:{copy}").stdout
                names = {name for name in ("Vert", "Bleu") if f'"nomDossier":"{name}"' in exported}
                self.assertEqual(len(names), 1, names)
                self.assertEqual(exported.count('"nomDossier":'), 300)
        finally:
            stop.set()
            writer.join()
        self.assertEqual(set(imports), {0})

    def test_nothing_is_replaced(self):
        must_run("backup", "--store", self.store, self.backup)
        before = (self.backup / "data.mdb").read_bytes()
        self.assert_one_line(run("backup", "--store", self.store, self.backup), 1, f"{self.backup} already holds a store")
        self.assertEqual((self.backup / "data.mdb").read_bytes(), before)
        self.assert_one_line(run("restore", "--store", self.store, self.backup), 1, f"{self.path('data')} already holds a store")

    def test_a_damaged_backup_is_not_restored(self):
        must_run("backup", "--store", self.store, self.backup)
        (self.backup / "data.mdb").write_bytes((self.backup / "data.mdb").read_bytes()[:-4096 * 3])
        done = run("restore", "--store", f"lmdb:{self.path('restored')}", self.backup)
        self.assert_one_line(done, 1, f"{self.backup}/data.mdb")
        self.assert_nothing_is_left(self.path("restored"))
        self.assert_one_line(run("restore", "--store", f"lmdb:{self.path('restored')}", self.path("nowhere")), 1, "does not exist")

    def test_a_changed_value_is_found(self):
        must_run("backup", "--store", self.store, self.backup)
        data = bytearray((self.backup / "data.mdb").read_bytes())
        name = data.index(b'"L-00001"\t"') + len(b'"L-00001"\t"')
        data[name] ^= 1
        (self.backup / "data.mdb").write_bytes(data)
        damaged = "a stored value is damaged: liasse.=4C-00001"
        done = run("restore", "--store", f"lmdb:{self.path('restored')}", self.backup)
        self.assert_one_line(done, 1, f"{self.backup} is damaged: {damaged}")
        self.assert_nothing_is_left(self.path("restored"))
        again = run("backup", "--store", f"lmdb:{self.backup}", self.path("again"))
        self.assert_one_line(again, 1, f"{self.path('again')} is damaged: {damaged}")
        rotated = run("backup", "--store", f"lmdb:{self.backup}", "--keep", "2", self.path("rotated"))
        self.assertEqual(rotated.returncode, 1)
        self.assertEqual(os.listdir(self.path("rotated")), [])

    def test_a_copy_that_cannot_be_finished_leaves_nothing(self):
        limited = subprocess.run(["prlimit", "--fsize=40960", PROGRAM, "backup", "--store", self.store, self.backup],
                                 capture_output=True, text=True, env=clean_environment())
        self.assert_one_line(limited, 1, f"{self.path('data')} cannot be copied: File too large")
        self.assert_nothing_is_left(self.backup)
        file = self.write("file", "a file")
        self.assert_one_line(run("backup", "--store", self.store, file), 1, f"{file} cannot be opened: Not a directory")
        self.assertEqual(self.read("file"), "a file")

    @needs_strace
    def test_what_an_interrupted_copy_left_is_removed(self):
        for command, folder in ((("backup", "--store", self.store, self.backup), self.backup),
                                (("restore", "--store", f"lmdb:{self.path('restored')}", self.path("copy")), self.path("restored"))):
            with self.subTest(command[0]):
                must_run("backup", "--store", self.store, self.path("copy")) if command[0] == "restore" else None
                subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:signal=KILL:when=1", PROGRAM, *command],
                               capture_output=True, env=clean_environment())
                self.assertEqual(os.listdir(folder), [".portail-copy.unfinished"])
                must_run(*command)
                self.assertEqual([name for name in os.listdir(folder) if name != "lock.mdb"], ["data.mdb"])

    def test_other_stores_are_refused(self):
        for store, shown in (("dir:data", "dir:data"), ("redis://u:secret@127.0.0.1:1/0", "redis://127.0.0.1:1/0"), ("memory:", "memory:")):
            for command in ("backup", "restore"):
                done = run(command, "--store", store, self.backup)
                self.assert_one_line(done, 2, f"--store: only lmdb: stores can be backed up and restored; {shown} can be copied by")
                self.assertNotIn("secret", done.stderr)


class RotationTest(PortailTest):
    def setUp(self):
        for name in ("data", "backups"):
            shutil.rmtree(self.path(name), ignore_errors=True)
        self.store = f"lmdb:{self.path('data')}"
        self.backups = pathlib.Path(self.path("backups"))
        must_run("import", "--store", self.store, self.document())

    def back_up(self, keep, *flags):
        return run("backup", "--store", self.store, "--keep", keep, self.backups, *flags)

    def made(self, name):
        """A complete backup of that name."""
        self.backups.mkdir(exist_ok=True)
        must_run("backup", "--store", self.store, self.backups / name)

    def names(self):
        return sorted(os.listdir(self.backups))

    def test_the_oldest_are_removed(self):
        for name in ("2020-01-31T000000Z", "2020-02-01T000000Z", "2020-01-01T120000Z"):
            self.made(name)
        done = self.back_up(3)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        *kept, newest = self.names()
        self.assertEqual(kept, ["2020-01-31T000000Z", "2020-02-01T000000Z"])
        self.assertRegex(newest, r"^20[2-9]\d-\d\d-\d\dT\d{6}Z$")
        self.assertRegex(done.stdout, rf"^backed up        \d+ keys, \d+ bytes, hash [0-9a-f]{{32}}, in {self.backups}/{newest}\n"
                                      rf"removed          {self.backups}/2020-01-01T120000Z\n$")
        restored = f"lmdb:{self.path('of-rotation')}"
        must_run("restore", "--store", restored, self.backups / newest)
        self.assertEqual(must_run("export", "--store", restored), must_run("export", "--store", self.store))

    def test_json_and_one_copy(self):
        self.made("2020-01-01T000000Z")
        self.made("2020-01-02T000000Z")
        done = self.back_up(1, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        said = json.loads(done.stdout)
        self.assertEqual([said["folder"]], [str(self.backups / name) for name in self.names()])
        self.assertEqual(said["removed"], [f"{self.backups}/2020-01-01T000000Z", f"{self.backups}/2020-01-02T000000Z"])

    def test_what_is_not_a_complete_backup_does_not_count_and_stays(self):
        self.made("2020-01-02T000000Z")
        self.made("2020-01-03T000000Z")
        foreign = ["2020-01-01T000000Z", "2020-01-04T000000Z", "2020-01-05", "holiday", "notes.txt", "2020-01-06T000000Z"]
        (self.backups / "2020-01-01T000000Z").mkdir()  # empty
        self.made("2020-01-04T000000Z")
        (self.backups / "2020-01-04T000000Z/why.txt").write_text("kept by an operator")
        self.made("2020-01-05")
        self.made("holiday")
        (self.backups / "notes.txt").write_text("notes")
        os.symlink("holiday", self.backups / "2020-01-06T000000Z")
        before = {name: sorted(os.listdir(self.backups / name)) for name in foreign if name != "notes.txt"}
        done = self.back_up(2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        newest = done.stdout.splitlines()[0].rpartition("/")[2]
        self.assertEqual(self.names(), sorted([*foreign, "2020-01-03T000000Z", newest]))
        self.assertEqual({name: sorted(os.listdir(self.backups / name)) for name in before}, before)

    def test_a_backup_that_fails_removes_nothing_and_leaves_nothing(self):
        self.made("2020-01-01T000000Z")
        os.truncate(pathlib.Path(self.path("data"), "data.mdb"), 4096 * 3)
        done = self.back_up(1)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(self.names(), ["2020-01-01T000000Z"])

    @needs_strace
    def test_a_backup_that_is_cut_off_leaves_no_dated_folder(self):
        """Strace kills the program at each of its renames, and at the first sync of the copy."""
        self.made("2020-01-01T000000Z")
        for call, when in (("fsync", 1), ("renameat2", 1)):
            with self.subTest(call):
                subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={when}", PROGRAM, "backup",
                                "--store", self.store, "--keep", "1", self.backups], capture_output=True, env=clean_environment())
                self.assertEqual([name for name in self.names() if not name.startswith(".")], ["2020-01-01T000000Z"])
        done = self.back_up(5)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.names()), 2)  # what was unfinished is gone

    def test_the_newest_is_the_one_just_made_though_the_clock_was_set_back(self):
        self.made("2999-01-01T000000Z")
        self.assertEqual(self.back_up(1).returncode, 0)
        self.assertEqual(len(self.names()), 1)
        self.assertNotEqual(self.names(), ["2999-01-01T000000Z"])

    def test_one_at_a_time(self):
        self.backups.mkdir()
        folder = os.open(self.backups, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.assert_one_line(self.back_up(1), 1, f"another backup into {self.backups} is running: wait until it ends")
        os.close(folder)

    def test_refusals(self):
        for keep in (0, -1, 10001):
            self.assert_one_line(self.back_up(keep), 2, f"--keep must be 1 to 10000, not {keep}")
        self.assert_one_line(self.back_up("all"), 2, "--keep: must be a whole number, not all")
        self.assertFalse(self.backups.exists())
        self.assert_one_line(run("backup", "--store", "memory:", "--keep", "2", self.backups), 2, "only lmdb: stores can be backed up")
        self.made("2020-01-01T000000Z")
        self.made("2020-01-02T000000Z")
        self.assert_one_line(run("restore", "--store", f"lmdb:{self.path('none')}", self.backups), 1,
                             f"{self.backups} holds dated backups: name one of them; the newest is {self.backups}/2020-01-02T000000Z")

    def test_the_folder_of_the_store_is_refused(self):
        data = pathlib.Path(self.path("data"))
        link = pathlib.Path(self.path("link-to-data"))
        link.symlink_to(data)
        before = sorted(os.listdir(data))
        for folder in (data, f"{data}/.", link, data / "backups", link / "a/b"):
            for flags in ((), ("--keep", "2")):
                with self.subTest(folder, flags=flags):
                    done = run("backup", "--store", self.store, *flags, folder)
                    self.assert_one_line(done, 2, f"{folder} is in the folder of the store: name a folder outside it")
        link.unlink()
        self.assertEqual(sorted(os.listdir(data)), before)
        # The name of a sibling begins with that of the store.
        must_run("backup", "--store", self.store, f"{data}2")

    def test_several_in_one_second(self):
        for _ in range(5):
            self.assertEqual(self.back_up(10).returncode, 0)
        self.assertEqual(len(set(self.names())), 5)

    def test_by_the_environment(self):
        must_run("backup", environment={"PORTAIL_STORE": self.store, "PORTAIL_BACKUP_KEEP": "2", "PORTAIL_BACKUP_FOLDER": str(self.backups)})
        self.assertRegex(self.names()[0], r"^\d{4}-\d\d-\d\dT\d{6}Z$")


if __name__ == "__main__":
    unittest.main()

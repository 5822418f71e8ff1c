"""`portail backup` and `portail restore`: a copy of an lmdb: store that is being served, and the store restored from it."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import unittest

from support.program import PROGRAM, PortailTest, Server, Worker, clean_environment, must_run, run, until


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

    def test_beside_a_server(self):
        with Server(self.folder, "--store", self.store) as server:
            must_run("backup", "--store", self.store, self.backup)
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.bearer()]).status, 200)
        self.assertEqual(self.values(f"lmdb:{self.backup}"), self.values(self.store))

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

    def test_a_copy_that_cannot_be_finished_leaves_nothing(self):
        limited = subprocess.run(["prlimit", "--fsize=40960", PROGRAM, "backup", "--store", self.store, self.backup],
                                 capture_output=True, text=True, env=clean_environment())
        self.assert_one_line(limited, 1, f"{self.path('data')} cannot be copied: File too large")
        self.assert_nothing_is_left(self.backup)
        file = self.write("file", "a file")
        self.assert_one_line(run("backup", "--store", self.store, file), 1, f"{file} cannot be created: Not a directory")
        self.assertEqual(self.read("file"), "a file")

    def test_other_stores_are_refused(self):
        for store, shown in (("dir:data", "dir:data"), ("redis://u:secret@127.0.0.1:1/0", "redis://127.0.0.1:1/0"), ("memory:", "memory:")):
            for command in ("backup", "restore"):
                done = run(command, "--store", store, self.backup)
                self.assert_one_line(done, 2, f"--store: only lmdb: stores can be backed up and restored; {shown} can be copied by")
                self.assertNotIn("secret", done.stderr)


if __name__ == "__main__":
    unittest.main()

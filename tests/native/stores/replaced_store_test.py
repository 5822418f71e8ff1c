"""A store that is moved away, or replaced, under a running server: commands that would create a store there are refused while
the server runs, and the server acknowledges no write to a file that is not at its path."""

import os
import pathlib
import shutil
import signal
import unittest

from support.program import PortailTest, Server, must_run, run, until

OBJECT = "/api/app/objet-courrier/1"
BODY = b'{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'
MOVED = "was moved away"
REPLACED = "was replaced by another file"


class ReplacedStoreTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.input = cls.document()
        cls.admin = cls.bearer("sub-client", "--permission", "PortailClients.ObjetsCourrier.Update", "--permission",
                               "PortailClients.ObjetsCourrier")
        cls.store = f"lmdb:{cls.path('backed-up')}"
        for command in (("import", "--store", cls.store, cls.input), ("backup", "--store", cls.store, cls.path("backup"))):
            must_run(*command)

    def setUp(self):
        self.folder_of_store = pathlib.Path(self.path("data"))
        self.away = pathlib.Path(self.path("away"))
        for folder in (self.folder_of_store, self.away):
            shutil.rmtree(folder, ignore_errors=True)
        self.store = f"lmdb:{self.folder_of_store}"
        must_run("import", "--store", self.store, self.input)

    def serve(self):
        return Server(self.folder, "--store", self.store, "--insecure-http", "--transport", "loopback", tls=False)

    def put(self, server):
        return server.ask("PUT", OBJECT, [self.admin, ("Content-Type", "application/json")], BODY).status

    def move(self, *names):
        self.away.mkdir()
        for name in names:
            (self.folder_of_store / name).rename(self.away / name)

    def restore(self):
        return run("restore", "--store", self.store, self.path("backup"))

    def assert_is_not_served(self, server, why):
        """No PUT is acknowledged, not even the first; reads and readiness fail within a second."""
        self.assertEqual(self.put(server), 503)
        until(lambda: server.ask("GET", OBJECT, [self.admin]).status == 503, "reads to be refused")
        self.assertEqual(server.ask("GET", "/health/ready").status, 503)
        said = until(lambda: server.events("store: its files were replaced; it is no longer served"), "the line")
        self.assertTrue(all(why in line["detail"] for line in said), said)
        self.assertEqual(server.ask("GET", "/health/live").status, 200)

    def test_restoring_beside_a_server_is_refused(self):
        for names in (["data.mdb"], ["data.mdb", "lock.mdb"]):
            with self.subTest(names), self.serve() as server:
                self.assertEqual(self.put(server), 200)
                self.move(*names)
                self.assert_one_line(self.restore(), 1, f"{self.folder_of_store} is used by another process, though its store was moved away")
                self.assertFalse((self.folder_of_store / "data.mdb").exists())
                self.assert_is_not_served(server, MOVED)
                self.assertEqual(server.stop(signal.SIGKILL), -signal.SIGKILL)
            done = self.restore()
            self.assertEqual((done.returncode, done.stderr), (0, ""), "a killed server holds nothing")
            self.setUp()

    def test_no_command_makes_a_store_beside_a_server(self):
        with self.serve() as server:
            self.move("data.mdb", "lock.mdb")
            for command in (("import", "--store", self.store, self.input), ("migrate", f"lmdb:{self.path('backed-up')}", self.store)):
                self.assert_one_line(run(*command), 1, f"{self.folder_of_store}/data.mdb was moved away under a process that uses the store")
            self.assertEqual(sorted(os.listdir(self.folder_of_store)), [name for name in ("import.lock",) if (self.folder_of_store / name).exists()])
            self.assert_is_not_served(server, MOVED)

    def test_no_command_makes_another_file_of_locks_beside_a_server(self):
        with self.serve() as server:
            self.move("lock.mdb")
            for command in (("import", "--store", self.store, self.input), ("export", "--store", self.store)):
                self.assert_one_line(run(*command), 1, f"{self.folder_of_store}/lock.mdb was moved away under a process that uses the store")
            self.assertFalse((self.folder_of_store / "lock.mdb").exists())
            self.assert_is_not_served(server, MOVED)
            shutil.copy(self.away / "lock.mdb", self.folder_of_store / "lock.mdb")
            done = run("import", "--store", self.store, self.input)
            self.assert_one_line(done, 1, f"{self.folder_of_store}/lock.mdb was replaced under a process that uses the store")

    def test_a_folder_that_was_replaced_is_not_served(self):
        with self.serve() as server:
            self.assertEqual(self.put(server), 200)
            self.folder_of_store.rename(self.away)
            self.assertEqual(self.put(server), 503)
            done = self.restore()
            self.assertEqual((done.returncode, done.stderr), (0, ""), "nothing leads from the new folder to the server")
            self.assertEqual(self.put(server), 503)
            until(lambda: server.ask("GET", OBJECT, [self.admin]).status == 503, "reads to be refused")
            until(lambda: self.put(server) == 503 and REPLACED in server.events("store: its files were replaced; it is no longer served")[-1]["detail"],
                  "the line")

    def test_a_copy_in_its_place_is_not_served(self):
        with self.serve() as server:
            self.move("data.mdb")
            shutil.copy(self.away / "data.mdb", self.folder_of_store / "data.mdb")
            self.assert_is_not_served(server, REPLACED)

    def test_what_is_put_back_is_served_again(self):
        with self.serve() as server:
            self.move("data.mdb")
            self.assert_is_not_served(server, MOVED)
            (self.away / "data.mdb").rename(self.folder_of_store / "data.mdb")
            until(lambda: server.ask("GET", OBJECT, [self.admin]).status == 200, "reads")
            self.assertEqual(self.put(server), 200)

    def test_migrating_beside_a_server_is_refused(self):
        target = f"dir:{self.path('target')}"
        with self.serve() as server:
            self.assert_one_line(run("migrate", self.store, target), 1, f"{self.store} is used by another process")
            self.assertEqual(server.stop(signal.SIGKILL), -signal.SIGKILL)
        must_run("migrate", self.store, target)
        empty = f"lmdb:{self.path('empty')}"
        with Server(self.folder, "--store", empty, "--create", "--insecure-http", "--transport", "loopback", tls=False):
            self.assert_one_line(run("migrate", target, empty), 1, f"{empty} is used by another process")

    def test_a_folder_of_files_that_was_replaced_is_not_served(self):
        files = pathlib.Path(self.path("files"))
        store = f"dir:{files}"
        must_run("import", "--store", store, self.input)
        with Server(self.folder, "--store", store, "--insecure-http", "--transport", "loopback", tls=False) as server:
            self.assertEqual(self.put(server), 200)
            self.assert_one_line(run("migrate", store, f"lmdb:{self.path('empty')}"), 1, f"{store} is used by another process")
            files.rename(self.away)
            self.assert_is_not_served(server, MOVED)
            shutil.copytree(self.away, files)
            self.assertEqual(self.put(server), 503)
            until(lambda: self.put(server) == 503 and REPLACED in server.events("store: its files were replaced; it is no longer served")[-1]["detail"],
                  "the line")
            shutil.rmtree(files)
            self.away.rename(files)
            until(lambda: server.ask("GET", OBJECT, [self.admin]).status == 200, "reads")
            self.assertEqual(self.put(server), 200)

    def test_what_only_reads_or_adds_goes_on_beside_a_server(self):
        with self.serve() as server:
            for command in (("export", "--store", self.store), ("import", "--store", self.store, self.input), ("audit", "--store", self.store)):
                done = run(*command)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertEqual(self.put(server), 200)


if __name__ == "__main__":
    unittest.main()

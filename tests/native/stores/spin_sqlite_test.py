"""The store `spin-sqlite:FILE`: the file that Spin serves from, used by the commands."""

import fcntl
import sqlite3
import unittest

from support.program import PortailTest, run


class SpinSqliteTest(PortailTest):
    def setUp(self):
        self.file = self.path(f"{self._testMethodName}.db")
        self.store = f"spin-sqlite:{self.file}"

    def assert_done(self, *command):
        done = run(*command)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def values(self, store):
        return self.assert_done("export", "--store", store, "--format", "json-lines").splitlines()

    def rows(self):
        with sqlite3.connect(self.file) as database:
            return dict(database.execute("SELECT key, value FROM spin_key_value WHERE store = 'default'"))

    def test_touch_changes_the_edition_only(self):
        self.assert_done("import", "--store", self.store, self.document(mail_objects=2))
        before = self.rows()
        self.assert_done("touch", "--store", self.store)
        after = self.rows()
        self.assertEqual({key for key in before | after if before.get(key) != after.get(key)}, {"configuration"})
        [audit, *lines, edition], [audit_after, *lines_after, edition_after] = (
            rows["configuration"].decode().splitlines() for rows in (before, after))
        self.assertEqual((audit_after, lines_after), (audit, lines))
        self.assertRegex(edition, r"^18446744073709551615\tfalse\tRien\taudit\.\d{16}\.[0-9a-f]{16}\tcomplete\taudit\.\d{16}\.[0-9a-f]{16}$")
        self.assertNotEqual(edition_after.split("\t")[3], edition.split("\t")[3])
        self.assertEqual(edition_after.split("\t")[4:], edition.split("\t")[4:])

    def test_an_import_goes_straight_there(self):
        self.assert_done("import", "--store", self.store, self.document(mail_objects=2))
        self.assert_done("import", "--store", f"dir:{self.path('same')}", self.document(mail_objects=2))
        self.assertTrue(self.rows()["format"])
        same = self.assert_done("export", "--store", f"dir:{self.path('same')}")
        self.assertIn('"typeObjet":"TYPE2"', same.replace(": ", ":"))
        self.assertEqual(self.assert_done("export", "--store", self.store), same)
        self.assertIn("import", self.assert_done("audit", "--store", self.store))

    def test_a_migration_there_and_back_loses_nothing(self):
        source, back = f"lmdb:{self.path('source')}", f"lmdb:{self.path('back')}"
        self.assert_done("import", "--store", source, self.document(mail_objects=2))
        self.assert_done("migrate", source, self.store)
        self.assert_done("migrate", self.store, back)
        self.assertEqual(self.values(self.store), self.values(source))
        self.assertEqual(self.values(back), self.values(source))

    def test_requests_are_not_served_from_it(self):
        for more in ([], ["--create"]):
            done = run("serve", "--store", self.store, *more)
            self.assert_one_line(done, 2, "--store: requests are served from spin-sqlite:FILE by Spin; this program supports it for "
                                          "import, export, check, migrate and audit")
        self.assert_one_line(run("export", "--store", self.store), 1, "does not exist: import a document into it first")

    def test_one_import_at_a_time(self):
        self.assert_done("import", "--store", self.store, self.document(mail_objects=2))
        with open(f"{self.file}.import.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_one_line(run("import", "--store", self.store, self.document(mail_objects=2)), 1,
                                 "another import is running")


if __name__ == "__main__":
    unittest.main()

"""Root writes a store of another user: the files belong to the folder's owner, who can read them."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from support.program import PATIENCE, PROGRAM, PortailTest, clean_environment, run

USER, GROUP = 12345, 12346
AUTHORITY = unittest.skipUnless(os.geteuid() == 0, "only root may give files to another user")


def owners(folder):
    """The owner and group of a folder, and of all below it."""
    paths = [pathlib.Path(folder), *pathlib.Path(folder).rglob("*")]
    return {(path.lstat().st_uid, path.lstat().st_gid) for path in paths}


@AUTHORITY
class OwnershipTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document()
        os.chmod(cls.folder, 0o755)
        # Only root may read what the commands read, as in /root.
        os.mkdir(cls.path("private"), 0o700)
        shutil.copy(cls.path("portail.json"), cls.path("private/portail.json"))

    def folder_of_user(self, name):
        path = pathlib.Path(self.path(name))
        path.mkdir()
        os.chown(path, USER, GROUP)
        return path

    def must_run(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)

    def as_user(self, *arguments):
        return subprocess.run([os.path.abspath(PROGRAM), *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE, cwd="/",
                              env=clean_environment(), user=USER, group=GROUP, extra_groups=[])

    def assert_usable(self, scheme, folder):
        self.assertEqual(owners(folder), {(USER, GROUP)})
        done = self.as_user("import", "--store", f"{scheme}:{folder}", "--dry-run", self.path("portail.json"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.as_user("touch", "--store", f"{scheme}:{folder}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_command_that_writes_a_store(self):
        keys = self.path("public.json")
        os.chmod(self.path("portail.json"), 0o644)
        for scheme in ("lmdb", "dir"):
            folder = self.folder_of_user(f"written-{scheme}")
            store = f"{scheme}:{folder}"
            for command in (("import", "--store", store, self.path("private/portail.json")), ("touch", "--store", store),
                            ("audit", "--prune", "--store", store), ("keys", "store", "--store", store, keys),
                            ("export", "--store", store, "--output", self.path(f"copy-{scheme}.json")),
                            ("import", "--if-changed", "--state", self.folder_of_user(f"state-{scheme}"), "--store", store,
                             self.path("private/portail.json"))):
                with self.subTest(command):
                    done = run(*command)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_usable(scheme, folder)
            self.assertEqual(owners(self.path(f"state-{scheme}")), {(USER, GROUP)})
            with self.subTest("the export is root's"):
                self.assertEqual(os.stat(self.path(f"copy-{scheme}.json")).st_uid, 0)

    def test_folders_that_are_created_belong_to_the_owner_of_the_folder_above(self):
        above = self.folder_of_user("above")
        for scheme in ("lmdb", "dir"):
            self.assertEqual(run("import", "--store", f"{scheme}:{above}/new/{scheme}", self.path("portail.json")).returncode, 0)
        self.assert_usable("lmdb", above / "new/lmdb")
        self.assert_usable("dir", above / "new/dir")
        self.assertEqual(owners(above), {(USER, GROUP)})

    def test_migrate_backup_and_restore(self):
        source = self.folder_of_user("source")
        self.assertEqual(run("import", "--store", f"lmdb:{source}", self.path("portail.json")).returncode, 0)
        for scheme in ("lmdb", "dir"):
            target = self.folder_of_user(f"migrated-{scheme}")
            self.must_run("migrate", f"lmdb:{source}", f"{scheme}:{target}")
            self.assert_usable(scheme, target)
        private = self.path("private/backup")  # of root, in a folder that only root may enter
        self.must_run("backup", "--store", f"lmdb:{source}", private)
        self.assertEqual(owners(private), {(0, os.getegid())})
        of_user = self.folder_of_user("backups") / "backup"
        self.must_run("backup", "--store", f"lmdb:{source}", of_user)
        self.assertEqual(owners(of_user), {(USER, GROUP)})
        for backup, name in ((private, "restored"), (of_user, "restored-too")):
            restored = self.folder_of_user(name)
            self.must_run("restore", "--store", f"lmdb:{restored}", backup)
            self.assert_usable("lmdb", restored)

    def test_files_of_another_user_than_the_folder_are_refused_with_the_command(self):
        for scheme, file in (("lmdb", "data.mdb"), ("dir", "format")):
            folder = self.path(f"mixed-{scheme}")
            self.assertEqual(run("import", "--store", f"{scheme}:{folder}", self.path("portail.json")).returncode, 0)
            os.chown(folder, USER, GROUP)
            hint = f"chown -R --reference={folder} {folder}"
            for command in (("export",), ("touch",), ("audit",)):
                with self.subTest(command):
                    self.assert_one_line(run(*command, "--store", f"{scheme}:{folder}"), 1,
                                         f"{folder}/{file} belongs to the user 0, its folder to {USER}: {hint}")
            if scheme == "lmdb":
                done = self.as_user("touch", "--store", f"{scheme}:{folder}")
                self.assert_one_line(done, 1, "Permission denied", hint)
            subprocess.run(hint.split(), check=True)
            self.assert_usable(scheme, folder)

    def test_links_of_the_owner_lead_nowhere(self):
        """The owner of the folder must not get a file elsewhere by root."""
        for scheme, names in (("lmdb", ("data.mdb", "lock.mdb", "import.lock")), ("dir", ("format", "~import.lock", "~writers"))):
            for name in names:
                folder = self.folder_of_user(f"link-{scheme}-{name}")
                target = pathlib.Path(self.path("private"), f"{scheme}-{name}")
                os.symlink(target, folder / name)
                with self.subTest(f"{scheme} {name}"):
                    run("import", "--store", f"{scheme}:{folder}", self.path("portail.json"))
                    self.assertFalse(target.exists())


if __name__ == "__main__":
    unittest.main()

"""The files that the program writes: their modes, and what remains if writing fails."""

import json
import os
import resource
import shutil
import stat
import unittest

from support.program import PortailTest, Server, Worker, must_run, run

TEMPLATE = "%PDF-1.4 " + "template " * 1000


def modes(folder):
    """The mode of everything beneath the folder, and of the folder itself as "."."""
    found = {".": stat.S_IMODE(os.stat(folder).st_mode)}
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            file = os.path.join(path, name)
            found[os.path.relpath(file, folder)] = stat.S_IMODE(os.lstat(file).st_mode)
    return found


class WrittenFilesTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.mkdir(cls.path("source"))
        cls.write("source/a.pdf", TEMPLATE)
        with open(cls.document(bundles=200), encoding="utf-8") as file:
            portal = json.load(file)
        portal["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "a.pdf", "chemin": "a.pdf", "type": "application/pdf"}
        portal["liasses"][0]["piecesAttendues"][0]["dateDepot"] = "2024-02-01T10:00:00+01:00"
        cls.source = cls.write("source/portail.json", json.dumps(portal))
        cls.store = f"dir:{cls.path('store')}"
        assert run("import", "--store", cls.store, cls.source).returncode == 0

    def folder_of_its_own(self):
        folder = self.path(self.id().rsplit(".", 1)[-1])
        os.mkdir(folder)
        return folder

    def test_only_the_owner_reads_what_is_written_whatever_the_umask(self):
        for mask in (0o000, 0o022, 0o077):
            with self.subTest(umask=oct(mask)):
                folder = self.path(f"umask-{mask:03o}")
                under = {"umask": mask}
                for scheme in ("lmdb", "dir"):
                    must_run("import", "--store", f"{scheme}:{folder}/above/{scheme}", self.source, **under)
                run("export", "--store", self.store, "--output", f"{folder}/copy.json", **under)
                run("export", "--store", self.store, "--root", f"{folder}/templates/here", **under)
                for form in ("spin-sqlite", "redis", "json-lines"):
                    run("export", "--store", self.store, "--format", form, "--output", f"{folder}/{form}", **under)
                run("keys", "make", "--output", f"{folder}/keys.json", **under)
                run("keys", "make", "--alg", "HS256", "--output", f"{folder}/secret.json", **under)
                run("keys", "public", "--input", f"{folder}/secret.json", "--output", f"{folder}/shared.json", **under)
                found = modes(folder)
                for name in (".", "above", "above/lmdb", "above/dir", "above/dir/~writers", "modeles", "templates",
                             "templates/here", "templates/here/modeles", "copy.json", "modeles/1-a.pdf",
                             "templates/here/modeles/1-a.pdf", "spin-sqlite", "redis", "json-lines", "keys.json",
                             "secret.json", "shared.json", "above/lmdb/data.mdb", "above/lmdb/lock.mdb",
                             "above/lmdb/import.lock", "above/dir/~import.lock", "above/dir/format", "above/dir/catalogue.0"):
                    self.assertIn(name, found)
                self.assertEqual({name: oct(mode) for name, mode in found.items()},
                                 {name: "0o700" if os.path.isdir(os.path.join(folder, name)) else "0o600" for name in found})
                # Public files are readable by all users that the umask allows.
                run("keys", "public", "--input", f"{folder}/keys.json", "--output", f"{folder}/public.json", **under)
                self.assertEqual(oct(modes(folder)["public.json"]), oct(0o644 & ~mask))

    def test_a_served_store_is_the_owners(self):
        folder = self.folder_of_its_own()
        shutil.copytree(self.path("store"), f"{folder}/store")
        before = os.umask(0)
        try:
            with Server(self.folder, "--store", f"dir:{folder}/store") as server:
                answer = server.ask("GET", "/api/app/liasse/L-00000", [self.bearer()])
                self.assertEqual((answer.status, server.stop()), (200, 0))
        finally:
            os.umask(before)
        consultations = [name for name in os.listdir(f"{folder}/store") if name.startswith("consultation.")]
        self.assertEqual(len(consultations), 1)
        self.assertEqual(oct(os.stat(f"{folder}/store/{consultations[0]}").st_mode & 0o777), "0o600")

    def test_an_export_replaces_a_file_that_others_may_read(self):
        folder = self.folder_of_its_own()
        output = self.write(f"{folder}/copy.json", "old")
        os.chmod(output, 0o644)
        must_run("export", "--store", self.store, "--output", output, "--overwrite")
        self.assertEqual(oct(os.stat(output).st_mode & 0o777), "0o600")
        self.assertIn("liasses", json.loads(self.read(output)))

    def test_an_export_that_fails_leaves_what_was_there(self):
        folder = self.folder_of_its_own()
        os.mkdir(f"{folder}/modeles")
        for name in ("copy.json", "modeles/1-a.pdf"):
            self.write(f"{folder}/{name}", "old")
        template, document = len(TEMPLATE), len(run("export", "--store", self.store).stdout.encode())
        self.assertGreater(document, template)
        # Not enough for the template; enough for it, and not for the document; and for all but the document's end.
        for limit in (100, template, document - 1):
            with self.subTest(limit=limit):
                limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))}  # noqa: B023
                done = run("export", "--store", self.store, "--output", f"{folder}/copy.json", "--overwrite", **limits)
                self.assert_one_line(done, 1, "cannot write", "File too large")
                self.assertEqual(sorted(modes(folder)), [".", "copy.json", "modeles", "modeles/1-a.pdf"])
                self.assertEqual([self.read(f"{folder}/{name}") for name in ("copy.json", "modeles/1-a.pdf")], ["old", "old"])
                done = run("keys", "make", "--alg", "RS256", "--output", f"{folder}/keys.json", **limits)
                self.assertEqual((done.returncode, os.path.exists(f"{folder}/keys.json")),
                                 (1, False) if limit == 100 else (0, True), done.stderr)
                if limit != 100:
                    os.remove(f"{folder}/keys.json")

    def test_an_export_into_links_pipes_and_devices(self):
        folder = self.folder_of_its_own()
        exported = run("export", "--store", self.store, "--root", f"{folder}/beside").stdout
        os.mkdir(f"{folder}/elsewhere")
        self.write(f"{folder}/elsewhere/copy.json", "old")
        os.symlink("elsewhere/copy.json", f"{folder}/copy.json")
        must_run("export", "--store", self.store, "--output", f"{folder}/copy.json", "--overwrite")
        self.assertEqual(os.readlink(f"{folder}/copy.json"), "elsewhere/copy.json")
        self.assertEqual(self.read(f"{folder}/elsewhere/copy.json"), exported)

        # A link at the path of a template file is replaced, not followed.
        self.write(f"{folder}/precious", "precious")
        os.remove(f"{folder}/modeles/1-a.pdf")
        os.symlink("../precious", f"{folder}/modeles/1-a.pdf")
        must_run("export", "--store", self.store, "--output", f"{folder}/copy.json", "--overwrite")
        self.assertEqual((self.read(f"{folder}/precious"), self.read(f"{folder}/modeles/1-a.pdf")), ("precious", TEMPLATE))

        os.mkfifo(f"{folder}/pipe")
        read = []
        reader = Worker(lambda: read.append(self.read(f"{folder}/pipe")))
        reader.start()
        done = run("export", "--store", self.store, "--output", f"{folder}/pipe")
        reader.join()
        self.assertIn("left out 1 template", done.stderr)
        self.assertIn('"liasses":[', read[0])
        self.assertTrue(stat.S_ISFIFO(os.stat(f"{folder}/pipe").st_mode))

        self.assert_one_line(run("export", "--store", self.store, "--output", "/dev/full"), 1, "/dev/full", "No space left")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assert_one_line(run("export", "--store", self.store, "--output", folder), 1, "Is a directory")


if __name__ == "__main__":
    unittest.main()

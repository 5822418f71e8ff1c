"""Non-regular files in a dir: store, or at the path of a flag: no request and no command waits for them."""

import concurrent.futures
import os
import pathlib
import shutil
import signal
import stat
import sys
import unittest

from support.program import PortailTest, Revision, Server, run, until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from no_regular_files import KINDS  # noqa: E402

LIST, BUNDLE, LIVE = "/api/app/objet-courrier", "/api/app/liasse/L-00000", "/health/live"
REQUESTS = 16
DAMAGE = "move away what `portail check` names"


def may_make_devices(folder):
    try:
        os.mknod(os.path.join(folder, "device"), stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        return False
    os.remove(os.path.join(folder, "device"))
    return True


class NoRegularFileTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.auth = cls.bearer()
        cls.intact = cls.path("intact")
        cls.data = cls.document()
        done = run("import", "--store", f"dir:{cls.intact}", cls.data)
        assert done.returncode == 0, done.stderr
        cls.kinds = KINDS
        if may_make_devices(cls.folder):  # only root may
            cls.kinds = KINDS | {
                name: lambda path, minor=minor: os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, minor))
                for name, minor in (("/dev/null", 3), ("/dev/zero", 5), ("/dev/urandom", 9))}

    def folder_of(self, name):
        """A copy of the store, removed after the test."""
        folder = self.path(name.replace(" ", "-").replace("/", "-"))
        shutil.copytree(self.intact, folder)
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def each_kind(self, key):
        """Yields a store for each kind of file, which replaces the value of `key`."""
        tried = []
        for name, make in self.kinds.items():
            with self.subTest(key=key, kind=name):
                folder = self.folder_of(f"{key} {name}")
                os.remove(os.path.join(folder, key))
                make(os.path.join(folder, key))
                yield folder
                tried.append(name)
        self.assertGreaterEqual(len(tried), len(KINDS))

    def serve(self, folder):
        return Server(self.folder, "--store", f"dir:{folder}", "--workers", "2", "--insecure-http", tls=False)

    def test_requests_are_answered_and_a_signal_ends_the_server(self):
        for folder in self.each_kind("catalogue.0"):
            os.rename(os.path.join(folder, "catalogue.0"), os.path.join(folder, "~aside"))
            shutil.copy(os.path.join(self.intact, "catalogue.0"), folder)
            with self.serve(folder) as server, concurrent.futures.ThreadPoolExecutor(REQUESTS) as clients:
                def statuses(target):
                    pending = [clients.submit(server.ask, "GET", target, [self.auth]) for _ in range(REQUESTS)]
                    return {answer.result().status for answer in pending}

                self.assertEqual(statuses(LIST), {200})
                with Revision(folder).change():
                    os.remove(os.path.join(folder, "catalogue.0"))
                    os.rename(os.path.join(folder, "~aside"), os.path.join(folder, "catalogue.0"))
                self.assertEqual(statuses(LIST), {500})
                self.assertIn(DAMAGE, until(lambda: server.events("store: a read failed"), "the warning")[0]["detail"])
                self.assertEqual(statuses(LIVE), {200})
                self.assertEqual(statuses("/api/app/liasse"), {500})  # it needs the catalogue too
                self.assertEqual(statuses("/api/abp/application-configuration"), {200})
                self.assertEqual(server.stop(signal.SIGTERM), 0)

    def test_a_damaged_bundle_leaves_the_others(self):
        for folder in self.each_kind("liasse.=4C-00001"):
            with self.serve(folder) as server:
                self.assertEqual(server.ask("GET", BUNDLE, [self.auth]).status, 200)
                self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.auth]).status, 500)
                self.assertEqual(server.stop(), 0)

    def test_commands_end_with_one_line(self):
        for folder in self.each_kind("catalogue.0"):
            store = f"dir:{folder}"
            self.assert_one_line(run("check", "--store", store, *self.accepting()), 1,
                                 f"{folder}/catalogue.0 is not a regular file: move it away")
            for command in (["export", "--store", store], ["import", "--store", store, self.data],
                            ["migrate", store, f"dir:{folder}.copy"]):
                self.assert_one_line(run(*command), 1)
            shutil.rmtree(f"{folder}.copy", ignore_errors=True)

    def test_the_lock_of_imports(self):
        for folder in self.each_kind("~import.lock"):
            lock = f"{folder}/~import.lock is not a regular file: move it away"
            self.assert_one_line(run("import", "--store", f"dir:{folder}", self.data), 1, lock)
            self.assert_one_line(run("check", "--store", f"dir:{folder}", *self.accepting()), 1, lock)

    def test_a_key_file_that_becomes_a_fifo(self):
        keys = self.path("fifo.json")
        shutil.copy(self.path("public.json"), keys)
        with Server(self.folder, "--store", f"dir:{self.intact}", "--insecure-http", tls=False, jwks=keys) as server:
            os.remove(keys)
            os.mkfifo(keys)
            server.process.send_signal(signal.SIGHUP)
            until(lambda: server.events("reloaded"), "the end of reloading")
            self.assertEqual(server.ask("GET", LIST, [self.auth]).status, 200)
            self.assertEqual(server.stop(), 0)

    def test_the_folders_of_writers(self):
        for path in ("~writers", "~writers/holder"):
            for name, make in self.kinds.items():
                if name == "directory":
                    continue
                with self.subTest(path=path, kind=name):
                    folder = self.folder_of(f"writers {name}")
                    shutil.rmtree(os.path.join(folder, path))
                    make(os.path.join(folder, path))
                    self.assert_one_line(run("check", "--store", f"dir:{folder}", *self.accepting()), 1,
                                         f"{folder}/{path} is not a directory: move it away")
                    administrator = self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")
                    with self.serve(folder) as server:
                        answer = server.ask("PUT", f"{LIST}/1", [administrator, ("Content-Type", "application/json")],
                                            b'{"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"}')
                        self.assertIn(answer.status, (500, 503))
                        self.assertEqual(server.ask("GET", LIST, [self.auth]).status, 200)
                        self.assertEqual(server.stop(), 0)
                    self.doCleanups()


if __name__ == "__main__":
    unittest.main()

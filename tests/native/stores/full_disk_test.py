"""A disk that is full, and one that fails: PUTs that cannot be stored are not acknowledged, nothing is lost, reads continue, and
writes continue when space is free. The full disk is a small file system that the test mounts; strace injects the failures."""

import contextlib
import json
import os
import socket
import subprocess
import unittest

from support.injection import Injection
from support.program import PortailTest, Server, must_run, needs_strace, run, slow_client, until

OBJECT = "/api/app/objet-courrier"
LIST = "/api/app/liasse"
VALUES = [(usable, assignment) for usable in (True, False) for assignment in ("Rien", "Optionnel", "Obligatoire")]
MAX_PUTS_UNTIL_FULL = 4000  # PUTs that may still succeed on a full disk


def configuration(mail_object):
    return mail_object["utilisablePourLiasse"], mail_object["typeAffectation"]


class StoreTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.admin = [cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"),
                     ("Content-Type", "application/json")]
        cls.auth = cls.bearer()

    def setUp(self):
        self.value = (True, "Rien")  # the last acknowledged value

    def serve(self, store, **options):
        return Server(self.folder, "--store", store, "--insecure-http", "--workers", "1", "--no-access-log",
                      "--max-streams-per-client", "1000", tls=False, **options)

    def next_value(self):
        return VALUES[(VALUES.index(self.value) + 1) % len(VALUES)]

    def put(self, connection):
        """Sends the next value and returns the status; records an acknowledged value."""
        value = self.next_value()
        body = json.dumps({"utilisablePourLiasse": value[0], "typeAffectation": value[1]}).encode()
        status = connection.request("PUT", f"{OBJECT}/1", self.admin, body).status
        if status == 200:
            self.value = value
        return status

    def stored(self, server):
        answer = server.ask("GET", f"{OBJECT}/1", self.admin)
        self.assertEqual(answer.status, 200, answer.body)
        return configuration(answer.json())


class FullDiskTest(StoreTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.disk = cls.path("disk")
        os.mkdir(cls.disk)
        try:
            # A mount for this process and its children only; it ends with them.
            os.unshare(os.CLONE_NEWNS if os.geteuid() == 0 else os.CLONE_NEWNS | os.CLONE_NEWUSER)
            subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True)  # fails in a chroot, where it is not needed
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", cls.disk], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            raise unittest.SkipTest("no file system of its own can be mounted here")
        cls.addClassCleanup(subprocess.run, ["umount", cls.disk], capture_output=True)
        cls.old = cls.document("old.json", bundles=1500)
        with open(cls.old, encoding="utf-8") as file:
            portal = json.load(file)
        for bundle in portal["liasses"]:
            bundle["nomDossier"] = "Prêt renouvelé"
        cls.new = cls.write("new.json", json.dumps(portal, ensure_ascii=False))

    def setUp(self):
        super().setUp()
        for name in os.listdir(self.disk):
            subprocess.run(["rm", "-rf", os.path.join(self.disk, name)], check=True)

    @contextlib.contextmanager
    def no_room(self):
        ballast = os.path.join(self.disk, "ballast")
        with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
            for size in (1024 * 1024, 4096):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"x" * size)
        yield
        os.remove(ballast)

    def put_once(self, server):
        with server.connect() as connection:
            self.assertEqual(self.put(connection), 200)

    def fill_up(self, server):
        """Sends PUTs until one fails for lack of space."""
        with server.connect() as connection:
            for _ in range(MAX_PUTS_UNTIL_FULL):
                status = self.put(connection)
                if status != 200:
                    self.assertEqual(status, 503)
                    return
        self.fail("the disk is not full")

    def stall(self, server, count):
        """Opens connections that request lists and read nothing."""
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                request = f"GET {LIST} HTTP/1.1\r\nHost: h\r\n{self.auth[0]}: {self.auth[1]}\r\n\r\n"
                client = stack.enter_context(slow_client(server.port, request))
                self.assertEqual(client.recv(12, socket.MSG_WAITALL), b"HTTP/1.1 200")
            self.assertEqual(self.stored(server), self.value)

    def test_a_full_disk(self):
        for scheme in ("lmdb", "dir"):
            with self.subTest(scheme):
                self.setUp()
                store = f"{scheme}:{self.disk}/store"
                must_run("import", "--store", store, self.old)
                before = json.loads(must_run("export", "--store", store))
                with self.serve(store) as server:
                    with self.no_room():
                        self.fill_up(server)
                        self.assertEqual(self.stored(server), self.value)
                        self.stall(server, 150)
                        self.assertEqual(server.ask("GET", "/health/ready").status, 200)
                        self.check_commands(store, before)
                    self.put_once(server)
                    must_run("import", "--store", store, self.new)
                    self.put_once(server)
                    self.assertEqual(self.stored(server), self.value)
                    self.assertEqual(server.stop(), 0)
                with open(self.new, encoding="utf-8") as file:
                    self.assertEqual(json.loads(must_run("export", "--store", store))["liasses"], json.load(file)["liasses"])
                records = [json.loads(line) for line in
                           must_run("audit", "--store", store, "--action", "update", "--json").splitlines()]
                self.assertEqual(configuration(records[-1]["changes"][0]["to"]), self.value)

    def check_commands(self, store, before):
        """Runs the commands on the full disk."""
        files = sorted(os.listdir(self.disk))
        done = run("export", "--store", store, "--output", f"{self.disk}/copy.json")
        self.assert_one_line(done, 1, "cannot write", "No space left on device")
        self.assertEqual(sorted(os.listdir(self.disk)), files)
        done = run("import", "--store", store, self.new)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("fix the cause and run the import again", done.stderr)
        # Each bundle is complete: of the previous document, or of this one.
        now = json.loads(must_run("export", "--store", store))
        self.assertEqual([bundle["id"] for bundle in now["liasses"]], [bundle["id"] for bundle in before["liasses"]])
        for bundle, old in zip(now["liasses"], before["liasses"], strict=True):
            self.assertIn(bundle, (old, old | {"nomDossier": "Prêt renouvelé"}))


@needs_strace
class FailingDiskTest(StoreTest):
    # The system calls with which each store writes and syncs.
    CALLS = {"lmdb": ("pwrite64", "writev", "fdatasync"), "dir": ("mkdirat", "openat", "write", "fsync", "renameat", "ftruncate")}
    # Their failure does not fail a PUT: the rename that returns the lease, the list of files that killed writers left, and the end of
    # the revision, without which readers read each file until the next PUT.
    AFTER_THE_WRITE = {("dir", "renameat", 3), ("dir", "openat", 4), ("dir", "ftruncate", 2)}
    MAX_PUTS = 200  # LMDB calls writev only where pages are adjacent

    def test_a_disk_that_fails(self):
        tried = 0
        for scheme, calls in self.CALLS.items():
            store = f"{scheme}:{self.path(scheme)}"
            must_run("import", "--store", store, self.document())
            for call in calls:
                for error in ("EIO", "ENOSPC"):
                    for when in (1, 2, 3, 4)[:4 if call == "openat" else 3]:
                        tried += 1
                        with self.subTest(scheme=scheme, call=call, error=error, when=when):
                            self.fail_at(store, call, error, when, 200 if (scheme, call, when) in self.AFTER_THE_WRITE else 503)
        self.assertEqual(tried, 56)

    def fail_at(self, store, call, error, when, expected):
        """One call of one PUT fails; that PUT is answered `expected`, and all PUTs before and after it 200."""
        with Injection(call, error, when) as injection, \
                self.serve(store, environment={"ASAN_OPTIONS": "detect_leaks=0"}) as server, server.connect() as connection:
            self.value = self.stored(server)
            with injection.attached(server.process):
                for _ in range(self.MAX_PUTS):
                    status = self.put(connection)
                    injected = injection.count()
                    self.assertEqual(status, expected if injected else 200)
                    # A value that is there and could not be made durable is not acknowledged.
                    found = until(lambda: self.ask_again(server), "reading")
                    self.assertIn(found, [self.value] if status == 200 else [self.value, self.next_value()])
                    self.value = found
                    if injected:
                        break
                self.assertGreater(injection.count(), 0, "no call failed")
                self.assertEqual(self.put(connection), 200)
            self.assertEqual(self.stored(server), self.value)

    def ask_again(self, server):
        """Returns the stored value; None while the store is reopened, or if reading failed."""
        answer = server.ask("GET", f"{OBJECT}/1", self.admin)
        self.assertIn(answer.status, (200, 503))
        return configuration(answer.json()) if answer.status == 200 else None


if __name__ == "__main__":
    unittest.main()

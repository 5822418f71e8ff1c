"""An lmdb: store with several bytes changed at random, under every command: the command exits with a status, never by a signal, and a
server refuses the store or serves all routes from it. The changes come from seeds, one of which TEST_SEED sets."""

import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import unittest

from support.program import PROGRAM, Connection, PortailTest, Serving, clean_environment, must_run, run

PAGE = 4096
SEEDS = [*range(1, 25), int(os.environ.get("TEST_SEED", "25"))]
ROUTES = ["/api/app/objet-courrier", "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1",
          "/api/app/objet-courrier/1/fichier-modele", "/api/app/liasse", "/api/app/liasse/dashboard-list", "/api/app/liasse/L-00001",
          "/api/abp/application-configuration", "/health/ready"]
REFUSED = re.compile(r"^portail: \S*data\.mdb (is damaged|is cut off|is not an LMDB file|is another program's|is of LMDB file version|was written by)")


class DamagedStoreTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.input = cls.document(mail_objects=40, bundles=150)
        store = f"lmdb:{cls.path('intact')}"
        for _ in range(3):  # pages of the imports before are free
            must_run("import", "--store", store, cls.input)
        cls.intact = pathlib.Path(cls.path("intact"), "data.mdb").read_bytes()
        cls.admin = cls.bearer("sub-client", "--permission", "PortailClients.ObjetsCourrier.Update", "--permission",
                               "PortailClients.ObjetsCourrier")
        cls.pages_in_use = cls.find_pages_in_use()

    @classmethod
    def number(cls, offset, width=8):
        return struct.unpack_from({2: "<H", 4: "<I", 8: "<Q"}[width], cls.intact, offset)[0]

    @classmethod
    def find_pages_in_use(cls):
        """The pages of both trees as of the last commit, and the first ones of large values."""
        meta = 0 if cls.number(144) > cls.number(PAGE + 144) else PAGE
        found, left = [], [cls.number(meta + 80), cls.number(meta + 128)]
        while left:
            page = left.pop()
            found.append(page)
            flags = cls.number(page * PAGE + 10, 2)
            for slot in range(16, cls.number(page * PAGE + 12, 2), 2) if flags in (1, 2) else ():
                node = page * PAGE + cls.number(page * PAGE + slot, 2)
                if flags == 1:
                    left.append(cls.number(node, 4) | cls.number(node + 4, 2) << 32)
                elif cls.number(node + 4, 2) == 1:
                    left.append(cls.number(node + 8 + cls.number(node + 6, 2)))
        return found

    def damaged(self, seed, name="data"):
        """Returns a folder with a store damaged by the seed: in the first pages, a page head, a page's nodes, anywhere, or truncated."""
        source = random.Random(seed)
        data = bytearray(self.intact)
        for _ in range(source.randint(2, 8)):
            page = source.choice(self.pages_in_use) * PAGE
            where = source.choice([source.randrange(2) * PAGE + source.randrange(152), page + source.randrange(16),
                                   page + 16 + source.randrange(64), page + source.randrange(PAGE), page + source.randrange(PAGE),
                                   source.randrange(len(data))])
            data[where] ^= source.randrange(1, 256)
        if seed % 8 == 0:
            del data[source.randrange(len(data)):]
        folder = pathlib.Path(self.path(name))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "data.mdb").write_bytes(data)
        if seed % 3 == 0:
            (folder / "lock.mdb").write_bytes(source.randbytes(1 << 20))
        return folder

    def assert_ends(self, seed, *arguments):
        """The command exits with a status, and with a reason if it fails. Damaged values may be invalid UTF-8."""
        done = run(*arguments, errors="replace")
        self.assertIn(done.returncode, (0, 1), f"seed {seed}: {arguments}: {done.stderr}")
        if done.returncode == 1:
            self.assertRegex(done.stderr, "^portail: ", f"seed {seed}: {arguments}")
        return done

    def serve(self, seed, folder):
        """Starts a server and, if it starts, requests every route and sends a PUT. Returns whether it started."""
        server = self.start(folder)
        try:
            server.wait_for_address()
        except RuntimeError:
            self.assertEqual(server.process.returncode, 1, f"seed {seed}: {server.output()}")
            return False
        with server:
            with Connection(server.port, tls=False) as client:
                for route in ROUTES:
                    self.assert_answers(seed, client, "GET", route)
                for number in range(1, 41):
                    body = b'{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"}'
                    self.assert_answers(seed, client, "PUT", f"/api/app/objet-courrier/{number}", body)
            server.stop(signal.SIGTERM)
        self.assertEqual(server.process.returncode, 0, f"seed {seed}: {server.output()}")
        return True

    def start(self, folder):
        return Serving([PROGRAM, "serve", "--store", f"lmdb:{folder}", "--listen", "127.0.0.1:0", *self.accepting(), "--queue-timeout", "0"],
                       self.path("log"), clean_environment())

    def assert_answers(self, seed, client, method, route, body=b""):
        headers = [self.admin, ("Content-Type", "application/json")] if body else [self.admin]
        try:
            answer = client.request(method, route, headers, body)
        except (EOFError, ConnectionError) as error:
            answer = error
        self.assertIsNotNone(getattr(answer, "status", None), f"seed {seed}: {method} {route}: {answer}")

    def test_no_command_ends_by_a_signal(self):
        print(f"seeds: {SEEDS}")
        refused = 0
        for seed in SEEDS:
            folder = self.damaged(seed)
            store = f"lmdb:{folder}"
            for made in ("backup", "restored", "target", "values"):
                shutil.rmtree(self.path(made), ignore_errors=True)
            check = self.assert_ends(seed, "check", "--store", store, *self.accepting())
            is_refused = REFUSED.match(check.stderr) is not None
            refused += is_refused
            outcomes = [self.assert_ends(seed, *arguments).returncode for arguments in (
                ("export", "--store", store), ("export", "--store", store, "--format", "json-lines"),
                ("backup", "--store", store, self.path("backup")), ("restore", "--store", f"lmdb:{self.path('restored')}", folder),
                ("migrate", store, f"dir:{self.path('target')}"), ("audit", "--store", store))]
            if is_refused:
                self.assertEqual(set(outcomes), {1}, f"seed {seed}: {check.stderr}")
            self.assertFalse(self.serve(seed, self.damaged(seed)) and is_refused, f"seed {seed}: {check.stderr}")
            for arguments in (("import", "--store", store, self.input), ("audit", "--store", store, "--prune"),
                              ("migrate", f"dir:{self.path('target')}", store)):
                self.damaged(seed)
                self.assert_ends(seed, *arguments)
        self.assertGreater(refused, len(SEEDS) // 2, "hardly any file was damaged where it matters")

    def test_garbage_in_the_file_of_locks_is_overwritten(self):
        folder = pathlib.Path(self.path("garbage"))
        folder.mkdir()
        (folder / "data.mdb").write_bytes(self.intact)
        for garbage in (b"", b"x", b"\xff" * (1 << 20), os.urandom(1 << 20), os.urandom(4 << 20)):
            (folder / "lock.mdb").write_bytes(garbage)
            done = run("import", "--store", f"lmdb:{folder}", self.input)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_file_that_is_cut_off_while_it_is_served_ends_the_server_by_a_status(self):
        folder = pathlib.Path(self.path("cut"))
        folder.mkdir()
        (folder / "data.mdb").write_bytes(self.intact)
        with self.start(folder) as server:
            os.truncate(folder / "data.mdb", 0)
            with Connection(server.port, tls=False) as client, contextlib.suppress(EOFError, ConnectionError):
                client.request("GET", "/api/app/liasse", [self.admin])
            server.stop(signal.SIGTERM)
        self.assertIn(server.process.returncode, (0, 1), server.output())
        self.assertRegex(server.output(), "cut off")


if __name__ == "__main__":
    unittest.main()

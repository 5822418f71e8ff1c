"""`portail export --format`: the stored keys and values in the formats that other stores load, compared with the files of a dir:
store, byte for byte."""

import base64
import json
import os
import shutil
import sqlite3
import subprocess
import unittest

from support.program import PROGRAM, PortailTest, run


class ExportValuesTest(PortailTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write("template.pdf", "%PDF-1.4 it's a 'modèle'\r\n")
        document = cls.write("objects.json", json.dumps({"objetsCourrier": [
            {"id": 1, "typeObjet": "L'acte", "description": "Ça", "utilisablePourLiasse": True, "typeAffectation": "Rien",
             "fichierModele": {"nomFichier": "a.pdf", "chemin": "template.pdf", "type": "application/pdf"}}],
            "droits": [{"permission": "PortailClients.Dashboard.Host", "role": "l'équipe"}]}))
        cls.values = cls.path("store")
        cls.store = f"dir:{cls.values}"
        assert run("import", "--store", cls.store, document).returncode == 0
        # All byte values, an empty value, and one of the maximum size.
        for key, value in [("bytes", bytes(range(256))), ("empty", b""), ("largest", b"\xff" * 262144)]:
            with open(os.path.join(cls.values, key), "wb") as file:
                file.write(value)
        cls.stored = {}
        for name in os.listdir(cls.values):
            if not name.startswith("~"):
                with open(os.path.join(cls.values, name), "rb") as file:
                    cls.stored[name] = file.read()

    def export(self, *flags):
        output = self.path("exported")
        done = run("export", "--store", self.store, "--output", output, "--overwrite", *flags)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", f"portail: wrote {output}\n"))
        with open(output, "rb") as file:
            return file.read()

    def test_the_store_holds_what_is_tested(self):
        self.assertIn("format", self.stored)
        self.assertIn("modele.1.0", self.stored)
        self.assertEqual(self.stored["modele.1.0"].decode(), "%PDF-1.4 it's a 'modèle'\r\n")

    def test_spin_sqlite_loads_into_a_new_and_a_used_database(self):
        script = self.export("--format", "spin-sqlite").decode("ascii")
        with sqlite3.connect(":memory:") as database:
            database.executescript(script)
            rows = database.execute("SELECT store, key, value, typeof(value) FROM spin_key_value").fetchall()
            self.assertEqual({key: value for _, key, value, _ in rows}, self.stored)
            self.assertEqual({(store, kind) for store, _, _, kind in rows}, {("default", "blob")})
            database.execute("UPDATE spin_key_value SET value = x'00' WHERE key = 'format'")
            database.execute("INSERT INTO spin_key_value VALUES('default', 'kept', x'01'), ('other', 'format', x'02')")
            database.commit()
            database.executescript(script)
            again = {(store, key): value for store, key, value in database.execute("SELECT * FROM spin_key_value")}
        kept = {("default", "kept"): b"\x01", ("other", "format"): b"\x02"}
        self.assertEqual(again, {("default", key): value for key, value in self.stored.items()} | kept)

    def test_spin_sqlite_writes_to_the_store_of_that_label(self):
        script = self.export("--format", "spin-sqlite", "--label", "l'autre").decode()
        with sqlite3.connect(":memory:") as database:
            database.executescript(script)
            self.assertEqual(database.execute("SELECT DISTINCT store FROM spin_key_value").fetchall(), [("l'autre",)])

    def test_fastly_has_json_lines(self):
        self.assertEqual(self.export("--as", "fastly"), self.export("--format", "json-lines"))

    def test_half_a_spin_sqlite_script_changes_nothing(self):
        script = self.export("--format", "spin-sqlite").decode("ascii")
        path = self.path("half.db")
        for _ in range(2):
            database = sqlite3.connect(path)
            self.assertEqual(database.execute("SELECT name FROM sqlite_master").fetchall(), [])
            database.executescript(script[:script.index("COMMIT;")])
            database.close()

    def test_redis_is_its_protocol(self):
        found, rest = {}, self.export("--format", "redis")

        def line():
            nonlocal rest
            text, rest = rest.split(b"\r\n", 1)
            return text

        def bulk():
            nonlocal rest
            header = line()
            self.assertEqual(header[:1], b"$")
            size = int(header[1:])
            self.assertEqual(rest[size:size + 2], b"\r\n")
            value, rest = rest[:size], rest[size + 2:]
            return value

        keys = []
        while rest:
            self.assertEqual(line(), b"*3")
            self.assertEqual(bulk(), b"SET")
            keys.append(bulk().decode())
            value = bulk()
            if len(keys) == 1:  # a server that reads beside the load must not rely on it
                self.assertEqual(self.stored["configuration"], value.replace(b"\tbegun\t", b"\tcomplete\t"))
                self.assertNotEqual(self.stored["configuration"], value)
            found[keys[-1]] = value
        self.assertEqual((keys[0], keys[-1]), ("configuration", "configuration"))
        self.assertEqual(len(keys), len(self.stored) + 1)
        self.assertEqual(found, self.stored)

    @unittest.skipUnless(shutil.which("valkey-server"), "valkey-server is not installed")
    def test_redis_loads_into_a_server(self):
        socket = self.path("valkey.sock")
        server = subprocess.Popen(["valkey-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", self.path("")],
                                  stdout=subprocess.DEVNULL)
        try:
            stream = self.export("--format", "redis")
            while not os.path.exists(socket):
                self.assertIsNone(server.poll())
            done = subprocess.run(["valkey-cli", "-s", socket, "--pipe"], input=stream, capture_output=True)
            self.assertIn(f"errors: 0, replies: {len(self.stored) + 1}".encode(), done.stdout)
            for key in ("format", "bytes", "empty"):
                value = subprocess.run(["valkey-cli", "-s", socket, "--raw", "get", key], capture_output=True).stdout
                self.assertEqual(value, self.stored[key] + b"\n")
        finally:
            server.terminate()
            server.wait()

    def test_json_lines_are_in_the_order_of_the_keys(self):
        lines = [json.loads(line) for line in self.export("--format", "json-lines").splitlines()]
        self.assertEqual([line["key"] for line in lines], sorted(self.stored))
        self.assertEqual({line["key"]: base64.b64decode(line["value"], validate=True) for line in lines}, self.stored)

    def test_the_document_is_the_default(self):
        default = run("export", "--store", self.store, "--root", self.path("templates")).stdout
        self.assertIn("objetsCourrier", default)
        named = run("export", "--store", self.store, "--root", self.path("templates"), "--format", "document").stdout
        self.assertEqual(named, default)

    def test_wrong_usage_is_reported_in_one_line(self):
        self.assert_one_line(run("export", "--store", self.store, "--format", "xml"), 2,
                             "--format: must be document, fastly, json-lines, redis or spin-sqlite, not xml")
        self.assert_one_line(run("export", "--store", self.store, "--label", "a"), 2, "--label", "requires --format spin-sqlite")
        self.assert_one_line(run("export", "--store", self.store, "--format", "redis", "--label", "a"), 2, "--label")
        self.assert_one_line(run("export", "--store", self.store, "--format", "redis", "--root", "x"), 2, "--root")

    def test_damage_and_a_full_disk_end_it_without_output(self):
        os.mkdir(os.path.join(self.values, "zzz"))
        try:
            done = run("export", "--store", self.store, "--format", "redis", "--output", self.path("never"))
            self.assert_one_line(done, 1, "the export stopped", "Is a directory")
            self.assertFalse(os.path.exists(self.path("never")))
        finally:
            os.rmdir(os.path.join(self.values, "zzz"))
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "export", "--store", self.store, "--format", "redis"],
                                  stdout=full, stderr=subprocess.PIPE, text=True)
        self.assert_one_line(done, 1, "No space left on device")


if __name__ == "__main__":
    unittest.main()

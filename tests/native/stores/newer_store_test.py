"""A store of an invented next minor layout: each line has further fields, and there are grants and relations of new kinds. This program
serves it with the same answers as the store of its own layout, keeps what it does not know, and imports nothing into it."""

import hashlib
import json
import pathlib
import shutil
import unittest

from support.program import PortailTest, Server, run

LAYOUT = max((pathlib.Path(__file__).parent / "golden").glob("format-*")) / "dir"  # the current one
ROOT = pathlib.Path(__file__).resolve().parents[3]
# Of an import document: the scalar members are the fields of stored lines, in their order.
SCHEMAS = json.loads((ROOT / "core/management/open_api.json").read_text(encoding="utf-8"))["components"]["schemas"]
READ = ["/api/app/objet-courrier/list-all", "/api/app/objet-courrier/1", "/api/app/objet-courrier/10", "/api/app/objet-courrier/10/fichier-modele",
        "/api/app/liasse", "/api/app/liasse/L-2024-0004", "/api/app/liasse/dashboard-list"]
PEOPLE = [("sub-client-1",), ("sub-client-2",), ("sub-gestionnaire-1", "--role", "gestionnaire"), ("sub-reader-1",)]
NEWER = "the store was written by a newer version of portail: this version ignores its new fields and grants, and cannot import into it"
# A manager's permission that a limit, which this version does not know, may take away; a grant of an unknown kind; one of an unknown permission.
NEW_GRANTS = ('PortailClients.Dashboard.Host\tutilisateur\t"sub-client-1"\tuntil 2030\nPortailClients.Dashboard.Host\tgroup\t"sub-client-1"\n'
              'PortailClients.Liasses.Share\tutilisateur\t"sub-client-1"\n')
EDITION = "18446744073709551615\t"  # the line of the last import, which each version replaces (core/storage/edition.hpp)
NEW_PEOPLE = 'lecteur\t"sub-reader-1"\nutilisateur\t"sub-reader-1"\tuntil 2030\n'


def with_field(line, entity=None):
    """The line with a further field, after null for each field of the entity that it lacks."""
    fields = SCHEMAS[entity]["properties"].values() if entity else []
    nulls = ["-" if each.get("format") in ("date-time", "uuid") else "null" for each in fields if each["type"] != "array"]
    return "\t".join([line, *nulls[line.count("\t") + 1:], "later"]) + "\n"


def with_fields(text):
    return "".join(map(with_field, text.splitlines()))


def next_minor(key, text):
    """The value of the next minor layout."""
    kind = key.split(".")[0]
    if kind == "format":
        return "1.999"
    if kind == "catalogue":
        head, *objects = text.splitlines()
        objects = [line if line.count("\t") == 6 else line + "\t-" * 4 for line in objects]
        return head + "\n" + with_fields("\n".join(objects))
    if kind == "configuration":
        head, *entries = text.splitlines(keepends=True)
        return head + "".join(line if line.startswith(EDITION) else with_fields(line) for line in entries)
    if kind == "droits":
        return text + NEW_GRANTS
    if kind == "tiers":
        head, people = text.split("\n", 1)
        return with_field(head, "ThirdParty") + people + NEW_PEOPLE
    if kind == "liasse":
        head, bundle, *pieces = text.split("\t", 1)[1].splitlines()
        rest = with_field(head) + with_field(bundle, "Bundle") + "".join(with_field(piece, "Piece") for piece in pieces)
        return hashlib.blake2b(rest.encode(), digest_size=16).hexdigest() + "\t" + rest
    return with_fields(text)  # indexes and consultations


class NewerStoreTest(PortailTest):
    def store(self):
        """Creates the store, and returns its folder."""
        folder = pathlib.Path(self.path("next-minor"))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(LAYOUT, folder)
        changed = 0
        for file in folder.iterdir():
            if file.name.split(".")[0] not in ("audit", "modele"):
                file.write_text(next_minor(file.name, file.read_text(encoding="utf-8")), encoding="utf-8")
                changed += 1
        self.assertEqual(changed, 17)
        return folder

    def answers(self, store):
        with Server(self.folder, "--store", store) as server:
            answers = [server.ask("GET", target, [self.bearer(*person)]) for person in PEOPLE for target in READ]
            return [(answer.status, answer["ETag"] is not None, answer.body) for answer in answers], server.events("newer store")

    def test_it_is_served_with_the_same_answers(self):
        own = self.path("own")
        shutil.copytree(LAYOUT, own)
        expected, warnings = self.answers(f"dir:{own}")
        self.assertEqual(warnings, [])
        self.assertEqual({status for status, _, _ in expected}, {200, 403})
        found, warnings = self.answers(f"dir:{self.store()}")
        self.assertEqual(found, expected)
        self.assertEqual([line["detail"] for line in warnings], [NEWER])

    def test_a_change_keeps_what_it_does_not_know(self):
        store = self.store()
        administrator = [self.bearer("sub-administrateur-1"), ("Content-Type", "application/json")]
        with Server(self.folder, "--store", f"dir:{store}") as server:
            update = b'{"utilisablePourLiasse": true, "typeAffectation": "Rien"}'
            self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/10", administrator, update).status, 200)
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-2024-0001", [self.bearer("sub-client-1")]).status, 200)
            self.assertEqual(server.ask("GET", "/api/app/liasse/L-2024-0002", [self.bearer("sub-client-1")]).status, 200)
        lines = (store / "configuration").read_text().splitlines()
        self.assertIn("10\ttrue\tRien\tlater", lines)
        self.assertEqual([line for line in lines[1:] if not line.endswith("\tlater") and not line.startswith(EDITION)], [])
        self.assertEqual((store / "consultation.sub-client-1.0").read_text(),
                         '1\tlater\n"L-2024-0001"\t3\tlater\n"L-2024-0002"\t2\n')

    def test_nothing_is_imported(self):
        store = self.store()
        before = {file.name: file.read_bytes() for file in store.iterdir() if not file.name.startswith("~")}
        done = run("import", "--store", f"dir:{store}", self.document())
        self.assertEqual(done.returncode, 1)
        self.assertIn(NEWER, done.stderr)
        self.assertEqual({file.name: file.read_bytes() for file in store.iterdir() if not file.name.startswith("~")}, before)

    def test_it_is_exported_without_what_this_program_does_not_know(self):
        exported = pathlib.Path(self.path("exported"))
        exported.mkdir()
        done = run("export", "--store", f"dir:{self.store()}", "--output", exported / "portail.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(NEWER, done.stderr)
        self.assertEqual((exported / "portail.json").read_bytes(), (LAYOUT.parent / "portail.json").read_bytes())

    def test_it_is_checked(self):
        store = f"dir:{self.store()}"
        done = run("check", *self.accepting(), "--store", store)
        self.assertEqual((done.returncode, done.stderr), (0, f"portail: the store {store}: {NEWER}\n"))
        self.assertIn(f"store            ok      {store}\n", done.stdout)

    def test_it_is_copied_whole(self):
        store, copy = self.store(), self.path("copy")
        done = run("migrate", f"dir:{store}", f"lmdb:{copy}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(NEWER, done.stderr)
        values = [run("export", "--store", url, "--format", "json-lines").stdout for url in (f"dir:{store}", f"lmdb:{copy}")]
        self.assertEqual(values[0], values[1])
        self.assertEqual(len(values[0].splitlines()), 23)


if __name__ == "__main__":
    unittest.main()

"""Stores that the first program of each layout wrote (tests/native/stores/golden). The current program reads the same audit and values
from them, byte for byte, with every engine, and the same document, in which members that later layouts added are null."""

import base64
import json
import pathlib
import shutil
import subprocess
import unittest

from support.postgres import Postgres
from support.program import PortailTest, Server, must_run, run
from support.valkey import Valkey

LAYOUTS = sorted((pathlib.Path(__file__).parent / "golden").glob("format-*"))


def parsed(text):
    """Returns the document with the digits of its numbers."""
    return json.loads(text, parse_int=str, parse_float=str)


def without_added(value, golden):
    """Returns `value` without the members that `golden` lacks: null, or a section that is empty."""
    if isinstance(value, list):
        return [without_added(each, of) for each, of in zip(value, golden, strict=True)]
    if not isinstance(value, dict):
        return value
    return {name: without_added(each, golden.get(name)) for name, each in value.items()
            if name in golden or each not in (None, [])}


class GoldenTest(PortailTest):
    def stores(self, layout, values, valkey, postgres):
        """Yields a store of each kind: copies of the folders of the layout, and servers with the values of the folder dir, as they keep them."""
        for kind in ("lmdb", "dir"):
            copy = self.path(f"{layout.name}-{kind}")
            shutil.copytree(layout / kind, copy)
            yield f"{kind}:{copy}"
        for key, value in values.items():
            subprocess.run(["valkey-cli", "-p", str(valkey.port), "-x", "SET", key], input=value, check=True, capture_output=True)
        yield valkey.url
        postgres.sql('CREATE TABLE portail (key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL); INSERT INTO portail VALUES '
                     + ", ".join(f"('{key}', '\\x{value.hex()}')" for key, value in values.items()))
        yield postgres.url

    def test_a_layout_exists(self):
        self.assertEqual(LAYOUTS[0].name, "format-1")

    def test_every_store_of_every_layout_is_what_it_was(self):
        for layout in LAYOUTS:
            values = {file.name: file.read_bytes() for file in sorted((layout / "dir").iterdir())}
            self.assertEqual(values["format"], layout.name.removeprefix("format-").encode())
            with Valkey() as valkey, Postgres() as postgres:
                for store in self.stores(layout, values, valkey, postgres):
                    with self.subTest(store=store):
                        self.assert_is(layout, store, values)

    def assert_is(self, layout, store, values):
        stored = map(json.loads, run("export", "--store", store, "--format", "json-lines").stdout.splitlines())
        self.assertEqual({value["key"]: base64.b64decode(value["value"]) for value in stored}, values)
        self.assertEqual(run("audit", "--store", store, "--json").stdout, (layout / "audit.jsonl").read_text(encoding="utf-8"))
        exported = pathlib.Path(self.path("exported"))
        shutil.rmtree(exported, ignore_errors=True)
        exported.mkdir()
        must_run("export", "--store", store, "--output", exported / "portail.json")
        files = {str(file.relative_to(exported)): file.read_bytes() for file in exported.rglob("*") if file.is_file()}
        document = (layout / "portail.json").read_bytes()
        templates = {each["fichierModele"]["chemin"]: values[f"modele.{each['id']}.0"] for each in json.loads(document)["objetsCourrier"]
                     if each["fichierModele"]}
        self.assertEqual(len(templates), 3)
        if layout != LAYOUTS[-1]:
            golden = parsed(document)
            self.assertEqual(without_added(parsed(files["portail.json"]), golden), golden)
            document = files["portail.json"]
        self.assertEqual(files, templates | {"portail.json": document})
        with Server(self.folder, "--store", store) as server:
            bundles = server.ask("GET", "/api/app/liasse", [self.bearer("sub-client-1")]).json()
            self.assertEqual({bundle["id"]: bundle["deposeeDepuisDerniereConsultation"] for bundle in bundles},
                             {"L-2024-0001": False, "L-2024-0002": True, "L-2024-0003": True, "L-2024-0004": True,
                              "L-2025-0001": False, "L-2025-0002": True})  # the first was read, and that of 2025 has no piece
            changed = server.ask("GET", "/api/app/objet-courrier/10", [self.bearer("sub-client-1")])
            self.assertEqual((changed.status, changed.json()["utilisablePourLiasse"], changed.json()["typeAffectation"]),
                             (200, False, "Obligatoire"))


if __name__ == "__main__":
    unittest.main()

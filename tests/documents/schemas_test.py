#!/usr/bin/env python3
"""How a new field changes what repeats the fields of the entities (tools/docs/schemas.py). FIELD_ROWS names the program that prints their
tables; by default that of the release build. Standard library only."""

import copy
import json
import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import reference  # noqa: E402
import schemas  # noqa: E402


class SchemasTest(unittest.TestCase):
    def generated(self, page, tables=None):
        return schemas.PAGES[page]((ROOT / page).read_text(encoding="utf-8"), tables)

    def test_a_new_member_of_an_answer(self):
        answers = copy.deepcopy(schemas.ANSWERS)
        answers["LiasseDto"]["properties"]["note"] = {"type": ["string", "null"], "description": "A note."}
        answers["ObjetCourrierDto"]["properties"]["poids"] = {"type": "number", "format": "decimal", "description": "Its weight."}
        with mock.patch.object(schemas, "ANSWERS", answers):
            model, page, contract = (self.generated(name) for name in list(schemas.PAGES)[:3])
        listed = json.loads(model)["PortailClients.Liasses.LiasseDto"]["properties"][-1]
        self.assertEqual(listed, {"name": "Note", "jsonName": "note", "type": "System.String", "typeSimple": "string", "isRequired": False,
                                  "isNullable": True})
        self.assertIn("\n  opportuniteMiseEnPlace: boolean;\n  note: string | null;\n}\n", page)
        self.assertIn("\n  lienFichier: string | null;\n  poids: Decimal;\n}\n", page)
        self.assertIn("\n| `note` | string or null | A note |\n", contract)
        self.assertIn("\n| `poids` | decimal | Its weight |\n| `nomFichier` |", contract)

    def test_a_new_field_of_an_import_document(self):
        rows = json.loads(reference.output_of("FIELD_ROWS"))
        self.assertEqual(list(rows), ["MailObject", "ThirdParty", "Bundle", "Piece"])
        self.assertEqual(rows["Bundle"][0], {"name": "id", "form": "identifier", "isNullable": False})
        rows["Bundle"].insert(2, {"name": "echeance", "form": "date-time", "isNullable": True})
        wanted = self.generated("core/management/open_api.json", rows)
        bundle = json.loads(wanted)["components"]["schemas"]["Bundle"]
        self.assertEqual(list(bundle["properties"])[1:4], ["nomDossier", "echeance", "creationDate"])
        self.assertEqual(bundle["properties"]["echeance"], {"type": ["string", "null"], "format": "date-time"})
        self.assertNotIn("echeance", bundle["required"])


if __name__ == "__main__":
    unittest.main()

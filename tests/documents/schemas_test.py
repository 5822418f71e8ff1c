#!/usr/bin/env python3
"""How a new field or endpoint changes what repeats them (tools/docs/schemas.py). DESCRIPTION_ROWS names the program that prints their
tables; by default that of the release build. Standard library only."""

import copy
import json
import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import description  # noqa: E402
import reference  # noqa: E402
import schemas  # noqa: E402


class SchemasTest(unittest.TestCase):
    def setUp(self):
        self.rows = json.loads(reference.output_of("DESCRIPTION_ROWS"))

    def generated(self, page):
        return schemas.PAGES[page]((ROOT / page).read_text(encoding="utf-8"), self.rows)

    def route(self, path):
        return next(route for route in self.rows["routes"] if route["path"] == path)

    def test_a_new_member_of_an_answer(self):
        answers = copy.deepcopy(description.SCHEMAS)
        answers["LiasseDto"]["properties"]["note"] = {"type": ["string", "null"], "description": "A note."}
        answers["ObjetCourrierDto"]["properties"]["poids"] = {"type": "number", "format": "decimal", "description": "Its weight."}
        with mock.patch.dict(description.SCHEMAS, answers):
            model, page, contract = (self.generated(name) for name in list(schemas.PAGES)[1:4])
        listed = json.loads(model)["PortailClients.Liasses.LiasseDto"]["properties"][-1]
        self.assertEqual(listed, {"name": "Note", "jsonName": "note", "type": "System.String", "typeSimple": "string", "isRequired": False,
                                  "isNullable": True})
        self.assertIn("\n  note: string | null;\n}\n", page)
        self.assertIn("\n  poids: Decimal;\n}\n", page)
        self.assertIn("\n| `note` | string or null | A note |\n", contract)
        self.assertIn("\n| `poids` | decimal | Its weight |\n| `nomFichier` |", contract)

    def test_a_new_endpoint_and_a_new_parameter(self):
        paths = copy.deepcopy(description.DOCUMENT["paths"])
        paths["/api/app/liasse/{id}/pieces-manquantes"] = copy.deepcopy(paths["/api/app/liasse/{id}"])
        self.rows["routes"].append(self.route("/api/app/liasse/{id}") | {"path": "/api/app/liasse/{id}/pieces-manquantes"})
        self.route("/api/app/liasse")["query"].append({"name": "SkipCount", "minimum": 0, "maximum": 2147483647, "default": 0})
        with mock.patch.dict(description.DOCUMENT, {"paths": paths}):
            modules = json.loads(self.generated("core/api/documents/abp_modules.json"))["app"]["controllers"]
        service = modules["PortailClients.Liasses.LiasseAppService"]
        self.assertEqual([method["name"] for method in service["interfaces"][0]["methods"]],
                         ["GetListAsync", "GetDashboardListAsync", "GetAsync", "GetPiecesManquantesAsync"])
        action = service["actions"]["GetPiecesManquantesAsyncById"]
        self.assertEqual((action["url"], action["returnValue"]["type"]),
                         ("api/app/liasse/{id}/pieces-manquantes", "PortailClients.Liasses.LiasseDto"))
        listing = service["actions"]["GetListAsyncByInput"]
        self.assertEqual([(each["name"], each["type"], each["descriptorName"]) for each in listing["parameters"]],
                         [("SkipCount", "System.Int32", "input")])
        self.assertEqual(listing["parametersOnMethod"][0]["type"], "PortailClients.Liasses.GetLiassesInput")

    def test_the_rows_of_a_route_are_its_parameters(self):
        page = "core/api/documents/open_api.json"
        current = (ROOT / page).read_text(encoding="utf-8")
        self.route("/api/app/liasse")["query"].append({"name": "SkipCount", "minimum": -1, "maximum": 7, "default": 2})
        self.route("/api/app/objet-courrier")["query"].clear()
        self.rows["routes"].append({"path": "/swagger", "isProbe": False, "query": [
            {"name": "Filter"}, {"name": "Sorting", "fields": ["id", "nom"]}]})
        self.route("/api/abp/api-definition")["query"][0]["default"] = True
        text = self.generated(page)
        wanted = json.loads(text)
        named = {path: [each["$ref"].rpartition("/")[2] for each in item["get"].get("parameters", [])] for path, item in wanted["paths"].items()}
        self.assertEqual(named["/api/app/liasse"], ["SkipCount", "If-Match", "If-None-Match"])
        self.assertEqual(named["/api/app/objet-courrier"], ["If-Match", "If-None-Match"])
        self.assertEqual(named["/health/live"], [])
        self.assertNotIn("/swagger", named)
        parameters = wanted["components"]["parameters"]
        self.assertEqual(parameters["SkipCount"], {
            "name": "SkipCount", "in": "query", "description": "How many mail objects to skip.", "allowEmptyValue": False,
            "schema": {"type": "integer", "format": "int32", "minimum": -1, "maximum": 7, "default": 2}})
        self.assertEqual(parameters["includeTypes"]["schema"], {"type": "boolean", "default": True})
        self.assertEqual(parameters["Sorting"]["schema"]["pattern"], "^ *((id|nom)( +(asc|desc))? *(, *(id|nom)( +(asc|desc))? *)*)?$")
        self.assertEqual(parameters["Filter"], json.loads(current)["components"]["parameters"]["Filter"])
        self.assertEqual(text.count('"montantOpportunite": 9000.00,'), current.count('"montantOpportunite": 9000.00,') - 1,
                         "paths that stay the same keep their form")

    def test_a_parameter_needs_a_description(self):
        self.route("/api/app/liasse")["query"].append({"name": "Annee"})
        for page in ("core/api/documents/open_api.json", "core/api/documents/abp_modules.json"):
            with self.assertRaisesRegex(ValueError, "components/parameters has no Annee with a description"):
                self.generated(page)

    def test_a_parameter_has_one_form(self):
        self.route("/api/app/liasse")["query"].append({"name": "SkipCount", "minimum": 0, "maximum": 7, "default": 0})
        with self.assertRaisesRegex(ValueError, "SkipCount has two forms"):
            self.generated("core/api/documents/open_api.json")

    def test_a_member_is_looked_for_in_its_section(self):
        text = '{\n  "headers": {\n    "a": 1\n  },\n  "schemas": {\n    "a": [2]\n  }\n}\n'
        self.assertEqual(description.rewritten(text, "schemas", "a", [2, 3]), text.replace("[2]", "[\n      2,\n      3\n    ]"))
        with self.assertRaisesRegex(ValueError, "schemas has no b"):
            description.rewritten(text, "schemas", "b", [])

    def test_a_new_field_of_an_import_document(self):
        bundle = self.rows["fields"]["Bundle"]
        self.assertEqual(bundle[0], {"name": "id", "form": "identifier", "isNullable": False})
        bundle.insert(2, {"name": "echeance", "form": "date-time", "isNullable": True})
        wanted = self.generated("core/management/open_api.json")
        bundle = json.loads(wanted)["components"]["schemas"]["Bundle"]
        self.assertEqual(list(bundle["properties"])[1:4], ["nomDossier", "echeance", "creationDate"])
        self.assertEqual(bundle["properties"]["echeance"], {"type": ["string", "null"], "format": "date-time"})
        self.assertNotIn("echeance", bundle["required"])

    def test_a_new_entity_of_an_import_document(self):
        page = "core/management/open_api.json"
        text = (ROOT / page).read_text(encoding="utf-8")
        empty = text.replace('      "ThirdParty": {', '      "Deposit": {"type": "object", "required": [], "properties": {}},\n      "ThirdParty": {')
        wanted = schemas.PAGES[page](empty, {"fields": {"Deposit": [{"name": "libelle", "form": "text", "isNullable": False}]}})
        described = json.loads(wanted)["components"]["schemas"]
        self.assertEqual(described.pop("Deposit"), {"type": "object", "required": ["libelle"], "properties": {"libelle": {"type": "string"}}})
        self.assertEqual(described, json.loads(text)["components"]["schemas"])


if __name__ == "__main__":
    unittest.main()

"""What repeats the fields of the entities and the endpoints, from its source; reference.py compares and writes it.

The description (description.py) is the source of ABP's model (abp.py), of the types of the page (page/source/service/types.ts), and
of "Resources" in docs/reference/contract.md. The tables of the entities (core/portal/records/fields.hpp), which the program field_rows
prints, are the source of the scalar members of an import document in core/management/open_api.json. Standard library only.
"""

import json
import re

import abp
from description import SCHEMAS, WIDTH, base_of, json_text, reference_of, types_of

# The page

PAGE_NAMES = {"TypeAffectation": "Assignment", "ObjetCourrierDto": "MailObject", "ObjetCourrierPieceDto": "PieceMailObject",
              "PieceAttendueDto": "Piece", "LiasseDto": "Bundle"}
PAGE_HEAD = """// The entities of answers (documented at /swagger/index.html). Generated from the description by tools/docs/reference.py; do not edit.

/** A number, or its digits if a double cannot represent it exactly. */
export type Decimal = number | string;
"""


def page_types(_text, _):
    parts = [PAGE_HEAD]
    for name, own_name in PAGE_NAMES.items():
        schema = SCHEMAS[name]
        if values := schema.get("enum"):
            parts.append(f"export type {own_name} = {' | '.join(map(json.dumps, values))};\n")
            continue
        base = f" extends {PAGE_NAMES[base_of(schema)]}" if base_of(schema) else ""
        members = "".join(f"  {member}: {page_type(each)};\n" for member, each in schema["properties"].items())
        parts.append(f"export interface {own_name}{base} {{\n{members}}}\n")
    return "\n".join(parts)


def page_type(schema):
    if name := reference_of(schema):
        return PAGE_NAMES[name]
    kind, is_nullable = types_of(schema)
    if kind == "array":
        shown = page_type(schema["items"]) + "[]"
    elif schema.get("format") == "decimal":
        shown = "Decimal"
    else:
        shown = "number" if kind == "integer" else kind
    return shown + " | null" * is_nullable


# The contract

RESOURCES = {"mail object": ("ObjetCourrierDto", "ObjetCourrierPieceDto"), "bundle": ("LiasseDto",), "expected piece": ("PieceAttendueDto",)}
ENTITIES = {"ObjetCourrierPieceDto": "mail object", "PieceAttendueDto": "expected piece", "TypeAffectation": "string"}
CONTRACT_FORMATS = {"double": "double", "decimal": "decimal", "uuid": "UUID", "date-time": "timestamp with offset"}


def resources(text, _):
    """Returns the page with the tables of "Resources"."""
    for title, names in RESOURCES.items():
        members = [member for each in names for member in SCHEMAS[each]["properties"].items()]
        rows = [(f"`{name}`", contract_type(schema), description_of(schema)) for name, schema in members]
        table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        head = f"| {title} | type | |\n|---|---|---|\n"
        text, count = re.subn(re.escape(head) + r"(?:\|.*\n)+", lambda _, whole=head + table: whole, text)
        if count != 1:
            raise SystemExit(f"docs/reference/contract.md has no table of the {title}")
    return text


def contract_type(schema):
    if name := reference_of(schema):
        return ENTITIES[name]
    kind, is_nullable = types_of(schema)
    if kind == "array":
        return f"array of {contract_type(schema['items'])}s"
    return CONTRACT_FORMATS.get(schema.get("format"), kind) + " or null" * is_nullable


def description_of(schema):
    text = schema.get("description") or SCHEMAS[reference_of(schema)]["description"]
    return text.removesuffix(".").replace("|", "\\|")


# The import document

MAIL_OBJECT_ID = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
FORMS = {"text": {"type": "string"}, "code": {"type": "string", "minLength": 1}, "identifier": {"type": "string", "minLength": 1, "maxLength": 255},
         "date-time": {"type": "string", "format": "date-time"}, "amount": {"type": "number"}, "boolean": {"type": "boolean"},
         "uuid": {"type": "string", "format": "uuid"}, "mail object": MAIL_OBJECT_ID}


def management(text, tables):
    """Returns the description with the scalar members of the import document, each after the one that precedes it in the table."""
    for name, rows in tables.items():
        block = re.search(rf'(?ms)^      "{name}": (\{{.*?^      \}})', text)
        schema = json.loads(block[1])
        for previous, row in zip([{"name": ""}, *rows], rows):
            form = FORMS[row["form"]]
            nullable = {"type": [form["type"], "null"]} if row["isNullable"] else {}
            put_after(schema["properties"], previous["name"], row["name"], form | nullable)
        schema["required"] = [member for member, each in schema["properties"].items() if not types_of(each)[1]]
        if schema != json.loads(block[1]):
            text = text[:block.start(1)] + json_text(schema, 6, WIDTH) + text[block.end(1):]
    return text


def put_after(properties, previous, name, schema):
    """Sets the property, keeping its place; a new one is put after `previous`."""
    if name in properties:
        properties[name] = schema
        return
    items = list(properties.items())
    at = 1 + next((i for i, (each, _) in enumerate(items) if each == previous), -1)
    properties.clear()
    properties.update(items[:at] + [(name, schema)] + items[at:])


# Each returns the page, from its text and the tables of fields by the name of their schema.
PAGES = {"core/api/documents/abp_modules.json": abp.modules, "core/api/documents/abp_types.json": abp.types,
         "page/source/service/types.ts": page_types, "docs/reference/contract.md": resources, "core/management/open_api.json": management}

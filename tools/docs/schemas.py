"""Generates what repeats the entities' fields and the routes; reference.py compares and writes it.

The description (description.py) is the source of ABP's model (abp.py), of the types of the page (page/source/service/types.ts), and
of "Resources" in docs/reference/contract.md. The program description_rows prints the tables of the entities
(core/portal/records/fields.hpp), the source of the scalar members of an import document in core/management/open_api.json, and the routes,
the source of the parameters in the description (parameters.py). Standard library only.
"""

import json
import re

import abp
import parameters
from description import SCHEMAS, base_of, reference_of, rewritten, types_of

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

# A table: its schemas, its head with the entity's name, and its rows.
RESOURCE = re.compile(r"(?<=<!-- schemas: )([\w ]+)( -->\n\| (.+) \| type \| \|\n\|---\|---\|---\|\n)(?:\|.*\n)*")
CONTRACT_FORMATS = {"double": "double", "decimal": "decimal", "uuid": "UUID", "date-time": "timestamp with offset"}


def resources(text, _):
    """Returns the page with the tables of "Resources"."""
    entities = {name: title for names, _, title in RESOURCE.findall(text) for name in names.split()}

    def table(found):
        members = [member for each in found[1].split() for member in SCHEMAS[each]["properties"].items()]
        rows = [(f"`{name}`", contract_type(schema, entities), description_of(schema)) for name, schema in members]
        return found[1] + found[2] + "".join(f"| {' | '.join(row)} |\n" for row in rows)

    page, count = RESOURCE.subn(table, text)
    if count != text.count("<!-- schemas: "):
        raise ValueError("a mark of schemas has no table below it")
    return page


def contract_type(schema, entities):
    if name := reference_of(schema):
        return entities.get(name) or contract_type(SCHEMAS[name], entities)
    kind, is_nullable = types_of(schema)
    if kind == "array":
        return f"array of {contract_type(schema['items'], entities)}s"
    return CONTRACT_FORMATS.get(schema.get("format"), kind) + " or null" * is_nullable


def description_of(schema):
    text = schema.get("description") or SCHEMAS[reference_of(schema)]["description"]
    return text.removesuffix(".").replace("|", "\\|")


# The import document

MAIL_OBJECT_ID = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
FORMS = {"text": {"type": "string"}, "code": {"type": "string", "minLength": 1}, "identifier": {"type": "string", "minLength": 1, "maxLength": 255},
         "date-time": {"type": "string", "format": "date-time"}, "amount": {"type": "number"}, "boolean": {"type": "boolean"},
         "uuid": {"type": "string", "format": "uuid"}, "mail object": MAIL_OBJECT_ID}


def management(text, rows):
    """Returns the description with the scalar members of the import document, each after the one that precedes it in the table."""
    schemas = json.loads(text)["components"]["schemas"]
    for name, fields in rows["fields"].items():
        schema = schemas.get(name, {"properties": {}})
        set_fields(schema, fields)
        text = rewritten(text, "schemas", name, schema)
    return text


def set_fields(schema, fields):
    for previous, row in zip([{"name": ""}, *fields], fields):
        form = FORMS[row["form"]]
        nullable = {"type": [form["type"], "null"]} if row["isNullable"] else {}
        put_after(schema["properties"], previous["name"], row["name"], form | nullable)
    schema["required"] = [member for member, each in schema["properties"].items() if not types_of(each)[1]]


def put_after(properties, previous, name, schema):
    """Sets the property, keeping its place; a new one is put after `previous`."""
    if name in properties:
        properties[name] = schema
        return
    items = list(properties.items())
    at = 1 + next((i for i, (each, _) in enumerate(items) if each == previous), -1)
    properties.clear()
    properties.update(items[:at] + [(name, schema)] + items[at:])


# Each returns the page, from its text and what description_rows prints.
PAGES = {"core/api/documents/abp_modules.json": abp.modules, "core/api/documents/abp_types.json": abp.types,
         "page/source/service/types.ts": page_types, "docs/reference/contract.md": resources, "core/management/open_api.json": management,
         "core/api/documents/open_api.json": parameters.text_of}

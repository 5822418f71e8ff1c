"""What repeats the fields of the entities, from its source; reference.py compares and writes it.

The schemas of answers in core/api/documents/open_api.json are the source of the types of ABP's model (abp_types.json beside it), of the
types of the page (core/page/source/service/types.ts), and of "Resources" in docs/reference/contract.md. The tables of the entities
(core/portal/records/fields.hpp), which the program field_rows prints, are the source of the scalar members of an import document in
core/management/open_api.json. Standard library only.
"""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSWERS = json.loads((ROOT / "core/api/documents/open_api.json").read_text(encoding="utf-8"))["components"]["schemas"]


def reference_of(schema):
    """Returns the name of the schema that is referred to, or ""."""
    return schema.get("$ref", "").rpartition("/")[2]


def types_of(schema):
    """Returns the schema's type, and whether it may be null."""
    types = schema.get("type", "object")
    return (types, False) if isinstance(types, str) else (types[0], "null" in types)


def base_of(schema):
    """Returns the name of the schema that this one extends, or ""."""
    return reference_of(schema["allOf"][0]) if "allOf" in schema else ""


# JSON, as the descriptions are written: an object or array is on one line if it fits.

WIDTH = 120


def json_text(value, indent=0, column=0):
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (indent > 0 and column + len(line) <= WIDTH):
        return line
    margin = " " * (indent + 2)
    if isinstance(value, dict):
        (opening, closing), parts = "{}", [(f"{margin}{json.dumps(name)}: ", each) for name, each in value.items()]
    else:
        (opening, closing), parts = "[]", [(margin, each) for each in value]
    lines = [head + json_text(each, indent + 2, len(head) + 1) for head, each in parts]
    return f"{opening}\n" + ",\n".join(lines) + f"\n{' ' * indent}{closing}"


# ABP's model

ABP_SCALARS = {"int64": ("System.Int64", "number"), "double": ("System.Double", "number"), "decimal": ("System.Decimal", "number"),
               "uuid": ("System.Guid", "string"), "date-time": ("System.DateTimeOffset", "string")}
ABP_TYPES = {"string": ("System.String", "string"), "boolean": ("System.Boolean", "boolean")}


def abp_types(text, _):
    """Returns the file with the properties of each type that has a schema."""
    model = json.loads(text)
    full_names = {name.rpartition(".")[2]: name for name in model}

    def type_of(schema):
        if name := reference_of(schema):
            return type_of(ANSWERS[name]) if name not in full_names else (full_names[name],) * 2
        kind, _ = types_of(schema)
        if kind == "array":
            return (f"[{type_of(schema['items'])[0]}]",) * 2
        return ABP_SCALARS.get(schema.get("format")) or ABP_TYPES[kind]

    for short, full in full_names.items():
        if short not in ANSWERS:
            continue
        model[full]["baseType"] = full_names.get(base_of(ANSWERS[short]))
        model[full]["properties"] = []
        for name, schema in ANSWERS[short]["properties"].items():
            kind, simple = type_of(schema)
            _, is_nullable = types_of(schema)
            listed = {"name": name[0].upper() + name[1:], "jsonName": name, "type": kind, "typeSimple": simple, "isRequired": not is_nullable}
            model[full]["properties"].append(listed | ({"isNullable": True} if is_nullable else {}))
    return json_text(model) + "\n"


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
        schema = ANSWERS[name]
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
        members = [member for each in names for member in ANSWERS[each]["properties"].items()]
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
    text = schema.get("description") or ANSWERS[reference_of(schema)]["description"]
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
PAGES = {"core/api/documents/abp_types.json": abp_types, "core/page/source/service/types.ts": page_types,
         "docs/reference/contract.md": resources, "core/management/open_api.json": management}

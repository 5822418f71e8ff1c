"""The description of the API (core/api/documents/open_api.json), and the form in which descriptions are written. parameters.py, abp.py
and schemas.py use them. Standard library only."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = json.loads((ROOT / "core/api/documents/open_api.json").read_text(encoding="utf-8"))
SCHEMAS = DOCUMENT["components"]["schemas"]


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


WIDTH = 120


def rewritten(text, section, name, value):
    """Returns the text of a description with the value of a member of "paths", "parameters" or "schemas", which must exist. A value that
    stays the same keeps its form."""
    opening = re.search(f'\n( *)"{section}": {{', text)
    indent = len(opening[1]) + 2
    member = re.compile(f"\n {{{indent}}}{re.escape(json.dumps(name))}: ").search(text, opening.end())
    if not member:
        raise ValueError(f"{section} has no {name}")
    begin = member.end()
    written, size = json.JSONDecoder().raw_decode(text[begin:])
    return text if json.dumps(value) == json.dumps(written) else text[:begin] + json_text(value, indent, WIDTH) + text[begin + size:]


def json_text(value, indent=0, column=0):
    """Returns JSON as the descriptions are written: an object or array is on one line if it fits."""
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

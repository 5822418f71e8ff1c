#!/usr/bin/env python3
"""check_examples.py DESCRIPTION: checks that the description of the interface has an example of each JSON body and each parameter, and that examples are valid under
their schemas. Needs jsonschema-rs, a dependency of Schemathesis.
"""

import json
import pathlib
import sys

import jsonschema_rs

DOCUMENT = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))


def faults_of(schema, example):
    validator = jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]}, validate_formats=True)
    return [error.message for error in validator.iter_errors(example)]


def contents():
    """Yields each JSON body of the document, with its location."""
    bodies = [(f"answer {name}", answer) for name, answer in DOCUMENT["components"]["responses"].items()]
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            if "requestBody" in operation:
                bodies.append((f"{method} {path}, what is sent", operation["requestBody"]))
            bodies += [(f"{method} {path} {status}", answer) for status, answer in operation["responses"].items()]
    for where, body in bodies:
        if "application/json" in body.get("content", {}):
            yield where, body["content"]["application/json"]


def is_its_own_example(schema):
    return "default" in schema or "enum" in schema or schema["type"] == "boolean"


def main():
    faults, seen = [], 0
    for where, content in contents():
        seen += 1
        examples = [content["example"]] if "example" in content else [each["value"] for each in content.get("examples", {}).values()]
        if not examples:
            faults.append(f"{where} has no example")
        for example in examples:
            faults += [f"{where}: {fault}" for fault in faults_of(content["schema"], example)]
    for name, parameter in DOCUMENT["components"]["parameters"].items():
        seen += 1
        schema = parameter["schema"]
        if not schema.get("examples") and not is_its_own_example(schema):
            faults.append(f"the parameter {name} has no example")
        for example in schema.get("examples", []):
            faults += [f"the parameter {name}: {fault}" for fault in faults_of(schema, example)]
    print(*faults, f"{seen} bodies and parameters, {len(faults)} faults", sep="\n")
    return 1 if faults or not seen else 0


if __name__ == "__main__":
    sys.exit(main())

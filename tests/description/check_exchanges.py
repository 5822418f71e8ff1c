#!/usr/bin/env python3
"""Compares a host's answers to a suite with the interface's description.

    check_exchanges.py DESCRIPTION EXCHANGES

EXCHANGES is what the contract suite writes to PORTAIL_CONTRACT_RECORD, or the tests of the management interface to
TEST_MANAGEMENT_RECORD. Of each answer the operation, the status, the media type, the
body and the headers must be described. Needs jsonschema-rs, which comes with Schemathesis.
"""

import collections
import json
import pathlib
import re
import sys
import urllib.parse

import jsonschema_rs

DOCUMENT = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
METHODS = ("get", "put", "post", "delete")
# Paths without an operation: the description itself, its page, and the redirect to it.
OF_THE_DESCRIPTION = ("/swagger/v1/swagger.json", "/swagger/index.html", "/swagger", "/swagger/")
# Headers of every answer or of the transport. The description has only the headers of operations.
EVERYWHERE = {"date", "server", "connection", "keep-alive", "content-length", "transfer-encoding", "content-type", "content-encoding",
              "vary", "x-content-type-options", "strict-transport-security", "allow", "access-control-allow-origin",
              "access-control-allow-credentials", "access-control-expose-headers"}


def resolved(node):
    while "$ref" in node:
        found = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


class Schemas:
    """A cache of validators, one for each schema."""

    def __init__(self):
        self.validators = {}

    def faults(self, schema, value):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            self.validators[key] = jsonschema_rs.Draft202012Validator(
                {**schema, "components": DOCUMENT["components"]}, validate_formats=True)
        return [f"{'/'.join(map(str, error.instance_path))}: {error.message}" for error in self.validators[key].iter_errors(value)]


SCHEMAS = Schemas()
ERROR = {"$ref": "#/components/schemas/RemoteServiceErrorResponse"}
ROUTES = [(re.compile(re.sub(r"\\\{(\w+)\\\}", "[^/]+", re.escape(path)) + "/?", re.IGNORECASE), path) for path in DOCUMENT["paths"]]
# A literal segment comes before the {id} that it could also be.
ROUTES.sort(key=lambda route: route[1].count("{"))


def operation_of(method, target):
    """Returns the path's template and the operation; each may be None."""
    path = urllib.parse.unquote(target.split("?")[0], errors="replace")
    template = next((template for pattern, template in ROUTES if pattern.fullmatch(path)), None)
    key = "get" if method == "HEAD" else method.lower() if method == method.upper() else ""
    operation = DOCUMENT["paths"][template].get(key) if template and key in METHODS else None
    return template, operation


def header_faults(answer, headers):
    described = {name.lower(): resolved(header) for name, header in answer.get("headers", {}).items()}
    for name, text in headers.items():
        if name in described:
            schema = resolved(described[name]["schema"])
            value = int(text) if schema.get("type") == "integer" and text.isdigit() else text
            yield from (f"{name} {fault}" for fault in SCHEMAS.faults(schema, value))
        elif name not in EVERYWHERE:
            yield f"the header {name} is not described"


def check(exchange):
    """Returns the parts of the answer that are not described, and the kind of the exchange, for the count."""
    method, status = exchange["method"], exchange["status"]
    body = exchange.get("body")  # none of HEAD, of a file, and of what is compressed
    headers = {name.lower(): value for name, value in exchange["headers"]}
    media_type = headers.get("content-type", "").split(";")[0]
    template, operation = operation_of(method, exchange["target"])
    if exchange["target"].split("?")[0] in OF_THE_DESCRIPTION:
        return [], "of the description itself"
    if status == 204 and "access-control-allow-methods" in headers:
        return [], "a preflight"  # of CORS: OpenAPI describes none
    if not operation:
        if status < 400:
            return [f"{status} of what is not described"], ""
        return SCHEMAS.faults(ERROR, json.loads(body)) if body else [], "of no operation"
    described = operation["responses"].get(str(status)) or (operation["responses"]["default"] if status >= 400 else None)
    if not described:
        return [f"the status {status} is not described"], ""
    described = resolved(described)
    faults = list(header_faults(described, headers))
    content = described.get("content")
    if content and method != "HEAD":
        accepted = content.get(media_type, content.get("*/*"))
        if accepted is None:
            faults.append(f"the media type {media_type!r} is not described")
        elif "schema" in accepted and body:
            faults += SCHEMAS.faults(accepted["schema"], json.loads(body))
    elif not content and body:
        faults.append("a body that is not described")
    return faults, f"{method} {template} {status}"


def main():
    kinds, failed = collections.Counter(), 0
    for line in pathlib.Path(sys.argv[2]).read_bytes().splitlines():
        exchange = json.loads(line)
        faults, kind = check(exchange)
        kinds[kind] += 1
        for fault in faults:
            failed += 1
            print(f"{exchange['method']} {exchange['target']} {exchange['status']}: {fault}")
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    answered = {(template, method) for template, item in DOCUMENT["paths"].items() for method in item if method in METHODS}
    for template, method in sorted(answered):
        if not any(kind.startswith(f"{method.upper()} {template} ") for kind in kinds):
            failed += 1
            print(f"{method.upper()} {template} was never requested")
    print(f"exchanges: {sum(kinds.values())}, faults: {failed}")
    return 1 if failed or not kinds else 0


if __name__ == "__main__":
    sys.exit(main())

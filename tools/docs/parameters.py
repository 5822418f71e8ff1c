"""Generates the parameters in the description of the API from the rows of its routes (core/api/routes.cpp), which the program
description_rows prints: the references of each path, GET and PUT, and the schema of each parameter of a query. Descriptions and examples
are written by hand in the description. Standard library only."""

import copy
import json

from description import rewritten

CONDITIONS = ["If-Match", "If-None-Match"]  # of operations whose answer has an ETag


def described(document, routes):
    """Returns a copy of the description with the parameters of the routes."""
    result = copy.deepcopy(document)
    for route in routes:  # those of the description itself have no path in it
        if operations := result["paths"].get(route["path"]):
            set_path(operations, route)
    for row in query_rows(routes):
        set_component(component(result, row), row)
    return result


def text_of(text, rows):
    """Returns the text of the description with the parameters of the routes."""
    result = described(json.loads(text), rows["routes"])
    for section, members in (("paths", result["paths"]), ("parameters", result["components"]["parameters"])):
        for name, value in members.items():
            text = rewritten(text, section, name, value)
    return text


def query_rows(routes):
    rows = {}
    for route in routes:
        for row in route["query"]:
            if rows.setdefault(row["name"], row) != row:
                raise ValueError(f"{row['name']} has two forms")
    return rows.values()


def component(document, row):
    found = document["components"]["parameters"].get(row["name"])
    if not found or "description" not in found:
        raise ValueError(f"components/parameters has no {row['name']} with a description")
    return found


def set_path(operations, route):
    shared = ([route["id"]] if "id" in route else []) + ([] if route["isProbe"] else ["Accept-Language"]) + ["X-Correlation-Id"]
    operations["parameters"] = references(shared)
    for verb in ("get", "put"):
        if operation := operations.get(verb):
            own = [row["name"] for row in route["query"]] if verb == "get" else []
            own += CONDITIONS if "ETag" in operation["responses"]["200"].get("headers", {}) else []
            set_own(operation, references(own))


def references(names):
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def set_own(operation, own):
    """Sets the parameters of an operation, before its requestBody and responses if it had none."""
    if not own:
        operation.pop("parameters", None)
    elif "parameters" in operation:
        operation["parameters"] = own
    else:
        last = {name: operation.pop(name) for name in ("requestBody", "responses") if name in operation}
        operation.update({"parameters": own} | last)


def set_component(parameter, row):
    is_integer = "minimum" in row
    schema = {"type": "integer" if is_integer else "boolean" if "default" in row else "string"}
    schema |= {"format": "int32"} if is_integer else {}
    schema |= {name: row[name] for name in ("minimum", "maximum", "default") if name in row}
    if "fields" in row:
        key = f"({'|'.join(row['fields'])})( +(asc|desc))? *"
        schema["pattern"] = f"^ *({key}(, *{key})*)?$"
    examples = {"examples": parameter["schema"]["examples"]} if "examples" in parameter.get("schema", {}) else {}
    description = parameter["description"]
    parameter.clear()
    parameter.update({"name": row["name"], "in": "query", "description": description, "allowEmptyValue": not is_integer, "schema": schema | examples})

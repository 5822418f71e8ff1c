"""Generates ABP's model of the services, which GET /api/abp/api-definition answers: abp_modules.json and abp_types.json in
core/api/documents, from the description (description.py) with the parameters of the routes (parameters.py). Standard library only."""

import json

from description import DOCUMENT, ROOT, SCHEMAS, base_of, json_text, reference_of, types_of
from parameters import described

SCALARS = {"int32": ("System.Int32", "number"), "int64": ("System.Int64", "number"), "double": ("System.Double", "number"),
           "decimal": ("System.Decimal", "number"), "uuid": ("System.Guid", "string"), "date-time": ("System.DateTimeOffset", "string")}
TYPES = {"string": ("System.String", "string"), "boolean": ("System.Boolean", "boolean")}
PAGED_RESULT = "PagedResultDto"  # of an entity, in the name of a schema
VERBS = {"get": "Get", "post": "Create", "put": "Update", "delete": "Delete"}
SERVICES = "/api/app/"


def type_names():
    """Returns the full names of the types in abp_types.json by their last part."""
    return {name.rpartition(".")[2]: name for name in json.loads((ROOT / "core/api/documents/abp_types.json").read_text(encoding="utf-8"))}


def type_of(schema, full_names):
    """Returns the type and typeSimple of a schema."""
    if name := reference_of(schema):
        if name.endswith(PAGED_RESULT):
            return (f"Volo.Abp.Application.Dtos.{PAGED_RESULT}<{full_names[name.removesuffix(PAGED_RESULT)]}>",) * 2
        return type_of(SCHEMAS[name], full_names) if name not in full_names else (full_names[name],) * 2
    kind, _ = types_of(schema)
    if kind == "array":
        return (f"[{type_of(schema['items'], full_names)[0]}]",) * 2
    if schema.get("format") == "binary":
        return (full_names["IRemoteStreamContent"],) * 2
    return SCALARS.get(schema.get("format")) or TYPES[kind]


def types(text, _):
    """Returns the file with the properties of each type that has a schema."""
    model = json.loads(text)
    full_names = type_names()
    for short, full in full_names.items():
        if short not in SCHEMAS:
            continue
        model[full]["baseType"] = full_names.get(base_of(SCHEMAS[short]))
        model[full]["properties"] = []
        for name, schema in SCHEMAS[short]["properties"].items():
            kind, simple = type_of(schema, full_names)
            _, is_nullable = types_of(schema)
            listed = {"name": name[0].upper() + name[1:], "jsonName": name, "type": kind, "typeSimple": simple, "isRequired": not is_nullable}
            model[full]["properties"].append(listed | ({"isNullable": True} if is_nullable else {}))
    return json_text(model) + "\n"


def modules(_text, rows):
    """Returns the model of the services: of each operation below /api/app/ the method from whose name ABP would derive its path."""
    full_names = type_names()
    document = described(DOCUMENT, rows["routes"])
    controllers = {}
    for path, operations in document["paths"].items():
        if not path.startswith(SERVICES):
            continue
        for verb in filter(VERBS.get, operations):
            tag = operations[verb]["tags"][0]
            namespace = full_names[tag + "Dto"].rpartition(".")[0]
            service, interface = f"{namespace}.{tag}AppService", f"{namespace}.I{tag}AppService"
            controller = controllers.setdefault(service, {
                "controllerName": tag, "controllerGroupName": tag, "isRemoteService": True, "isIntegrationService": False, "apiVersion": None,
                "type": service, "interfaces": [{"type": interface, "name": interface.rpartition(".")[2], "methods": []}], "actions": {}})
            method, action = action_of(document, path, verb, namespace, full_names)
            controller["interfaces"][0]["methods"].append(method)
            controller["actions"][action["uniqueName"]] = action | {"implementFrom": interface}
    return json_text({"app": {"rootPath": "app", "remoteServiceName": "Default", "controllers": controllers}}) + "\n"


def action_of(document, path, verb, namespace, full_names):
    """Returns the method of the service's interface, and the action of its controller."""
    operations = document["paths"][path]
    operation = operations[verb]
    if verb == "post" and "requestBody" not in operation:  # it is always refused: its body and answer are those of PUT
        put = document["paths"][path + "/{id}"]["put"]
        operation = operation | {"requestBody": put["requestBody"], "responses": put["responses"]}
    described_parameters = [document["components"]["parameters"][reference_of(each)]
                            for each in operations.get("parameters", []) + operation.get("parameters", [])]
    segments = path.removeprefix(SERVICES).split("/")[1:]
    name = VERBS[verb] + "".join(word.capitalize() for segment in segments if segment != "{id}" for word in segment.split("-"))
    name += "ListAsync" if verb == "get" and not segments else "Async"

    on_method, parameters = {}, []

    def add(method_name, parameter_name, own_type, source, type_on_method=None):
        kind, simple = type_on_method or own_type
        assembly = "System.Private.CoreLib" if kind.startswith("System.") else "PortailClients.Application.Contracts"
        on_method[method_name] = {"name": method_name, "typeAsString": f"{kind}, {assembly}", "type": kind, "typeSimple": simple,
                                  "isOptional": False, "defaultValue": None}
        parameters.append({"nameOnMethod": method_name, "name": parameter_name, "jsonName": None, "type": own_type[0], "typeSimple": own_type[1],
                           "isOptional": False, "defaultValue": None, "constraintTypes": [] if source == "Path" else None,
                           "bindingSourceId": source, "descriptorName": method_name if source == "ModelBinding" else ""})

    for each in described_parameters:
        if each["in"] == "path":
            add(each["name"], each["name"], type_of(each["schema"], full_names), "Path")
        elif each["in"] == "query":
            model = f"{namespace}.Get{namespace.rpartition('.')[2]}Input"
            add("input", each["name"], type_of(each["schema"], full_names), "ModelBinding", (model, model))
    if body := operation.get("requestBody"):
        add("input", "input", type_of(body["content"]["application/json"]["schema"], full_names), "Body")

    answer = operation["responses"].get("200")
    kind, simple = type_of(next(iter(answer["content"].values()))["schema"], full_names) if answer else ("System.Void",) * 2
    method = {"name": name, "parametersOnMethod": list(on_method.values()), "returnValue": {"type": kind, "typeSimple": simple}}
    unique = name + ("By" + "And".join(each.capitalize() for each in on_method) if on_method else "")
    policies = [role for each in operation.get("security", document["security"]) for role in each.get("bearer", [])] or [None]
    return method, {
        "uniqueName": unique, "name": name, "httpMethod": verb.upper(), "url": path.removeprefix("/"), "supportedVersions": [],
        "parametersOnMethod": method["parametersOnMethod"], "parameters": parameters, "returnValue": method["returnValue"],
        "allowAnonymous": False, "authorizeDatas": [{"policy": policy, "roles": None} for policy in policies]}

"""The access lines that every host writes: who read a client's bundles as their manager, and who was refused what and why. Standard library
only."""

import hashlib
import hmac
import json
import urllib.parse

from waiting import until

KEY = "key of the pseudonyms"
SETTINGS = {"PORTAIL_LOG_KEY": KEY}
BUNDLE = "Dossier n° 12 (été)"  # of fixtures/portail.json: sub-gestionnaire-1 is the manager of its client
MEMBERS = ["time", "level", "event", "access", "correlationId", "method", "route", "entity", "status", "reason", "client", "subject"]
NO_PERMISSION = "The permission {} is missing"


def pseudonym(subject):
    return hmac.new(KEY.encode(), subject.encode(), hashlib.sha256).hexdigest()[:32]


def requests(portal):
    """Yields for each request its method, target and headers; the status; and the access, route, entity, reason and subject of its line,
    or None if it has none. `portal` makes the tokens."""
    bundle, list_of_managers = "/api/app/liasse/{id}", "/api/app/liasse/dashboard-list"
    of_bundle = bundle.format(id=urllib.parse.quote(BUNDLE))
    manager = portal.bearer("sub-gestionnaire-1", "--role", "gestionnaire")
    yield ("GET", of_bundle, manager), 200, ("managed bundle", bundle, BUNDLE, None, "sub-gestionnaire-1")
    yield ("GET", list_of_managers, manager), 200, ("managed bundles", list_of_managers, None, None, "sub-gestionnaire-1")
    yield ("GET", "/api/app/liasse", manager), 200, None
    yield ("GET", of_bundle, portal.bearer("sub-client-1")), 403, (
        "refused", bundle, BUNDLE, "The caller is neither a user nor a manager of the client", "sub-client-1")
    yield ("GET", of_bundle, portal.bearer("sub-gestionnaire-1")), 403, (
        "refused", bundle, BUNDLE, NO_PERMISSION.format("PortailClients.Dashboard.Host"), "sub-gestionnaire-1")
    yield ("GET", list_of_managers, portal.bearer("sub-client-1")), 403, (
        "refused", list_of_managers, None, NO_PERMISSION.format("PortailClients.Dashboard.Host"), "sub-client-1")
    mail_object = "/api/app/objet-courrier/{id}"
    yield ("PUT", mail_object.format(id=1), portal.bearer("sub-client-1")), 403, (
        "refused", mail_object, "1", NO_PERMISSION.format("PortailClients.ObjetsCourrier.Update"), "sub-client-1")
    yield ("GET", of_bundle, {}), 401, ("refused", bundle, BUNDLE, "No bearer token was sent", None)
    yield ("GET", of_bundle, {"Authorization": "Bearer secret"}), 401, (
        "refused", bundle, BUNDLE, "The token is not a compact JWS of three parts", None)


def lines(server):
    """Returns the lines of the host's output, which may have a prefix of the host."""
    return [json.loads(line[line.index("{"):]) for line in server.output().splitlines() if '"event":"access"' in line]


def check(test, server, portal, before=()):
    """Sends the requests to a host that serves fixtures/portail.json with SETTINGS; `before` are the access lines that its log has."""
    expected = []
    for (method, target, headers), status, line in requests(portal):
        headers = headers | {"X-Correlation-Id": f"request-{len(expected)}"}
        test.assertEqual(server.ask(target, headers, method)[0], status, target)
        if line:
            expected.append((f"request-{len(expected)}", method, status, *line[:-1], line[-1] and pseudonym(line[-1])))
    test.assertEqual(len(expected), 8)
    found = until(lambda: (written := lines(server)[len(before):])[len(expected) - 1:] and written, "access lines")
    test.assertEqual([(line["correlationId"], line["method"], line["status"], line["access"], line["route"], line["entity"],
                       line.get("reason"), line["subject"]) for line in found], expected)
    for line in found:
        test.assertEqual(list(line), [member for member in MEMBERS if member != "reason" or line["status"] > 400])
        test.assertEqual((line["level"], line["event"]), ("info", "access"))
        test.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
    test.assertNotIn("secret", server.output())

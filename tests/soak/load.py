"""The clients of a soak: readers of every persona, writers, slow clients, operators, and imports. Each is a thread that runs until `load.over` is
set, and reports every failure to `load`."""

import contextlib
import json
import random
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

from audit import configuration
from support.management import management_port
from support.program import AUDIENCE, ISSUER, PATIENCE, PROGRAM, Connection, clean_environment, must_run, run
from support.valkey import Valkey

UPDATE = "PortailClients.ObjetsCourrier.Update"
DASHBOARD = "PortailClients.Dashboard.Host"
PERSONAS = {"client": ("sub-client",), "manager": ("sub-manager", "--permission", DASHBOARD),
            "administrator": ("sub-admin", "--permission", UPDATE),
            "operator": ("sub-operator", "--permission", "PortailClients.Administration")}
OBJECT = "/api/app/objet-courrier"
LIST = "/api/app/liasse"
STORE_IS_BUSY = 503  # for example if a directory's writer stalls for 5 s; the outcome of a change is then read
RERUN_ADVICE = "fix the cause and run the import again"  # the same for an import
NO_ENGINE = "cannot be"  # used, or locked: the engine of the store is being restarted
# An export of what an interrupted import left, a migration, and over PostgreSQL an import whose end the engine has not yet noticed.
LOCKED = "another import is running"


class Tokens:
    """The tokens of all personas, of one key; a rotation replaces them."""

    def __init__(self, keys):
        self.keys, self.of = keys, {}
        for persona, subject in PERSONAS.items():
            self.of[persona] = must_run("token", "--keys", keys, "--issuer", ISSUER, "--audience", AUDIENCE, "--subject", *subject).strip()


class Endpoint:
    """One server of the store, across restarts. A client that loses its connection reconnects through it."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.generation = 1  # starts of the server so far
        self.is_killed = False  # while set, answers may end at any byte
        self.may_disconnect = False  # while set, connections may end between two answers


class Management:
    """The management listener of a server that stays."""

    def __init__(self, server):
        self.port, self.tls = management_port(server), server.tls

    def connect(self):
        return Connection(self.port, self.tls)


class Load:
    """What all clients share."""

    def __init__(self, portal, template, tokens, endpoints, seed):
        self.portal, self.template, self.tokens, self.endpoints, self.seed = portal, template, tokens, endpoints, seed
        self.over = threading.Event()
        self.is_engine_down = False  # while set, the store is unavailable, and answers may end at any byte
        self.engine_ends = 0
        self.lock = threading.Lock()
        self.failures, self.latencies, self.counts = [], [], {}

    def fail(self, what):
        with self.lock:
            self.failures.append(what)
        self.over.set()

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + number

    def answered(self, endpoint, seconds):
        with self.lock:
            self.counts["requests"] = self.counts.get("requests", 0) + 1
            if endpoint is self.endpoints[0]:
                self.latencies.append((time.monotonic(), seconds))


class Client(threading.Thread):
    """Sends one request after the other, and reconnects if the server closes the connection."""

    def __init__(self, load, endpoint, number):
        super().__init__(daemon=True)
        self.load, self.endpoint, self.connection = load, endpoint, None
        self.own_generation = 0  # the start of the server that the connection belongs to
        self.random = random.Random(f"{load.seed} {type(self).__name__} {number}")

    def run(self):
        try:
            while not self.load.over.is_set():
                self.turn()
                self.load.over.wait(self.random.uniform(0, 0.02))
        except Exception as error:  # noqa: BLE001: any failure of a client fails the soak
            self.load.fail(f"{type(self).__name__} at {self.endpoint.name}: {error!r}")
        finally:
            if self.connection:
                self.connection.close()

    def ask(self, method, target, persona=None, headers=(), body=b""):
        """Returns the answer, or None if the server ended or its store was busy: the outcome of the request is then unknown."""
        while True:
            tokens, engine_ends = self.load.tokens, self.load.engine_ends
            auth = [("Authorization", f"Bearer {tokens.of[persona]}")] if persona else []
            began = time.monotonic()
            answer = self.try_request(method, target, [*auth, *headers], body)
            if answer is None:
                return None
            # The token's key was removed by a rotation: retry with a new token.
            if answer.status == 401 and persona and tokens is not self.load.tokens:
                continue
            self.load.answered(self.endpoint, time.monotonic() - began)
            if answer["Connection"] == "close":
                self.disconnect()
            if answer.status == STORE_IS_BUSY:
                self.load.count("answered 503" if self.had_engine(engine_ends) else "answered 503 without the engine")
                return None
            return answer

    def try_request(self, method, target, headers, body):
        engine_ends = self.load.engine_ends
        try:
            if not self.connection:
                self.own_generation = self.endpoint.generation
                self.connection = self.endpoint.server.connect()
            answer = self.connection.request(method, target, headers, body)
        except EOFError:
            if not self.endpoint.is_killed and self.own_generation == self.endpoint.generation and self.had_engine(engine_ends):
                raise
            answer = None
        except OSError:
            answer = None
        if answer is None:
            self.disconnect()
            if not self.endpoint.may_disconnect and self.own_generation == self.endpoint.generation and self.had_engine(engine_ends) \
                    and not self.load.over.is_set():
                raise AssertionError(f"{method} {target}: the connection ended")
            time.sleep(0.05)
        return answer

    def had_engine(self, engine_ends):
        """Returns whether the store was available since the engine had ended so many times."""
        return not self.load.is_engine_down and self.load.engine_ends == engine_ends

    def disconnect(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def expect(self, answer, status, what):
        if answer.status != status:
            raise AssertionError(f"{what}: {answer.status} instead of {status}: {answer.body[:300]!r}")


class Reader(Client):
    """Reads as every persona, and anonymously."""

    def turn(self):
        self.random.choice([self.own_bundles, self.own_bundles, self.one_bundle, self.one_bundle, self.managed_bundles,
                            self.mail_objects, self.mail_objects, self.template_file, self.refusals])()

    def check_bundles(self, answer, people):
        if answer is None:
            return
        self.expect(answer, 200, "a list")
        found = {bundle["id"]: bundle for bundle in answer.json()}
        wanted = {bundle["id"] for bundle in self.load.portal["liasses"] if bundle["numeroTiers"] in people}
        if found.keys() != wanted:
            raise AssertionError(f"a list of {len(found)} bundles instead of {len(wanted)}")
        for bundle in found.values():
            check_version(bundle)

    def own_bundles(self):
        self.check_bundles(self.ask("GET", LIST, "client"), people_of(self.load.portal, "utilisateurs"))

    def managed_bundles(self):
        self.check_bundles(self.ask("GET", f"{LIST}/dashboard-list", "manager"), people_of(self.load.portal, "gestionnaires"))

    def one_bundle(self):
        bundle = self.random.choice(self.load.portal["liasses"])
        answer = self.ask("GET", f"{LIST}/{bundle['id']}", "client")
        if answer is None:
            return
        mine = bundle["numeroTiers"] in people_of(self.load.portal, "utilisateurs")
        self.expect(answer, 200 if mine else 403, bundle["id"])
        if mine:
            check_version(answer.json())

    def mail_objects(self):
        answer = self.ask("GET", f"{OBJECT}/list-all", "administrator")
        if answer is None:
            return
        self.expect(answer, 200, "the mail objects")
        if len(answer.json()) != len(self.load.portal["objetsCourrier"]):
            raise AssertionError(f"{len(answer.json())} mail objects")

    def template_file(self):
        answer = self.ask("GET", f"{OBJECT}/1/fichier-modele", "client")
        if answer is not None:
            self.expect(answer, 200, "a template file")
            if answer.body != self.load.template:
                raise AssertionError("another template file")

    def refusals(self):
        forged = self.load.tokens.of["client"][:-8] + "AAAAAAAA"
        for headers, target, status in [([], LIST, 401), ([("Authorization", f"Bearer {forged}")], LIST, 401),
                                        ([], "/nowhere", 404)]:
            answer = self.ask("GET", target, headers=headers)
            if answer is None:
                return
            self.expect(answer, status, target)


def check_version(bundle):
    """All fields of a bundle come from the same import."""
    version = bundle["numeroPret"].removeprefix("P-")
    if bundle["nomDossier"] != f"Prêt, version {version}":
        raise AssertionError(f"half a bundle: {bundle}")


def people_of(portal, relation):
    return {person["numeroTiers"] for person in portal["tiers"] if person[relation]}


class Writer(Client):
    """Changes its own mail objects in turn, each PUT with the last ETag that it received."""

    def __init__(self, load, endpoint, number, entries):
        super().__init__(load, endpoint, number)
        self.entries, self.turns, self.tags = entries, 0, {}

    def turn(self):
        entry = self.entries[self.turns % len(self.entries)]
        self.turns += 1
        if entry.identifier not in self.tags and not self.resolve_outcome(entry):
            return
        if self.turns % 16 == 0:
            self.put_late(entry)
        else:
            self.put(entry)

    def resolve_outcome(self, entry):
        """Resolves an unknown outcome: the stored value must be the last acknowledged one, or the one sent last."""
        answer = self.ask("GET", f"{OBJECT}/{entry.identifier}", "administrator")
        if answer is None:
            return False
        self.expect(answer, 200, "a mail object")
        value = configuration(answer.json())
        if fault := entry.fault(value):
            raise AssertionError(fault)
        entry.settle(value)
        self.tags[entry.identifier] = answer["ETag"]
        return True

    def put(self, entry):
        body = entry.next()
        entry.requests += 1
        correlation_id = f"put-{entry.identifier}-{entry.requests}"
        answer = self.send(entry, body, self.tags.pop(entry.identifier), correlation_id)
        if answer is None:
            return
        if answer.status == 200:
            entry.acknowledged = entry.sent
            entry.acknowledged_requests.append(correlation_id)
            self.tags[entry.identifier] = answer["ETag"]
            self.load.count("PUTs acknowledged")
        else:  # only an import can have changed the mail object: it is read again
            self.expect(answer, 412, "a PUT")
            entry.sent = entry.acknowledged
            self.load.count("PUTs refused by their tag")

    def put_late(self, entry):
        """Sends a PUT with an outdated tag: nothing may change."""
        entry.next()
        body = json.dumps({"utilisablePourLiasse": entry.sent[0], "typeAffectation": entry.sent[1]}).encode()
        entry.sent = entry.acknowledged
        del self.tags[entry.identifier]
        answer = self.send(entry, body, '"long-ago"', "late")
        if answer is not None:
            self.expect(answer, 412, "a PUT with an old tag")

    def send(self, entry, body, tag, correlation_id):
        headers = [("Content-Type", "application/json"), ("If-Match", tag), ("X-Correlation-Id", correlation_id)]
        return self.ask("PUT", f"{OBJECT}/{entry.identifier}", "administrator", headers, body)


class Operator(Client):
    """Reads through the management interface, and exports and copies the store by commands."""

    # Why a command may end with status 1: an import, a PUT, a server or the engine's restart prevents it.
    reasons = (LOCKED, "an import changed the store meanwhile", "was changed during the migration", "is used by another process", NO_ENGINE,
               "fix the cause and")

    def __init__(self, load, endpoint, store, folder):
        super().__init__(load, endpoint, 0)
        self.store, self.folder = store, folder

    def turn(self):
        self.random.choice([self.document, self.document, self.counts, self.audit, self.values, self.copy])()

    def document(self):
        """An export has every bundle, each of one version, and can be imported again."""
        try:
            answer = self.ask("GET", "/manage/export", "operator")
        except EOFError:  # the end that an import causes in a store without snapshots
            self.disconnect()
            self.load.count("exports cut off")
            return
        if answer is None or answer.status == 409:
            return
        self.expect(answer, 200, "an export")
        bundles = answer.json()["liasses"]
        if [bundle["id"] for bundle in bundles] != [bundle["id"] for bundle in self.load.portal["liasses"]]:
            raise AssertionError(f"an export of {len(bundles)} bundles")
        for bundle in bundles:
            check_version(bundle)
        checked = self.ask("POST", "/manage/import?dryRun=true", "operator", [("Content-Type", "application/json")], answer.body)
        if checked is not None:
            self.expect(checked, 200, "a dry run of an export")
            self.load.count("exports")

    def counts(self):
        answer = self.ask("GET", "/manage/check", "operator")
        if answer is not None:
            self.expect(answer, 200, "the counts")
            if answer.json()["bundles"] != len(self.load.portal["liasses"]):
                raise AssertionError(f"counts: {answer.body!r}")

    def audit(self):
        """No record is in no chain without a reason."""
        answer = self.ask("GET", "/manage/audit?action=import", "operator")
        if answer is not None:
            self.expect(answer, 200, "the audit")
            if not all("action" in json.loads(line) for line in answer.body.splitlines()):
                raise AssertionError(f"the audit: {answer.body[-300:]!r}")

    def values(self):
        self.command("exports of values", "export", "--store", self.store, "--format", "redis", "--output", f"{self.folder}/values", "--overwrite")

    def copy(self):
        """A migration that is killed, and another one into the same folder."""
        copy = f"{self.folder}/copy"
        shutil.rmtree(copy, ignore_errors=True)
        process = subprocess.Popen([PROGRAM, "migrate", self.store, f"dir:{copy}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=clean_environment())
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(self.random.uniform(0.02, 0.2))
        process.kill()
        process.wait()
        self.command("migrations", "migrate", self.store, f"dir:{copy}")

    def command(self, what, *arguments):
        engine_ends = self.load.engine_ends
        done = run(*arguments)
        if done.returncode != 0 and (done.returncode != 1 or not any(reason in done.stderr for reason in self.reasons)) \
                and self.had_engine(engine_ends):
            raise AssertionError(f"{what}: {done.returncode}, {done.stderr}")
        self.load.count(what)


class SlowClients(threading.Thread):
    """Connections that request the template file and read nothing, and connections whose head never ends. `readers` are closed and reopened
    soon; `patient` and `heads` stay until the server closes them."""

    def __init__(self, load, endpoint, address, readers=20, patient=6, heads=8):
        super().__init__(daemon=True)
        self.load, self.endpoint, self.address = load, endpoint, address
        self.readers, self.patient, self.heads = ([None] * count for count in (readers, patient, heads))

    def run(self):
        turn = 0
        while not self.load.over.wait(0.2):
            turn += 1
            self.replace(self.readers, turn % len(self.readers), self.ask)
            for kept, begin in ((self.patient, self.ask), (self.heads, self.begin)):
                for i, client in enumerate(kept):
                    if client is None or self.is_ended(client):
                        self.replace(kept, i, begin)
            for client in self.heads:
                self.send_more(client)
        for client in filter(None, self.readers + self.patient + self.heads):
            client.close()

    def replace(self, kept, i, begin):
        if kept[i]:
            kept[i].close()
            self.load.count("slow clients")
        kept[i] = None
        made, own_generation = socket.socket(), self.endpoint.generation
        try:
            kept[i] = made = self.connect(made)
            begin(made)
        except OSError as error:  # the server is being restarted, or stops
            made.close()
            kept[i] = None
            if not self.endpoint.may_disconnect and own_generation == self.endpoint.generation:
                self.load.fail(f"a slow client at {self.endpoint.name}: {error!r}")

    def connect(self, made):
        made.settimeout(PATIENCE)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.bind((self.address, 0))
        made.connect(("127.0.0.1", self.endpoint.server.port))
        if self.endpoint.server.tls:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            made = context.wrap_socket(made)
        return made

    def ask(self, client):
        token = self.load.tokens.of["client"]
        client.sendall(f"GET {OBJECT}/1/fichier-modele HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {token}\r\n\r\n".encode())

    def begin(self, client):
        client.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")

    def send_more(self, client):
        if client:
            try:
                client.sendall(b"x")
            except OSError:
                pass  # is_ended() detects it

    def is_ended(self, client):
        poll = select.poll()
        poll.register(client.fileno(), select.POLLRDHUP)
        return bool(poll.poll(0))


class Importer(threading.Thread):
    """Imports the document's versions in turn, in a separate process; every third import is killed and run again, and every second is sent
    to the management interface."""

    def __init__(self, load, store, documents, engine, management):
        super().__init__(daemon=True)
        self.load, self.store, self.documents, self.engine = load, store, documents, engine
        self.client = Client(load, management, "imports")
        self.random = random.Random(f"{load.seed} imports")
        self.imported = 0  # the index of the last complete import

    def run(self):
        try:
            number = 0
            while not self.load.over.wait(self.random.uniform(0.5, 2)):
                number += 1
                which = number % len(self.documents)
                if number % 3 == 0:
                    self.kill(which)
                (self.send if number % 2 == 1 else self.do)(which)
        except Exception as error:  # noqa: BLE001
            self.load.fail(f"an import: {error!r}")
        finally:
            self.client.disconnect()

    def command(self, which):
        return [PROGRAM, "import", "--store", self.store, self.documents[which]]

    def kill(self, which):
        process = subprocess.Popen(self.command(which), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment())
        try:
            process.wait(self.random.uniform(0.02, 0.4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            self.load.count("imports killed")
        process.wait()

    def send(self, which):
        with open(self.documents[which], "rb") as file:
            document = file.read()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.client.ask("POST", "/manage/import", "operator", [("Content-Type", "application/json")], document)
            if answer is not None and answer.status == 200:
                self.imported = which
                self.load.count("imports over HTTP")
                return
            if answer is not None:
                self.client.expect(answer, 409, "an import over HTTP")
                self.unlock()
            self.load.over.wait(0.1)
        raise AssertionError("no import over HTTP succeeded")

    def do(self, which):
        """Imports; repeats an import that failed for a stated reason: once, or until the engine and the lock of the store are available."""
        reasons = (RERUN_ADVICE, NO_ENGINE, LOCKED) if self.engine else (RERUN_ADVICE, LOCKED)
        end = time.monotonic() + PATIENCE
        for attempt in range(sys.maxsize):
            done = subprocess.run(self.command(which), capture_output=True, text=True, env=clean_environment(), timeout=10 * PATIENCE)
            if done.returncode == 0:
                break
            is_last = time.monotonic() >= end if self.engine or LOCKED in done.stderr else attempt == 1
            if done.returncode != 1 or is_last or not any(reason in done.stderr for reason in reasons):
                raise AssertionError(done.stderr)
            self.load.count("imports stopped")
            self.unlock()
        self.imported = which
        self.load.count("imports")

    def unlock(self):
        """Removes the lock in Redis of a command that has ended without removing it: it would expire in 30 s."""
        if isinstance(self.engine, Valkey):
            with contextlib.suppress(subprocess.CalledProcessError):  # it is being restarted
                self.engine.cli("del", "portail:import")

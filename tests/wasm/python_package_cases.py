"""The cases of python_package_test.py, which need the installed package."""

import asyncio
import base64
import contextlib
import hashlib
import io
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import wsgiref.util
import zipfile

import wasmtime

from portail import Damaged, Fault, FolderStore, Management, MemoryStore, Portal, Store, asgi, wsgi
from portail.development import Development
from portail.folder_store import FAILED, result_of
from portail.quick_calls import Export, Import
from portail.server import Handler, Server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import other_files  # noqa: E402

SAMPLE = json.loads(pathlib.Path(os.environ["TEST_SAMPLE"]).read_text())
SETTINGS = SAMPLE["settings"]
CHANGE = json.dumps({"utilisablePourLiasse": True, "typeAffectation": "Optionnel"}).encode()


def sample_store():
    return MemoryStore({each["key"].encode(): base64.b64decode(each["value"]) for each in SAMPLE["values"]})


def as_persona(name):
    return {"Authorization": f"Bearer {SAMPLE['tokens'][name]}"}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, {name.lower(): value for name, value in headers}, body

    @property
    def json(self):
        return json.loads(self.body)


def ask_wsgi(application, target, headers=None, method="GET", body=b"", **more):
    path, _, query = target.partition("?")
    environ = {"REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": query, "wsgi.url_scheme": "https",
               "wsgi.input": io.BytesIO(body), **more}
    if body:
        environ["CONTENT_LENGTH"] = str(len(body))
    for name, value in (headers or {}).items():
        environ["CONTENT_TYPE" if name == "Content-Type" else f"HTTP_{name.upper().replace('-', '_')}"] = value
    wsgiref.util.setup_testing_defaults(environ)
    started = []
    parts = application(environ, lambda status, fields: started.append((status, fields)))
    content = b"".join(parts)
    if hasattr(parts, "close"):
        parts.close()
    [(status, fields)] = started
    return Answer(int(status.split()[0]), fields, content)


def ask_asgi(application, target, headers=None, method="GET", body=b"", **more):
    path, _, query = target.partition("?")
    fields = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    fields += [(b"content-length", str(len(body)).encode())] if body else []
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "https", "method": method, "path": path,
             "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "headers": fields, **more}
    incoming = [{"type": "http.request", "body": body[:7], "more_body": True}, {"type": "http.request", "body": body[7:]}]
    sent = []

    async def receive():
        return incoming.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(application(scope, receive, send))
    start, *pieces = sent
    return Answer(start["status"], [(name.decode(), value.decode()) for name, value in start["headers"]], b"".join(each["body"] for each in pieces))


class Gateways:
    """The same cases for both interfaces."""

    def ask(self, *arguments, **more):
        return type(self).ask_by(self.application, *arguments, **more)

    def setUp(self):
        self.portal = Portal(sample_store(), SETTINGS)
        self.addCleanup(self.portal.close)
        self.application = self.gateway(self.portal)

    def test_an_answer(self):
        answer = self.ask("/api/app/liasse/L-2024-0002", as_persona("client"))
        self.assertEqual((answer.status, answer.headers["content-type"], answer.json["id"]), (200, "application/json; charset=utf-8", "L-2024-0002"))

    def test_a_query(self):
        answer = self.ask("/api/app/objet-courrier?maxResultCount=1", as_persona("administrator"))
        self.assertEqual(len(answer.json["items"]), 1)

    def test_a_change(self):
        headers = as_persona("administrator") | {"Content-Type": "application/json"}
        answer = self.ask("/api/app/objet-courrier/1", headers, "PUT", CHANGE)
        self.assertEqual((answer.status, answer.json["typeAffectation"]), (200, "Optionnel"))

    def test_a_long_list_in_pieces(self):
        answer = self.ask("/api/app/liasse/dashboard-list", as_persona("manager"))
        self.assertEqual((answer.status, len(answer.json) >= 300), (200, True))

    def test_head_has_no_body(self):
        answer = self.ask("/health/live", method="HEAD")
        self.assertEqual((answer.status, answer.body), (200, b""))

    def test_no_token(self):
        self.assertEqual(self.ask("/api/app/liasse").status, 401)

    def test_a_closed_portal(self):
        portal = Portal(MemoryStore(), SETTINGS)
        application = self.gateway(portal)
        portal.close()
        self.assertEqual(type(self).ask_by(application, "/health/live").status, 503)

    def test_drain(self):
        self.assertEqual(self.ask("/health/ready").status, 200)
        self.portal.drain()
        self.assertEqual(self.ask("/health/ready").status, 503)


class WsgiTest(Gateways, unittest.TestCase):
    gateway, ask_by = staticmethod(wsgi), staticmethod(ask_wsgi)

    def test_the_target_as_received_if_the_server_has_it(self):
        self.assertEqual(self.ask("/x", RAW_URI="/%zz").status, 400)
        self.assertEqual(self.ask("/x", REQUEST_URI="/health/live").status, 200)

    def test_a_body_that_fails(self):
        class Failing:
            def __init__(self, fault):
                self.fault = fault

            def read(self, _):
                raise self.fault

        headers = as_persona("administrator") | {"Content-Type": "application/json"}
        for fault, status in ((TimeoutError(), 408), (ConnectionResetError(), 400)):
            answer = self.ask("/api/app/objet-courrier/1", headers, "PUT", CHANGE, **{"wsgi.input": Failing(fault)})
            self.assertEqual(answer.status, status)

    def test_plain_http_is_refused_unless_a_proxy_is_trusted(self):
        headers = as_persona("client") | {"X-Forwarded-Proto": "https"}
        portal = Portal(sample_store(), SETTINGS | {"PORTAIL_TRANSPORT": "forwarded"})
        self.addCleanup(portal.close)
        for trusts, status in ((False, 403), (True, 200)):
            application = wsgi(portal, trust_forwarding=trusts)
            answer = ask_wsgi(application, "/api/app/liasse", headers, **{"wsgi.url_scheme": "http"})
            self.assertEqual(answer.status, status)


class AsgiTest(Gateways, unittest.TestCase):
    gateway, ask_by = staticmethod(asgi), staticmethod(ask_asgi)

    def test_a_root_path_is_removed(self):
        self.assertEqual(self.ask("/portail/health/live", root_path="/portail").status, 200)

    def test_lifespan(self):
        incoming, sent = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}], []

        async def receive():
            return incoming.pop(0)

        async def send(message):
            sent.append(message["type"])

        asyncio.run(self.application({"type": "lifespan"}, receive, send))
        self.assertEqual(sent, ["lifespan.startup.complete", "lifespan.shutdown.complete"])


class StoreTest(unittest.TestCase):
    def status_of(self, fault):
        class Failing(MemoryStore):
            def get(self, key):
                raise fault

        portal = Portal(Failing(), SETTINGS)
        self.addCleanup(portal.close)
        log = io.StringIO()
        with contextlib.redirect_stderr(log):
            answer = ask_wsgi(wsgi(portal), "/api/app/liasse", as_persona("client"))
        self.assertIn("store: no disk\n", log.getvalue())
        return answer.status

    def test_failures(self):
        self.assertEqual(self.status_of(RuntimeError("no disk")), 503)
        self.assertEqual(self.status_of(OSError("no disk")), 503)
        self.assertEqual(self.status_of(Damaged("no disk")), 500)

    def test_a_store_must_have_its_methods(self):
        class Incomplete(Store):
            def get(self, key):
                return None

        with self.assertRaisesRegex(TypeError, "abstract methods '?put'?, '?remove'?"):
            Incomplete()

    def test_compare_and_swap_of_the_base_class(self):
        store = MemoryStore({b"a": b"1"})
        self.assertEqual([store.compare_and_swap(b"a", b"2", b"3"), store.compare_and_swap(b"a", b"1", b"3"), store.get(b"a")], [False, True, b"3"])
        self.assertEqual([store.compare_and_swap(b"b", None, b"4"), store.compare_and_swap(b"b", None, b"5"), store.get(b"b")], [True, False, b"4"])


class FolderTest(unittest.TestCase):
    def test_what_a_folder_may_hold(self):
        remedy = "`portail import --store dir:{0} DOCUMENT` makes one there"
        for name, make, opened, created in (
                ("missing", lambda folder: None, f"{{0}} does not exist: {remedy}", None),
                ("n\udcffm", lambda folder: None, f"{{0}} does not exist: {remedy}", None),
                ("empty", pathlib.Path.mkdir, f"{{0}} holds no portal: {remedy}", None),
                ("other", self.make_others, "{0} holds other files and no store (notes): name an empty or a new folder", ...),
                ("file", pathlib.Path.touch, "{0} is not a folder", ...),
                ("file/below", lambda folder: None, "{0} cannot be read: another kind of file",
                 "{0} cannot be created: another kind of file"),
                ("missing/below", lambda folder: None, f"{{0}} does not exist: {remedy}", "{0} cannot be created: its parent folder does not exist: create it first"),
                ("a" * 256, lambda folder: None, "{0} cannot be read: the host's log has the reason", "{0} cannot be created: the host's log has the reason"),
                ("portal", self.make_portal, None, None)):
            for create, expected in ((False, opened), (True, opened if created is ... else created)):
                with self.subTest(name, create=create), tempfile.TemporaryDirectory() as parent:
                    (pathlib.Path(parent) / "file").touch()
                    folder = pathlib.Path(parent) / name
                    make(folder)
                    log = io.StringIO()
                    with contextlib.redirect_stderr(log):
                        self.assertEqual(self.refusal(folder, create), expected and expected.format(folder))
                    self.assertEqual(log.getvalue(), "store: File name too long\n" if len(name) == 256 else "")
                    self.assertTrue(expected is not None or folder.is_dir())

    def refusal(self, folder, create):
        try:
            Portal(FolderStore(folder, create=create), SETTINGS).close()
        except Fault as fault:
            return str(fault)
        return None

    def make_others(self, folder):
        folder.mkdir()
        for name in ("notes", "~backup", "lost+found"):
            (folder / name).touch()

    def make_portal(self, folder):
        folder.mkdir()
        (folder / "format").write_text("1")

    def test_a_change_is_seen_by_other_portals_over_the_folder(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for each in SAMPLE["values"]:
            (folder / each["key"]).write_bytes(base64.b64decode(each["value"]))
        store = FolderStore(folder)
        portals = [Portal(store, SETTINGS), Portal(store, SETTINGS),
                   Management(store, SETTINGS | {"PORTAIL_MANAGE_SUBJECTS": "sub-administrateur-1"})]
        for portal in portals:
            self.addCleanup(portal.close)
        writer, reader, management = map(wsgi, portals)
        target, headers = "/api/app/objet-courrier/1", as_persona("administrator")
        self.assertEqual(ask_wsgi(reader, target, headers).json["typeAffectation"], "Obligatoire")
        self.assertEqual(ask_wsgi(writer, target, headers | {"Content-Type": "application/json"}, "PUT", CHANGE).status, 200)
        self.assertEqual([ask_wsgi(each, target, headers).json["typeAffectation"] for each in (writer, reader)], ["Optionnel", "Optionnel"])
        self.assertEqual(ask_wsgi(management, "/manage/status", headers).status, 200)
        self.assertEqual((folder / "~revision").stat().st_size, 2)


class FilesTest(unittest.TestCase):
    """The imports of files, as wasm/abi/portail.h describes them."""

    def test_the_cases_of_files(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(Fault) as ended:
            other_files.make(folder)
            Portal(FolderStore(folder), {}, module=os.environ["TEST_FOLDER_CONFORMANCE"])
        self.assertEqual(str(ended.exception), "19 cases passed")

    def test_what_is_durable(self):
        synced = []
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch("os.fsync", lambda file: synced.append(os.readlink(f"/proc/self/fd/{file}").removeprefix(folder))):
            imports, memory = FolderStore(folder).imports(), types.SimpleNamespace(view=lambda *_: b"", read=lambda *_: b"")
            for name, is_durable in ((b"a", 0), (b"b", 1)):
                imports["file_create"](memory, name, 0, 0, 0, is_durable)
            imports["file_sync"](memory, b"")
        self.assertEqual(synced, ["/b", ""])

    def test_any_other_failure_is_logged_without_the_name(self):
        imports, log = FolderStore("/").imports(), io.StringIO()
        with contextlib.redirect_stderr(log):
            try:
                imports["file_status"](None, b"a" * 256, 8)
            except OSError as fault:
                self.assertEqual(result_of(fault), FAILED)
        self.assertEqual(log.getvalue(), "store: File name too long\n")


class CallsTest(unittest.TestCase):
    def test_numbers_of_both_sizes(self):
        store = wasmtime.Store()
        module = wasmtime.Module(store.engine, """(module
            (import "host" "short" (func $short (param i64 i32) (result i32)))
            (import "host" "long" (func $long (result i64)))
            (func (export "short") (result i32) (call $short (i64.const -2) (i32.const -1)))
            (func (export "long") (result i32) (i64.eq (call $long) (i64.const -0x200000003))))""")
        linker, received = wasmtime.Linker(store.engine), []
        functions = {"short": lambda *numbers: received.append(numbers) or -3, "long": lambda: -0x200000003}
        imports = [Import(linker, each.module, each.name, functions[each.name], each.type) for each in module.imports]
        exports = linker.instantiate(store, module).exports(store)
        self.assertEqual([Export(store, exports[name])() for name in functions], [2**32 - 3, 1])
        self.assertEqual((received, len(imports)), ([(2**64 - 2, 2**32 - 1)], 2))


class DevelopmentTest(unittest.TestCase):
    def setUp(self):
        self.development = Development()
        portal = Portal(self.development.store, self.development.settings)
        self.addCleanup(portal.close)
        self.application = wsgi(portal)

    def ask(self, target, token):
        return ask_wsgi(self.application, target, {"Host": "localhost", "Authorization": f"Bearer {token}"}, **{"wsgi.url_scheme": "http"})

    def test_the_bundle_of_a_client(self):
        answer = self.ask("/api/app/liasse/L-2024-0002", self.development.token("sub-client-1"))
        self.assertEqual((answer.status, answer.json["id"], answer.json["completion"]), (200, "L-2024-0002", 66.66666666666667))

    def test_a_role_grants_the_dashboard(self):
        for roles, status in (((), 403), (("gestionnaire",), 200)):
            self.assertEqual(self.ask("/api/app/liasse/dashboard-list", self.development.token("sub-gestionnaire-1", *roles)).status, status)

    def test_a_permission_of_the_token(self):
        token = self.development.token("any", permissions=["PortailClients.Administration"])
        management = Management(self.development.store, self.development.settings)
        self.addCleanup(management.close)
        self.assertEqual(ask_wsgi(wsgi(management), "/manage/status", {"Authorization": f"Bearer {token}"}).status, 200)

    def test_the_token_of_another_key_is_refused(self):
        self.assertEqual(self.ask("/api/app/liasse", Development().token("sub-client-1")).status, 401)


class ConstructionTest(unittest.TestCase):
    def fault(self, settings, **more):
        with self.assertRaises(Fault) as raised:
            Portal(MemoryStore(), settings, **more)
        return str(raised.exception)

    def test_settings(self):
        self.assertEqual(self.fault({}), "no issuer: set PORTAIL_ISSUER to the iss of the tokens")
        self.assertEqual(self.fault(SETTINGS | {"PORTAIL_TENNANT": "a"}), "unknown setting PORTAIL_TENNANT; did you mean PORTAIL_TENANT?")
        self.assertEqual(self.fault(SETTINGS | {"portail_tenant": "a"}), "unknown setting portail_tenant; did you mean PORTAIL_TENANT?")
        self.assertEqual(self.fault(SETTINGS | {"PORTAIL_PORT": "8443"}), "unknown setting PORTAIL_PORT")
        Portal(MemoryStore(), SETTINGS | {"PATH": "/bin", "PORTAIL_PORT": "tcp://10.0.0.1:8443"}).close()  # a link of Kubernetes

    def test_a_module_of_another_abi_version(self):
        text = """(module (import "portail" "later" (func)) (memory (export "memory") 1) (func (export "_initialize"))
                          (func (export "abi_version") (result i32) i32.const 4))"""
        with tempfile.NamedTemporaryFile(suffix=".wasm") as file:
            file.write(wasmtime.wat2wasm(text))
            file.flush()
            self.assertEqual(self.fault(SETTINGS, module=file.name), f"{file.name} has ABI version 4; this package needs 3")

    def serve(self):
        server = Server(("127.0.0.1", 0), Portal(sample_store(), SETTINGS | {"PORTAIL_TRANSPORT": "loopback"}))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(lambda: (server.shutdown(), thread.join(), server.drain(), server.portal.close()))
        return server

    def test_a_body_that_is_too_long_or_late(self):
        server = self.serve()
        head = ("PUT /api/app/objet-courrier/1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Authorization: {as_persona('administrator')['Authorization']}\r\nContent-Length: ")
        with unittest.mock.patch.object(Handler, "timeout", 2):
            for length, more, status in ((10**19, "Expect: 100-continue\r\n", b"413"), (9, "", b"408")):
                with socket.create_connection(server.server_address, timeout=60) as connection:
                    connection.sendall(f"{head}{length}\r\n{more}\r\n{{".encode())
                    self.assertEqual(connection.recv(65536)[:12], b"HTTP/1.1 " + status)

    def test_a_client_that_sends_a_long_body_after_its_answer(self):
        server = self.serve()
        size = 3 * 1024 * 1024
        with socket.create_connection(server.server_address, timeout=60) as connection:
            connection.sendall(b"PUT /api/app/objet-courrier/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % size)
            received = b""
            while not received.endswith(b"}}"):
                received += connection.recv(65536)
            self.assertTrue(received.startswith(b"HTTP/1.1 401 "), received)
            for _ in range(size // 65536):
                connection.sendall(bytes(65536))
            self.assertEqual(connection.recv(1), b"")

    def test_management(self):
        management = Management(sample_store(), SETTINGS | {"PORTAIL_MANAGE_SUBJECTS": "sub-administrateur-1"})
        self.addCleanup(management.close)
        for target, status in (("/manage/status", 200), ("/api/app/liasse", 404)):
            self.assertEqual(ask_wsgi(wsgi(management), target, as_persona("administrator")).status, status)


class WheelTest(unittest.TestCase):
    def setUp(self):
        [path] = pathlib.Path(os.environ["TEST_WHEELS"]).glob("*.whl")
        self.archive = self.enterContext(zipfile.ZipFile(path))

    def test_the_record_has_the_hash_of_each_file(self):
        [record] = [name for name in self.archive.namelist() if name.endswith(".dist-info/RECORD")]
        rows = [line.split(",") for line in self.archive.read(record).decode().splitlines()]
        self.assertEqual({name for name, *_ in rows}, set(self.archive.namelist()))
        for name, digest, size in rows:
            if name != record:
                content = self.archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))))

    def test_it_is_typed(self):
        self.assertIn("portail/py.typed", self.archive.namelist())
        program = """
from portail import FolderStore, Management, MemoryStore, Portal, Request, Store, asgi, wsgi

store: Store = MemoryStore({b"a": b"1"})
portal = Portal(store, {"PORTAIL_ISSUER": "a"})
request: Request = portal.begin(0, b"GET", b"/", [])
wsgi(portal, trust_forwarding=True)
asgi(portal)
Management(FolderStore("data", create=True), {"PORTAIL_ISSUER": "a"})
Portal(store, {"PORTAIL_ISSUER": 5})
Portal({}, {})
store.get("a")
"""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "program.py").write_text(program)
            done = subprocess.run(["mypy", "--strict", "--python-executable", sys.executable, "--cache-dir", os.devnull, "program.py"], cwd=folder,
                                  capture_output=True, text=True)
        self.assertEqual([line.split(": ", 1)[0] for line in done.stdout.splitlines() if " error: " in line],
                         ["program.py:10", "program.py:11", "program.py:12"], done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()

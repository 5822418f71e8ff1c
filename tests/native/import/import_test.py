"""import --if-changed: one run for a file, a URL or standard input, with sources that change, are cut off, go backwards or are missing."""

import contextlib
import datetime
import fcntl
import gzip
import hashlib
import json
import os
import pathlib
import re
import socket
import stat
import subprocess
import threading
import time
import unittest

from support.connect_proxy import ConnectProxy
from support.program import PROGRAM, PortailTest, Worker, clean_environment, must_run, run, until
from http_server import tls_context
from key_provider import KeyProvider

EMPTY = "unchanged        {}\n"
OLD, NEW = "Mon, 15 Jan 2024 09:30:00 GMT", "Tue, 16 Jan 2024 09:30:00 GMT"
RUN = r"[0-9a-f]{32}"
NAME = re.compile(rf"\d{{8}}T\d{{6}}\.\d{{6}}Z-({RUN})\.jsonl")
TIME = re.compile(r',"time":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"\}$')


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Source:
    """A handler of KeyProvider that serves `body` with `headers`, honours If-None-Match and If-Modified-Since by equality, and keeps the
    headers of each request."""

    def __init__(self, body, **headers):
        self.body, self.headers, self.asked = body, headers, []

    def __call__(self, handler):
        self.asked.append({name: handler.headers[name] for name in ("If-None-Match", "If-Modified-Since") if handler.headers[name]})
        if self.asked[-1] and self.asked[-1] in ({"If-None-Match": self.headers.get("ETag")},
                                                 {"If-Modified-Since": self.headers.get("Last-Modified")}):
            handler.send_response(304)
            handler.end_headers()
            return
        handler.send(200, self.body, **self.headers)


class ImportTest(PortailTest):
    @classmethod
    def make_keys(cls):
        """No test needs keys."""

    @classmethod
    def make_certificate(cls, *_):
        """No test needs the certificate of a server."""

    def setUp(self):
        self.own = self.path(self.id().rsplit(".", 1)[-1])
        self.times = 0  # of published lines
        os.mkdir(self.own)
        self.store, self.state = f"lmdb:{self.own}/store", f"{self.own}/state"
        self.provider = self.enterContext(KeyProvider())
        self.url = f"{self.provider.url}/portail.json"

    def if_changed(self, source, *flags, **options):
        return run("import", "--if-changed", "--store", self.store, "--state", self.state, source, *flags, **options)

    def plainly(self, source, *flags, **options):
        return run("import", "--store", self.store, source, *flags, **options)

    def serve(self, body, **headers):
        """Serves the body at self.url."""
        source = Source(body, **headers)
        self.provider.documents["/portail.json"] = source
        return source

    def portal(self, bundles=2):
        """Returns the bytes of a document."""
        with open(self.document(f"{os.path.basename(self.own)}/made.json", bundles=bundles), "rb") as file:
            return file.read()

    def dropped(self, data, name="portail.json", modified=None):
        """Puts the bytes into a file, by renaming."""
        path = f"{self.own}/{name}"
        with open(f"{path}.new", "wb") as file:
            file.write(data)
        if modified is not None:
            os.utime(f"{path}.new", (modified, modified))
        os.rename(f"{path}.new", path)
        return path

    def bundles(self):
        """Returns the number of bundles in the store."""
        return len(json.loads(must_run("export", "--store", self.store))["liasses"])

    def state_file(self):
        [name] = [name for name in os.listdir(self.state) if name.endswith(".json")]
        return f"{self.state}/{name}"

    def edit_state(self, **members):
        """Changes members of the state."""
        with open(self.state_file(), encoding="utf-8") as file:
            state = json.load(file) | members
        with open(self.state_file(), "w", encoding="utf-8") as file:
            json.dump(state, file)

    def read_state(self):
        with open(self.state_file(), encoding="utf-8") as file:
            return json.load(file)

    def assert_imported(self, done, bundles):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("liasses ", done.stdout)
        self.assertEqual(self.bundles(), bundles)

    def assert_unchanged(self, done, source):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, EMPTY.format(source), ""))

    # A file

    def test_a_file_is_imported_once(self):
        file = self.dropped(self.portal(), modified=1705310000)
        done = self.if_changed(file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "objetsCourrier   3 added, 0 changed, 0 unchanged, 0 removed\n"
                                      "tiers            1 added, 0 changed, 0 unchanged, 0 removed\n"
                                      "liasses          2 added, 0 changed, 0 unchanged, 0 removed\n"
                                      "deposits         0\n")
        state = self.read_state()
        self.assertLess(abs(state.pop("succeeded") - time.time()), 60)
        self.assertEqual(state, {"source": file, "sha256": sha256(self.portal()), "modified": 1705310000})
        self.assert_unchanged(self.if_changed(file), file)
        os.utime(file)  # newer, with the same content
        self.assert_unchanged(self.if_changed(file), file)
        self.assert_imported(self.if_changed(self.dropped(self.portal(3))), 3)
        self.assertEqual(sorted(os.listdir(self.state)), sorted(os.path.basename(self.state_file()).replace("json", end) for end in ("json", "lock")))
        for name in (".", *os.listdir(self.state)):
            self.assertEqual(oct(os.stat(f"{self.state}/{name}").st_mode & 0o777), "0o700" if name == "." else "0o600", name)

    def test_what_the_store_lost_is_imported_again(self):
        folder = pathlib.Path(self.own, "folder")
        self.store = f"dir:{folder}"
        self.serve(self.portal(), ETag='"1"')
        for source in (self.dropped(self.portal()), self.url):
            self.assert_imported(self.if_changed(source), 2)
            self.assert_unchanged(self.if_changed(source), source)
            (folder / "catalogue.0").unlink()
            self.assert_imported(self.if_changed(source), 2)
            configuration = (folder / "configuration").read_text()
            (folder / "configuration").write_text(configuration.replace("\tcomplete\t", "\tbegun\t"))
            self.assert_imported(self.if_changed(source), 2)
            self.assert_unchanged(self.if_changed(source), source)

    def test_a_plain_import_and_an_empty_store_import_again(self):
        file = self.dropped(self.portal())
        self.assert_imported(self.if_changed(file), 2)
        done = self.plainly(file)
        self.assertIn("liasses          0 added, 0 changed, 2 unchanged, 0 removed\n", done.stdout)
        # Another store has another state, and a store that was replaced by an empty one gets the document.
        first, self.store = self.store, f"lmdb:{self.own}/other"
        self.assert_imported(self.if_changed(file), 2)
        self.store = first
        for name in os.listdir(f"{self.own}/store"):
            os.remove(f"{self.own}/store/{name}")
        self.assert_one_line(self.if_changed(file, "--checksum", f"{self.own}/missing", "--max-age", "1d"), 1,
                             "no run has succeeded yet")
        self.assert_imported(self.if_changed(file), 2)

    def test_template_files_are_beneath_the_folder_of_the_file_or_the_root(self):
        portal = json.loads(self.portal())
        portal["objetsCourrier"][0]["fichierModele"] = {"nomFichier": "a.pdf", "chemin": "modeles/a.pdf", "type": "application/pdf"}
        os.mkdir(f"{self.own}/modeles")
        with open(f"{self.own}/modeles/a.pdf", "w", encoding="ascii") as file:
            file.write("%PDF-1.4")
        data = json.dumps(portal).encode()
        self.assert_imported(self.if_changed(self.dropped(data)), 2)
        self.serve(data)
        for imported in (self.if_changed, self.plainly):
            done = imported(self.url)
            self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                             (1, "objetsCourrier[0].fichierModele.chemin: the folder of the template files is unknown: give --root"))
            self.assertEqual(done.stderr.splitlines()[1:], [f"portail: nothing was imported: 1 fault in {self.url}"])
            self.assert_imported(imported(self.url, "--root", self.own), 2)

    def test_a_file_that_changes_while_it_is_read(self):
        self.assert_imported(self.if_changed(self.dropped(self.portal())), 2)
        portal = json.loads(self.portal(3))
        file = self.dropped(json.dumps(portal).encode() + b" " * 30_000_000)
        end = threading.Event()

        def touch():
            at = time.time_ns()
            while not end.is_set():
                at += 1
                os.utime(file, ns=(at, at))

        touching = Worker(touch)
        touching.start()
        try:
            done = self.if_changed(file)
        finally:
            end.set()
            touching.join()
        self.assert_one_line(done, 1, f"cannot read {file}: it changed while it was read, 3 times; replace it by renaming; the last run "
                                      "succeeded at 20")
        self.assertEqual(self.bundles(), 2)
        self.assert_imported(self.if_changed(file), 3)

    def test_a_file_that_is_cut_off(self):
        self.assert_imported(self.if_changed(self.dropped(self.portal())), 2)
        before = self.read_state()
        file = self.dropped(self.portal(3)[:-30])
        done = self.if_changed(file)
        self.assertEqual((done.returncode, done.stderr), (1, "liasses[2]: the document ends within it (line 1)\n"
                                                             f"portail: nothing was imported: 1 fault in {file}\n"))
        self.assertEqual((self.bundles(), self.read_state()), (2, before))

    def test_a_file_that_goes_backwards(self):
        newer = datetime.datetime(2024, 1, 16, 9, 30, tzinfo=datetime.timezone.utc).timestamp()
        file = self.dropped(self.portal(), modified=newer)
        self.assert_imported(self.if_changed(file), 2)
        self.dropped(self.portal(), modified=newer - 172_800)  # the same content
        self.assert_unchanged(self.if_changed(file), file)
        self.dropped(self.portal(3), modified=newer - 86_400)
        self.assert_one_line(self.if_changed(file), 1, f"portail: {file} is of 2024-01-15T09:30:00Z, older than the imported version of "
                                                 "2024-01-16T09:30:00Z; if it must be imported, give --allow-older")
        self.assertEqual(self.bundles(), 2)
        self.assert_imported(self.if_changed(file, "--allow-older"), 3)
        self.assertEqual(self.read_state()["modified"], newer - 86_400)

    def test_a_file_that_is_missing_for_a_day(self):
        file = f"{self.own}/portail.json"
        missing = f"portail: cannot read {file}: No such file or directory; "
        done = self.if_changed(file, "--max-age", "2d")
        self.assert_one_line(done, 1, f"{missing}no run has succeeded yet")
        self.assert_imported(self.if_changed(self.dropped(self.portal())), 2)
        os.remove(file)
        succeeded = int(time.time()) - 86_400
        self.edit_state(succeeded=succeeded)
        at = datetime.datetime.fromtimestamp(succeeded, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for flags, status, end in (([], 1, ""), (["--max-age", "86400"], 1, ""), (["--max-age", "2d"], 0, ", within --max-age")):
            with self.subTest(flags=flags):
                done = self.if_changed(file, *flags)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (status, "", f"{missing}the last run succeeded at {at}{end}\n"))
                self.assertEqual(self.read_state()["succeeded"], succeeded)
        self.assert_unchanged(self.if_changed(self.dropped(self.portal())), file)
        self.assertGreater(self.read_state()["succeeded"], succeeded + 80_000)

    def test_what_is_no_file(self):
        for source, reason in ((self.own, "it is not a regular file"), ("/dev/zero", "it is larger than 1 MiB")):
            self.assert_one_line(self.if_changed(source, "--max-age", "1d", "--max-size", "1"), 1, f"cannot read {source}: {reason}")
        self.assert_one_line(self.plainly(self.own), 1, "Is a directory")
        file = self.dropped(b" " * (1024 * 1024 + 1))
        self.assert_one_line(self.if_changed(file, "--max-size", "1"), 1, f"cannot read {file}: it is larger than 1 MiB")

    def test_standard_input(self):
        text = self.portal().decode()
        self.assert_imported(self.if_changed("-", stdin=text), 2)
        state = self.read_state()
        del state["succeeded"]
        self.assertEqual(state, {"source": "-", "sha256": sha256(self.portal())})
        self.assert_unchanged(self.if_changed("-", stdin=text, cwd=self.own), "-")
        self.assert_imported(self.if_changed("-", stdin=self.portal(3).decode()), 3)
        self.assert_imported(self.plainly("-", stdin=self.portal(4).decode()), 4)
        self.assert_one_line(self.if_changed("-", "--max-size", "1", stdin=" " * (1024 * 1024 + 1)), 1, "cannot read standard input: it is larger than 1 MiB")
        for imported in (self.if_changed, self.plainly):
            self.assert_one_line(imported("-", preexec_fn=lambda: os.close(0)), 1, "cannot read standard input: Bad file descriptor")
        missing = f"{self.own}/missing"
        self.assert_one_line(self.plainly("-", stdin=text, environment={"TMPDIR": missing}), 1,
                             f"cannot write to the folder {missing}: No such file or directory; set TMPDIR to one that this user may write to")
        self.assert_one_line(self.if_changed("-", stdin=text, environment={"TMPDIR": missing}), 1, f"cannot write to the folder {missing}: ")

    # A checksum

    def test_a_checksum(self):
        data = self.portal()
        file = self.dropped(data)
        right, wrong = sha256(data), sha256(b"other")
        sums = f"{self.own}/SHA256SUMS"
        for text, refused in ((f"{wrong}  portail.json\n", f"{file} has the SHA-256 {right}, but {sums} has {wrong}; nothing was imported"),
                              (f"{wrong}\n", f"but {sums} has {wrong}"),
                              (f"{right}  a.json\n{wrong} *portail.json\n", f"but {sums} has {wrong}"),
                              (f"{right}  a.json\n{right}  b.json\n", f"{sums} has no SHA-256 of {file}; write it with sha256sum"),
                              (f"{right}x  portail.json\n", "has no SHA-256"), (f"{right[1:]}  portail.json\n", "has no SHA-256"),
                              ("", "has no SHA-256")):
            with self.subTest(text=text):
                self.dropped(text.encode(), "SHA256SUMS")
                self.assert_one_line(self.if_changed(file, "--checksum", sums, "--max-age", "1d"), 1, refused)
                self.assertEqual(os.listdir(self.state), [os.path.basename(name) for name in os.listdir(self.state) if name.endswith(".lock")])
        os.remove(sums)
        self.assert_one_line(self.if_changed(file, "--checksum", sums), 1, f"cannot read {sums}: No such file")
        subprocess.run("sha256sum portail.json >SHA256SUMS", shell=True, check=True, cwd=self.own)
        self.assert_imported(self.if_changed(file, "--checksum", sums), 2)
        for text in (f"{wrong}  a.json\n{right.upper()}  ./portail.json\r\n", right, f"{right}  of-another-name\n"):
            self.dropped(text.encode(), "SHA256SUMS")
            self.assert_unchanged(self.if_changed(file, "--checksum", sums), file)

    def test_a_checksum_by_url(self):
        data = self.portal()
        self.serve(data)
        sums = f"{self.provider.url}/portail.json.sha256"
        self.assert_one_line(self.if_changed(self.url, "--checksum", sums), 1, f"cannot fetch {sums}: answered 404")
        self.provider.documents["/portail.json.sha256"] = f"{sha256(b'other')}  portail.json\n".encode()
        self.assert_one_line(self.if_changed(self.url, "--checksum", sums), 1,
                             f"{self.url} has the SHA-256 {sha256(data)}, but {sums} has {sha256(b'other')}; nothing was imported")
        self.provider.documents["/portail.json.sha256"] = f"{sha256(data)}  portail.json\n".encode()
        self.assert_imported(self.if_changed(self.url, "--checksum", sums), 2)

    # A URL

    def test_a_url_with_an_etag(self):
        source = self.serve(self.portal(), ETag='"one"', **{"Last-Modified": OLD})
        self.assert_imported(self.if_changed(self.url), 2)
        self.assert_unchanged(self.if_changed(self.url), self.url)
        self.assertEqual(source.asked, [{}, {"If-None-Match": '"one"'}])
        state = self.read_state()
        del state["succeeded"]
        self.assertEqual(state, {"source": self.url, "sha256": sha256(self.portal()), "etag": '"one"', "lastModified": OLD, "modified": 1705311000})
        source = self.serve(self.portal(3), ETag='"two"', **{"Last-Modified": NEW})
        self.assert_imported(self.if_changed(self.url), 3)
        self.assertEqual(source.asked, [{"If-None-Match": '"one"'}])
        self.assertIn("3 unchanged", self.plainly(self.url).stdout)
        self.assertEqual(source.asked[1:], [{}])

    def test_a_url_without_an_etag(self):
        source = self.serve(self.portal(), **{"Last-Modified": "yesterday"})
        self.assert_imported(self.if_changed(self.url), 2)
        self.assert_unchanged(self.if_changed(self.url), self.url)
        self.assertEqual(source.asked, [{}, {}])
        source = self.serve(self.portal(), **{"Last-Modified": OLD})
        for _ in range(2):
            self.assert_unchanged(self.if_changed(self.url), self.url)
        self.assertEqual(source.asked, [{}, {"If-Modified-Since": OLD}])

    def test_a_failed_import_is_fetched_again(self):
        source = self.serve(b"{", ETag='"bad"')
        for _ in range(2):
            self.assertEqual(self.if_changed(self.url).returncode, 1)
        self.assertEqual(source.asked, [{}, {}])
        # The changes of a run that cannot be recorded are not made.
        source = self.serve(self.portal(), ETag='"good"')
        self.assert_one_line(self.if_changed(self.url, "--changes", "/proc/changes"), 1, "cannot write the changes to /proc/changes: No such file")
        self.assert_imported(self.if_changed(self.url), 2)
        self.assertEqual(source.asked, [{}, {}])

    def test_a_url_that_is_cut_off(self):
        self.serve(self.portal())
        self.assert_imported(self.if_changed(self.url), 2)
        data = self.portal(3)

        def short(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data[:-1])

        def unfinished_chunks(handler):
            handler.protocol_version = "HTTP/1.1"
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

        for cut in (short, unfinished_chunks):
            with self.subTest(cut.__name__):
                self.provider.documents["/portail.json"] = cut
                self.assert_one_line(self.if_changed(self.url), 1, f"cannot fetch {self.url}: the answer was cut off; the last run succeeded at 20")
                self.assertEqual((self.if_changed(self.url, "--max-age", "1d").returncode, self.bundles()), (0, 2))
        # Without a length, the document itself shows it.
        def until_the_end(handler):
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(data[:-1])

        self.provider.documents["/portail.json"] = until_the_end
        done = self.if_changed(self.url, "--max-age", "1d")
        self.assertEqual((done.returncode, done.stderr.splitlines()[1:]), (1, [f"portail: nothing was imported: 1 fault in {self.url}"]))
        self.assertEqual(self.bundles(), 2)

    def test_a_url_that_goes_backwards(self):
        self.serve(self.portal(), ETag='"two"', **{"Last-Modified": NEW})
        self.assert_imported(self.if_changed(self.url), 2)
        self.serve(self.portal(3), ETag='"one"', **{"Last-Modified": OLD})
        self.assert_one_line(self.if_changed(self.url, "--max-age", "1d"), 1,
                             f"portail: {self.url} is of 2024-01-15T09:30:00Z, older than the imported version of 2024-01-16T09:30:00Z; if it "
                             "must be imported, give --allow-older")
        self.assertEqual((self.bundles(), self.read_state()["etag"]), (2, '"two"'))
        self.assert_imported(self.if_changed(self.url, "--allow-older"), 3)

    def test_documents_without_a_date_keep_the_newest_one(self):
        self.serve(self.portal(), ETag='"one"', **{"Last-Modified": NEW})
        self.assert_imported(self.if_changed(self.url), 2)
        self.serve(self.portal(), ETag='"two"')
        self.assert_unchanged(self.if_changed(self.url), self.url)
        self.serve(self.portal(3), ETag='"three"')
        self.assert_imported(self.if_changed(self.url, "--allow-older"), 3)
        self.serve(self.portal(4), ETag='"four"', **{"Last-Modified": OLD})
        self.assert_one_line(self.if_changed(self.url), 1, "older than the imported version of 2024-01-16T09:30:00Z")
        self.assertEqual((self.bundles(), self.read_state()["etag"]), (3, '"three"'))

    def test_answers_that_are_no_document(self):
        secret = f"{self.url}?key=secret"
        answers = {
            "answered 500": lambda handler: handler.send(500),
            "answered 404": None,
            "answered 429": lambda handler: handler.send(429),
            "answered 403": lambda handler: handler.send(403),
            "answered 302, and redirects are not followed": lambda handler: handler.send(302, Location="/elsewhere"),
            "answered 304 to a request without a condition": lambda handler: handler.send(304),
            "answered 204, and only 200 has the document: check its address": lambda handler: handler.send_response(204) or handler.end_headers(),
            "answered 206, and only 200 has the document: check its address": lambda handler: handler.send(206, self.portal()),
        }
        for words, answer in answers.items():
            with self.subTest(words):
                self.provider.documents["/portail.json?key=secret"] = answer
                for imported in (self.if_changed, self.plainly):
                    done = imported(secret)
                    self.assert_one_line(done, 1, f"cannot fetch {self.url}: {words}")
                    self.assertNotIn("secret", done.stderr)
        self.provider.documents["/portail.json?key=secret"] = self.portal()
        self.assert_imported(self.if_changed(secret), 2)
        self.assertNotIn("secret", json.dumps(self.read_state()))
        # Only what may be better in an hour is a warning.
        for words, status in (("answered 500", 0), ("answered 404", 0), ("answered 429", 0), ("answered 403", 1), ("answered 302", 1), ("answered 206", 1)):
            with self.subTest(words):
                self.provider.documents["/portail.json?key=secret"] = next(answer for name, answer in answers.items() if name.startswith(words))
                self.assert_one_line(self.if_changed(secret, "--max-age", "1h"), status, words)
        self.assertNotIn("/elsewhere", self.provider.requests)

    def test_hostile_sizes(self):
        mebibyte = 1024 * 1024
        sent = []

        def announced(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(10 ** 15))
            handler.end_headers()
            handler.wfile.flush()
            sent.append(handler.rfile.read(1))  # the end of the connection

        def endless(handler):
            handler.send_response(200)
            handler.end_headers()
            while True:
                handler.wfile.write(b" " * 65536)

        for answer in (announced, endless):
            with self.subTest(answer.__name__):
                self.provider.documents["/portail.json"] = answer
                for imported in (self.if_changed, self.plainly):
                    self.assert_one_line(imported(self.url, "--max-size", "1"), 1, f"cannot fetch {self.url}: it is larger than 1 MiB")
        self.provider.documents["/portail.json"] = self.portal() + b" " * (mebibyte - len(self.portal()))
        self.assert_imported(self.if_changed(self.url, "--max-size", "1"), 2)
        self.provider.documents["/portail.json"] = gzip.compress(self.portal())
        self.assertEqual(self.if_changed(self.url).returncode, 1)

    def test_a_source_that_stalls(self):
        end = threading.Event()
        self.addCleanup(end.set)

        def stalled(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b"{")
            handler.wfile.flush()
            end.wait(60)

        self.provider.documents["/portail.json"] = stalled
        self.assert_one_line(self.if_changed(self.url, "--timeout", "1s"), 1, f"cannot fetch {self.url}: timed out")
        end.set()
        self.provider.stop()
        self.assert_one_line(self.if_changed(self.url), 1, f"cannot fetch {self.url}: Could not establish connection")

    def test_wrong_usage(self):
        for source in ("http://lender.example/portail.json", "ftp://127.0.0.1/portail.json", "https://user@lender.example/", "https://"):
            for imported in (self.if_changed, self.plainly):
                self.assert_one_line(imported(source), 2, "the source must be a file, an https URL, or an http URL of a loopback address")
        self.assert_one_line(self.if_changed("portail.json", "--checksum", "http://lender.example/a"), 2, "--checksum must be a file, an https URL")
        self.assert_one_line(self.if_changed("portail.json", "--max-size", "0"), 2, "--max-size must be from 1 to 1048576 MiB")
        self.assert_one_line(self.if_changed("portail.json", "--timeout", "0"), 2, "--timeout must be at least 1 second")
        self.assert_one_line(self.if_changed("portail.json", "--max-age", "-1h"), 2, "--max-age must not be negative")
        for flag, *value in (["--json"], ["--dry-run"], ["--to", "https://portal.invalid"]):
            self.assert_one_line(self.if_changed("portail.json", flag, *value), 2, f"{flag}: leave out --if-changed")
        for flag, *value in (["--state", "a"], ["--checksum", "a"], ["--metrics-file", "a"], ["--max-age", "1d"], ["--allow-older"]):
            self.assert_one_line(self.plainly(self.url, flag, *value), 2, f"portail: {flag} needs --if-changed")
        for flag in ("--token-file", "--client-cert", "--client-key"):
            self.assert_one_line(self.if_changed(self.url, flag, "a"), 2, f"portail: {flag} needs --to")
        for flag, value in (("--ca-file", "a"), ("--part-size", "1")):
            self.assert_one_line(self.plainly("portail.json", flag, value), 2, f"portail: {flag} needs --to")
        for flag, value in (("--max-size", "1"), ("--timeout", "1s")):
            self.assert_one_line(self.plainly("portail.json", flag, value), 2, f"portail: {flag} needs a URL, ")
        self.assertFalse(os.path.exists(self.state))

    def test_settings_from_the_environment(self):
        file = self.dropped(self.portal())
        self.assert_imported(self.plainly(self.dropped(self.portal(3), "more.json")), 3)
        settings = {"PORTAIL_STORE": self.store, "PORTAIL_SYNC_STATE": self.state, "PORTAIL_SYNC_SOURCE": file, "PORTAIL_SYNC_PRUNE": "true",
                    "PORTAIL_SYNC_CHANGES": f"{self.own}/changes"}
        # They are for the unit: a plain import does not read them.
        self.assert_one_line(run("import", environment=settings), 2, "SOURCE is missing")
        self.assert_imported(run("import", file, environment=settings), 3)
        self.assertFalse(os.path.exists(self.state) or os.path.exists(f"{self.own}/changes"))
        self.assert_imported(run("import", "--if-changed", environment=settings), 2)
        self.assertEqual(len(os.listdir(f"{self.own}/changes")), 1)
        self.assert_unchanged(run("import", "--if-changed=true", environment=settings), file)
        other = {"PORTAIL_STORE": self.store, "XDG_STATE_HOME": f"{self.own}/home"}
        self.assert_imported(run("import", "--if-changed", file, environment=other), 2)
        self.assertEqual(len(os.listdir(f"{self.own}/home/portail")), 2)

    # Concurrent runs and damaged files

    def test_another_import_at_the_same_time(self):
        file = self.dropped(self.portal())
        self.assert_imported(self.if_changed(file), 2)
        before = self.read_state()
        self.dropped(self.portal(3))
        with open(f"{self.own}/store/import.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_one_line(self.if_changed(file, "--changes", f"{self.own}/changes"), 1, f"another import is running on {self.own}/store: wait")
        self.assertEqual((self.bundles(), self.read_state(), os.listdir(f"{self.own}/changes")), (2, before, []))
        with open(self.state_file().replace(".json", ".lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.assert_one_line(self.if_changed(file), 1, "another import of this source is running: wait until it ends")
        self.assert_imported(self.if_changed(file), 3)

    def test_a_state_that_is_damaged(self):
        file = self.dropped(self.portal())
        self.assert_imported(self.if_changed(file), 2)
        for text in ("", "{", "[]", '{"sha256":"a"}', '{"sha256":1,"succeeded":1}'):
            with open(self.state_file(), "w", encoding="ascii") as state:
                state.write(text)
            self.assert_one_line(self.if_changed(file), 1, f"{self.state_file()} is not the state of an import: remove it")
        os.remove(self.state_file())
        self.assert_imported(self.if_changed(file), 2)

    # Results

    def published(self):
        """Returns the lines of each published file, in order, with their run."""
        files = []
        for name in sorted(os.listdir(f"{self.own}/changes")):
            with open(f"{self.own}/changes/{name}", encoding="utf-8") as file:
                *changes, summary = file.read().splitlines()
            # Each line of an import ends with its time.
            timed = [TIME.subn("}", line) for line in changes]
            self.times += sum(count for _, count in timed)
            files.append((NAME.fullmatch(name)[1], [*(line for line, _ in timed), summary]))
        return files

    def test_changes(self):
        file = self.dropped(self.portal())
        flags = "--changes", f"{self.own}/changes"
        done = self.if_changed(file, *flags)
        [(run_id, lines)] = self.published()
        [path] = os.listdir(f"{self.own}/changes")
        self.assertTrue(done.stdout.endswith(f"changes          {self.own}/changes/{path}\n"), done.stdout)
        self.assertEqual(oct(os.stat(f"{self.own}/changes/{path}").st_mode & 0o777), "0o600")
        self.assertEqual(lines[:-1], ['{"change":"added","section":"objetsCourrier","entity":1}',
                                      '{"change":"added","section":"objetsCourrier","entity":2}',
                                      '{"change":"added","section":"objetsCourrier","entity":3}',
                                      '{"change":"added","section":"tiers","entity":"T1"}',
                                      '{"change":"added","section":"liasses","entity":"L-00000","pieces":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000000","from":null,"to":"Attendu"}]}',
                                      '{"change":"added","section":"liasses","entity":"L-00001","pieces":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000001","from":null,"to":"Attendu"}]}'])
        self.assertEqual(self.times, 6)
        summary = json.loads(lines[-1])
        self.assertRegex(summary.pop("finished"), r"\A20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertEqual(summary, {"run": run_id, "source": file, "sha256": sha256(self.portal()), "changes": 6})
        # The run is that of the audit.
        self.assertIn(run_id, must_run("audit", "--store", self.store, "--json"))
        self.assert_unchanged(self.if_changed(file, *flags), file)
        self.assertEqual(len(self.published()), 1)

        portal = json.loads(self.portal())
        portal["tiers"][0]["nomTiers"] = "Dupond"
        del portal["liasses"][1]
        self.dropped(json.dumps(portal).encode())
        dry = must_run("import", "--store", self.store, "--dry-run", "--json", "--prune", file).splitlines()[:-1]
        self.assertEqual(self.if_changed(file, *flags, "--prune").returncode, 0)
        [lines] = [lines for run_of_file, lines in self.published() if run_of_file != run_id]
        self.assertEqual(lines[:-1], ['{"change":"changed","section":"tiers","entity":"T1","members":["nomTiers"]}',
                                      '{"change":"removed","section":"liasses","entity":"L-00001","pieces":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000001","from":"Attendu","to":null}]}'])
        self.assertEqual(lines[:-1], dry)
        # Without changes there is no file.
        self.assertIn("liasses          0 added, 0 changed, 1 unchanged, 0 removed\n", self.plainly(file, *flags).stdout)
        self.assertEqual(len(self.published()), 2)

    def test_changes_of_an_import(self):
        changes = f"{self.own}/changes"
        command = "import", "--store", self.store, "--changes", changes
        portal = json.loads(self.portal())
        self.assertRegex(must_run(*command, self.dropped(json.dumps(portal).encode())), rf"\nchanges          {changes}/\S+\.jsonl\n$")
        portal["liasses"][0]["piecesAttendues"][0] |= {"statut": "Rejeté", "motif": "Illisible"}
        # What is interrupted is in the next file.
        pending = f"{changes}/.sync-import.pending"
        with open(pending, "w", encoding="utf-8") as made:
            made.write('{"change":"added","section":"liasses","entity":"L-9"}\n{"change":"added","sect')
        # A failed import publishes nothing.
        self.assertEqual(run(*command, self.write("faulty.json", '{"liasses":[{}]}')).returncode, 1)
        self.assertEqual(len(os.listdir(changes)), 2)
        report = json.loads(must_run(*command, "--json", self.dropped(json.dumps(portal).encode())))
        self.assertEqual(report["sections"]["liasses"]["changed"], 1)
        lines = self.published()[1][1]
        self.assertEqual(lines[:-1], ['{"change":"added","section":"liasses","entity":"L-9"}',
                                      '{"change":"changed","section":"liasses","entity":"L-00000","members":["piecesAttendues"],'
                                      '"pieces":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000000","from":"Attendu","to":"Rejeté"}]}'])
        self.assertEqual((json.loads(lines[-1])["sha256"], json.loads(lines[-1])["changes"]), (None, 2))
        # An unchanged document has none.
        must_run(*command, self.dropped(json.dumps(portal).encode()))
        self.assertEqual(len(os.listdir(changes)), 2)

        with open(pending, "w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assert_one_line(run(*command, self.dropped(self.portal())), 1, f"another import writes to {pending}: wait until it ends")
        os.remove(pending)
        with open(pending, "w", encoding="utf-8"):
            os.chmod(pending, 0o666)
        portal["liasses"][0]["piecesAttendues"][0] |= {"statut": "Attendu", "motif": None}
        must_run(*command, self.dropped(json.dumps(portal).encode()))
        for name in os.listdir(changes):
            self.assertEqual(stat.S_IMODE(os.stat(f"{changes}/{name}").st_mode), 0o600)
        self.assert_one_line(run(*command, "--dry-run", self.own), 2, "--changes: a dry run changes nothing")
        self.assert_one_line(run("import", "--to", "https://portal.invalid", "--changes", changes, self.own), 2, "--changes: leave out --to")

    def test_no_change_of_a_run_that_is_killed_is_lost(self):
        file = self.dropped(self.portal())
        self.assert_imported(self.if_changed(file), 2)
        self.dropped(self.portal(20_000))
        changes = f"{self.own}/changes"
        pending = f"{changes}/.{os.path.basename(self.state_file()).removesuffix('.json')}.pending"

        def has_lines():
            with contextlib.suppress(FileNotFoundError):
                return os.path.getsize(pending) > 0
            return False

        command = ["import", "--if-changed", "--store", self.store, "--state", self.state, file, "--changes", changes]
        with subprocess.Popen([PROGRAM, *command], env=clean_environment(), stdout=subprocess.DEVNULL) as process:
            until(lambda: process.poll() is not None or has_lines(), "a change")
            process.kill()
        must_run(*command)
        lines = [line for _, lines in self.published() for line in lines]
        added = {json.loads(line)["entity"] for line in lines if '"section":"liasses"' in line}
        self.assertEqual(added, {f"L-{i:05}" for i in range(2, 20_000)})
        self.assertEqual(self.bundles(), 20_000)

    def test_a_change_is_written_before_it_is_made(self):
        """The changes cannot be written, since the files of the process are limited to a size."""
        file = self.dropped(self.portal())
        self.store = f"dir:{self.own}/folder"
        self.assert_imported(self.if_changed(file), 2)
        self.dropped(self.portal(3))
        changes = f"{self.own}/changes"
        os.mkdir(changes)
        pending = f"{changes}/.{os.path.basename(self.state_file()).removesuffix('.json')}.pending"
        with open(pending, "w", encoding="utf-8") as made:
            made.write('{"a":1}\n' * 20_000)
        limited = ["prlimit", f"--fsize={os.path.getsize(pending)}", PROGRAM, "import", "--if-changed", "--store", self.store, "--state",
                   self.state, file, "--changes", changes]
        done = subprocess.run(limited, capture_output=True, text=True, env=clean_environment())
        self.assert_one_line(done, 1, f"the import stopped: cannot write the changes to {pending}: File too large")
        self.assertEqual(self.bundles(), 2)
        self.assertEqual(self.if_changed(file, "--changes", changes).returncode, 0)
        self.assertEqual(self.published()[0][1][-2], '{"change":"added","section":"liasses","entity":"L-00002","pieces":[{"id":"3f2504e0-4f89-41d3-9a0c-000000000002","from":null,"to":"Attendu"}]}')

    def test_metrics(self):
        metrics = f"{self.own}/portail_sync.prom"
        file = f'{self.own}/a "quoted" \\ name.json'
        flags = "--metrics-file", metrics

        def read():
            """Returns the values by name, and checks the form of each line."""
            self.assertEqual(stat.S_IMODE(os.stat(metrics).st_mode), 0o644)
            label = file.replace("\\", "\\\\").replace('"', '\\"')
            values = {}
            with open(metrics, encoding="utf-8") as text:
                for line in text:
                    if not line.startswith("#"):
                        name, value = re.fullmatch(r"(\w+)\{source=\"" + re.escape(label) + r"\"\} (\d+)\n", line).groups()
                        values[name] = int(value)
            return values

        started = int(time.time())
        self.assertEqual(self.if_changed(file, *flags, umask=0o077).returncode, 1)
        values = read()
        self.assertEqual((list(values), values["portail_sync_last_exit_status"]),
                         (["portail_sync_last_run_timestamp_seconds", "portail_sync_last_exit_status"], 1))
        self.assertGreaterEqual(values["portail_sync_last_run_timestamp_seconds"], started)
        self.dropped(self.portal(), os.path.basename(file))
        self.assertEqual(self.if_changed(file, *flags).returncode, 0)
        values = read()
        self.assertEqual(values["portail_sync_last_exit_status"], 0)
        self.assertEqual(values["portail_sync_last_success_timestamp_seconds"], self.read_state()["succeeded"])
        os.remove(file)
        self.edit_state(succeeded=started - 1000)
        self.assertEqual(self.if_changed(file, *flags, "--max-age", "1d").returncode, 0)
        values = read()
        self.assertEqual((values["portail_sync_last_exit_status"], values["portail_sync_last_success_timestamp_seconds"]), (0, started - 1000))
        with open(metrics, encoding="utf-8") as text:
            done = subprocess.run(["promtool", "check", "metrics"], stdin=text, capture_output=True, text=True) if has_promtool() else None
        self.assertEqual(done and (done.returncode, done.stderr), done and (0, ""))
        self.dropped(self.portal(), os.path.basename(file))
        self.assert_one_line(self.if_changed(file, "--metrics-file", f"{self.own}/missing/file"), 1, "cannot write ", "/missing/file: No such file")

    def test_https(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{self.own}/key.pem", "-out", f"{self.own}/ca.pem"],
                       check=True, capture_output=True)
        with KeyProvider(f"{self.own}/ca.pem", f"{self.own}/key.pem") as provider:
            provider.documents["/portail.json"] = self.portal()
            url = f"{provider.url}/portail.json"
            for imported in (self.if_changed, self.plainly):
                self.assert_one_line(imported(url), 1, f"cannot fetch {url}: its certificate is not from a trusted authority")
                self.assert_imported(imported(url, "--ca-file", f"{self.own}/ca.pem"), 2)

            # Without a length the answer ends with its connection, which may end without TLS's own end.
            def until_the_end(handler, unwrap, body):
                handler.send_response(200)
                handler.end_headers()
                handler.wfile.write(body)
                if unwrap:
                    handler.connection.unwrap()

            for bundles, unwrap in ((3, True), (4, False)):
                with self.subTest(unwrap=unwrap):
                    provider.documents["/portail.json"] = lambda handler: until_the_end(handler, unwrap, self.portal(bundles))  # noqa: B023
                    provider.documents["/sum"] = lambda handler: until_the_end(handler, unwrap, sha256(self.portal(bundles)).encode())  # noqa: B023
                    self.assert_imported(self.if_changed(url, "--ca-file", f"{self.own}/ca.pem", "--checksum", f"{provider.url}/sum"), bundles)
            provider.documents["/portail.json"] = lambda handler: until_the_end(handler, False, self.portal(5)[:-1])
            self.assertEqual((self.if_changed(url, "--ca-file", f"{self.own}/ca.pem").returncode, self.bundles()), (1, 4))

    def test_a_proxy(self):
        """HTTPS_PROXY and NO_PROXY have the meaning that they have for curl. Only the proxy knows the name."""
        super().make_certificate("lender.pem", "lender.key", "-days", "2", "-addext", "subjectAltName=DNS:lender.test,IP:127.0.0.1")
        url = "https://lender.test/portail.json"
        with KeyProvider(self.path("lender.pem"), self.path("lender.key")) as provider, ConnectProxy(provider.port) as proxy:
            provider.documents["/portail.json"] = self.portal()

            def fetched(**environment):
                unset = {name: "" for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")}
                return self.plainly(url, "--ca-file", self.path("lender.pem"), environment=unset | environment)
            self.assert_imported(fetched(HTTPS_PROXY=proxy.url), 2)
            self.assertEqual(proxy.requests, ["CONNECT lender.test:443"])
            self.assert_one_line(fetched(HTTPS_PROXY=proxy.url, NO_PROXY="lender.test"), 1, f"cannot fetch {url}: ")
            proxy.status = 407
            self.assert_one_line(fetched(https_proxy=proxy.url), 1, f"cannot fetch {url}: the proxy of HTTPS_PROXY or ALL_PROXY answered 407 instead of "
                                 "connecting; give its URL the user and the password that it demands")
            self.assertEqual(len(proxy.requests), 2)
            for wrong in ("http://user:s3/cret@127.0.0.1:1", "http://user:s3cret@x@127.0.0.1:1", "s3cret://127.0.0.1:1"):
                done = fetched(HTTPS_PROXY=wrong)
                self.assertEqual(done.stderr, f"portail: cannot fetch {url}: HTTPS_PROXY, https_proxy or ALL_PROXY is not a valid proxy URL; "
                                 "percent-encode /, # and @ in its password\n")
            with ConnectProxy(provider.port, tls_context(self.path("lender.pem"), self.path("lender.key"))) as encrypted:
                self.assert_one_line(fetched(HTTPS_PROXY=encrypted.url), 1, "the certificate of the proxy is not from a trusted authority, or has expired")
                self.assert_imported(fetched(HTTPS_PROXY=encrypted.url, SSL_CERT_FILE=self.path("lender.pem")), 2)
            # A loopback address is not asked for there.
            self.provider.documents["/portail.json"] = self.portal(3)
            done = self.plainly(self.url, environment={"HTTPS_PROXY": proxy.url, "http_proxy": proxy.url, "ALL_PROXY": proxy.url})
            self.assert_imported(done, 3)
            self.assertEqual(len(proxy.requests), 2)

    def test_a_url_with_characters_that_a_request_must_not_have(self):
        self.provider.documents["/a%22%3C%3E%5E%60%7B%7C%7D?b=%7B%7D"] = self.portal()
        self.assert_imported(self.plainly(self.url.replace("/portail.json", '/a"<>^`{|}?b={}')), 2)

    def test_a_compressed_document(self):
        coded = {"Content-Encoding": "gzip"}
        self.provider.documents["/portail.json"] = lambda handler: handler.send(200, gzip.compress(self.portal()), **coded)
        self.assert_imported(self.if_changed(self.url), 2)
        self.provider.documents["/portail.json"] = lambda handler: handler.send(200, gzip.compress(b" " * (1 << 20) + self.portal()), **coded)
        self.assert_one_line(self.plainly(self.url, "--max-size", "1"), 1, f"cannot fetch {self.url}: it is larger than 1 MiB")
        for body in (self.portal(), gzip.compress(self.portal()) + b"more"):
            self.provider.documents["/portail.json"] = lambda handler: handler.send(200, body, **coded)  # noqa: B023
            self.assert_one_line(self.plainly(self.url), 1, f"cannot fetch {self.url}: its content is not of its Content-Encoding")

    def test_a_pipe(self):
        """It can be read only once. Its folder has no template files."""
        document = self.dropped(self.portal())
        text = self.portal(3).decode()
        for number, source in enumerate(("/dev/stdin", "/proc/self/fd/0", "/dev/fd/0")):
            with self.subTest(source):
                store = f"lmdb:{self.own}/{number}"
                done = run("import", "--store", store, source, stdin=text)
                self.assertEqual((done.returncode, done.stderr, len(json.loads(must_run("export", "--store", store))["liasses"])), (0, "", 3))
        done = subprocess.run(["bash", "-c", '"$0" import --store "$1" <(cat "$2")', PROGRAM, self.store, document], capture_output=True, text=True,
                              env=clean_environment())
        self.assert_imported(done, 2)
        done = subprocess.run(["bash", "-c", '"$0" import --store "$1" --state "$2" --if-changed <(sleep 0.1; cat)', PROGRAM, self.store, self.state],
                              input=text, capture_output=True, text=True, env=clean_environment())
        self.assert_imported(done, 3)
        for flags in (), ("--if-changed", "--state", self.state):
            ours, theirs = socket.socketpair()
            with ours, theirs:
                done = subprocess.run([PROGRAM, "import", "--store", self.store, *flags, "/dev/stdin"], stdin=theirs, capture_output=True, text=True,
                                      env=clean_environment())
            self.assert_one_line(done, 1, "/dev/stdin: it is a socket; for standard input, give -")
        self.assert_one_line(self.plainly("-", "--max-size", "1", stdin=" " * (1024 * 1024 + 1)), 1, "cannot read standard input: it is larger than 1 MiB")

    def test_a_named_pipe_whose_writer_opens_it_late(self):
        pipe = f"{self.own}/pipe"
        os.mkfifo(pipe)
        for bundles, imported in ((2, self.plainly), (3, self.if_changed)):
            with self.subTest(imported.__name__):
                writer = Worker(pathlib.Path(pipe).write_bytes, self.portal(bundles))
                writer.start()
                self.assert_imported(imported(pipe, "--max-size", "1"), bundles)
                writer.join()


def has_promtool():
    return any(os.access(os.path.join(folder, "promtool"), os.X_OK) for folder in os.environ.get("PATH", "").split(os.pathsep))


if __name__ == "__main__":
    unittest.main()

"""`portail development`: what it creates is served as its output shows, a further run keeps keys and store, and no other folder is changed;
and the values of fixtures/development.jsonl."""

import base64
import json
import os
import pathlib
import shlex
import shutil
import ssl
import stat
import subprocess
import time
import unittest
import urllib.request

from support.program import PATIENCE, PROGRAM, PortailTest, clean_environment, free_port, must_run, run, until

FIXTURES = pathlib.Path(__file__).resolve().parents[3] / "fixtures"
DOCUMENT = FIXTURES / "development.json"
FILES = ["administrator.token", "certificate.pem", "client.token", "data", "key.pem", "keys.json", "manager.token", "personas.json",
         "portail.json", "portail.toml"]
KEPT = ("certificate.pem", "key.pem", "keys.json", "personas.json", "portail.json", "portail.toml")


def claims_of(token):
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class DevelopmentTest(PortailTest):
    def setUp(self):
        self.trial = pathlib.Path(self.path(self.id().rpartition(".")[2])) / "a portal"

    def contents(self, *names):
        return {name: (self.trial / name).read_text() for name in names}

    def stored(self):
        return {path.name: path.read_bytes() for path in (self.trial / "data").iterdir() if path.is_file()}

    def served(self, command, port):
        """Runs the printed command at another port, since tests run side by side."""
        words = shlex.split(command)
        self.assertEqual(words[0], "portail")
        process = subprocess.Popen([PROGRAM, *words[1:], "--listen", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, env=clean_environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), f"portail: listening on https://127.0.0.1:{port}\n")

    def ask(self, port, persona, target, host="127.0.0.1"):
        trusting = ssl.create_default_context(cafile=self.trial / "certificate.pem")
        trusting.verify_flags |= ssl.VERIFY_X509_STRICT
        request = urllib.request.Request(f"https://{host}:{port}/api/app/{target}",
                                         headers={"Authorization": f"Bearer {(self.trial / f'{persona}.token').read_text().strip()}"})
        with urllib.request.urlopen(request, context=trusting, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def test_the_printed_command_serves_the_bundle(self):
        serve, request = must_run("development", self.trial).splitlines()
        self.assertEqual(serve, f"portail serve --config '{self.trial}/portail.toml'")
        self.assertEqual(request, f"curl --cacert '{self.trial}/certificate.pem' -H \"Authorization: Bearer $(cat '{self.trial}/client.token')\" "
                                  "https://127.0.0.1:8443/api/app/liasse/L-2024-0002")
        self.assertEqual(sorted(os.listdir(self.trial)), FILES)
        self.assertEqual([stat.S_IMODE(path.stat().st_mode) for path in (self.trial, self.trial / "data")], [0o700, 0o700])
        for name in FILES:
            if name != "data":
                self.assertEqual(stat.S_IMODE((self.trial / name).stat().st_mode), 0o600, name)
        self.assertEqual((self.trial / "portail.json").read_bytes(), DOCUMENT.read_bytes())
        port = free_port()
        self.served(serve, port)
        for host in ("127.0.0.1", "localhost"):
            bundle = self.ask(port, "client", "liasse/L-2024-0002", host)
            self.assertEqual((bundle["id"], bundle["nomDossier"], bundle["statut"], bundle["completion"], len(bundle["piecesAttendues"])),
                             ("L-2024-0002", "Prêt travaux – isolation des combles", "En cours", 66.66666666666667, 3))
        self.assertEqual(len(self.ask(port, "client", "liasse")), 6)
        self.assertEqual(len(self.ask(port, "manager", "liasse/dashboard-list")), 6)
        self.assertEqual(self.ask(port, "administrator", "objet-courrier?MaxResultCount=1")["totalCount"], 40)
        done = run("check", "--config", self.trial / "portail.toml")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_tokens_are_those_of_the_personas(self):
        must_run("development", self.trial)
        for name, subject, role, rest in (("client", "sub-client-1", "client", {}), ("manager", "sub-gestionnaire-1", "gestionnaire", {}),
                                          ("administrator", "sub-administrateur-1", "administrateur",
                                           {"permissions": ["PortailClients.Liasses.VoirPieceDerogee"]})):
            token = (self.trial / f"{name}.token").read_text().strip()
            claims = claims_of(token)
            self.assertEqual(claims.pop("exp") - claims.pop("iat"), 12 * 3600)
            self.assertEqual(claims, {"iss": "https://development.invalid", "aud": "portail", "sub": subject, "role": [role]} | rest)
            self.assertIn(token, [each["token"] for each in json.loads((self.trial / "personas.json").read_text())])

    def test_the_public_key_is_stored_for_components(self):
        must_run("development", self.trial)
        key = json.loads((self.trial / "keys.json").read_text())["keys"][0]
        self.assertEqual(json.loads(self.stored()["config.jwks"]), {"keys": [{name: key[name] for name in ("kty", "crv", "kid", "alg", "use", "x")}]})

    def test_a_further_run_renews_only_the_tokens(self):
        must_run("development", self.trial)
        with open(self.trial / "portail.toml", "a", encoding="utf-8") as file:
            file.write('log-level = "debug"\n')
        (self.trial / "mine.txt").write_text("kept")
        before, stored = self.contents(*KEPT, "client.token", "mine.txt"), self.stored()
        issued = claims_of(before["client.token"])["iat"]
        until(lambda: time.time() >= issued + 1, "the next second")
        must_run("development", self.trial)
        after = self.contents(*KEPT, "client.token", "mine.txt")
        self.assertGreater(claims_of(after.pop("client.token"))["iat"], issued)
        self.assertNotEqual(after.pop("personas.json"), before.pop("personas.json"))
        before.pop("client.token")
        self.assertEqual(after, before)
        self.assertEqual(self.stored(), stored)

    def test_a_certificate_is_renewed_a_day_before_its_end(self):
        must_run("development", self.trial)
        for days, is_renewed in (("1", True), ("2", False)):
            self.make_certificate(self.trial / "certificate.pem", self.trial / "key.pem", "-days", days)
            before = self.contents("certificate.pem", "key.pem")
            must_run("development", self.trial)
            self.assertEqual(self.contents("certificate.pem", "key.pem") != before, is_renewed, days)
        # Not the certificate of that key, as after an interruption between the two.
        self.make_certificate(self.path("other.pem"), self.trial / "key.pem")
        must_run("development", self.trial)
        self.assertEqual(run("check", "--config", self.trial / "portail.toml").returncode, 0)

    def test_an_interrupted_run_is_repeated(self):
        """Each file is the last one of a run in turn, with an unfinished one beside it."""
        must_run("development", self.trial)
        whole, partial = self.trial, self.trial.parent / "partial"
        for count, last in enumerate(("portail.toml", "keys.json", "key.pem", "certificate.pem", "data", "portail.json", "client.token")):
            with self.subTest(last=last):
                partial.mkdir()
                (partial / ".portail-0123.unfinished").write_text("half")
                for name in ("portail.toml", "keys.json", "key.pem", "certificate.pem", "data", "portail.json", "client.token")[:count + 1]:
                    (shutil.copytree if name == "data" else shutil.copy)(whole / name, partial / name)
                if last == "data":
                    (partial / "data" / "tiers.=54000002").unlink()
                must_run("development", partial)
                (partial / ".portail-0123.unfinished").unlink()
                self.assertEqual(sorted(os.listdir(partial)), FILES)
                self.assertEqual(must_run("export", "--store", f"dir:{partial}/data"), must_run("export", "--store", f"dir:{whole}/data"))
                shutil.rmtree(partial)

    def test_a_folder_with_other_files_is_refused_and_kept(self):
        self.trial.mkdir(parents=True)
        for name in ("certificate.pem", "portail.toml"):
            (self.trial / name).write_text("mine")
            self.assert_one_line(run("development", self.trial), 1, f"{self.trial} has other files, such as {name}, which are kept: name a new or "
                                                                   "empty folder, or one of `portail development`")
            self.assertEqual((os.listdir(self.trial), (self.trial / name).read_text()), ([name], "mine"))
            (self.trial / name).unlink()
        self.trial.chmod(0o770)
        self.assert_one_line(run("development", self.trial), 1, f"other users can write to the folder {self.trial}: name a new folder")
        self.trial.chmod(0o755)
        must_run("development", self.trial)  # empty

    def test_bad_input(self):
        file = self.write("no-folder", "")
        self.assert_one_line(run("development", file), 1, f"cannot use the folder {file}: Not a directory")
        self.assert_one_line(run("development"), 2, "FOLDER is missing")
        self.assert_one_line(run("development", os.fsencode(self.path("a")).decode() + "\udcff"), 2, "FOLDER: its path must be UTF-8")
        self.assertNotEqual(run("development", self.trial, self.path("absent.json")).returncode, 0)
        done = run("development", self.trial, self.write("bad.json", '{"tiers":[{"id":1}]}'))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"nothing was imported: ", done.stderr.splitlines()[-1])
        must_run("development", self.trial)
        self.assertEqual((self.trial / "portail.json").read_bytes(), DOCUMENT.read_bytes())

    def test_a_document_of_ones_own(self):
        document = self.document("own.json")
        request = must_run("development", self.trial, document).splitlines()[1]
        self.assertTrue(request.endswith(" https://127.0.0.1:8443/api/app/liasse"), request)
        self.assertEqual((self.trial / "portail.json").read_text(), self.read("own.json"))

        def bundles():
            return len(json.loads(must_run("export", "--store", f"dir:{self.trial}/data"))["liasses"])
        self.assertEqual(bundles(), 2)
        stored = self.stored()
        must_run("development", self.trial, document)
        self.assertEqual(self.stored(), stored)
        must_run("development", self.trial, self.document("own.json", bundles=5))
        self.assertEqual(bundles(), 5)
        (self.trial / "portail.json").write_text((FIXTURES / "development.json").read_text())
        must_run("development", self.trial, self.trial / "portail.json")
        self.assertEqual(bundles(), 11)


class ValuesTest(PortailTest):
    def test_the_values_are_those_of_an_import_of_the_document(self):
        values, loaded = pathlib.Path(self.path("values")), {}
        values.mkdir()
        for line in (FIXTURES / "development.jsonl").read_text().splitlines():
            each = json.loads(line)
            loaded[each["key"]] = base64.b64decode(each["value"], validate=True)
            (values / each["key"]).write_bytes(loaded[each["key"]])
        done = run("check", "--store", f"dir:{values}", *self.accepting())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        must_run("import", "--store", f"dir:{self.path('imported')}", DOCUMENT)
        exported = must_run("export", "--store", f"dir:{values}")
        self.assertEqual(exported, must_run("export", "--store", f"dir:{self.path('imported')}"))
        self.assertEqual(len(json.loads(exported)["liasses"]), 6)
        # The other values have times, or the key of a record in the audit.
        stored = {path.name: path.read_bytes() for path in pathlib.Path(self.path("imported")).iterdir() if path.name[0] != "~"}
        same = ("catalogue.", "format", "gestionnaire.", "liasse.", "tiers.", "utilisateur.")
        self.assertEqual({name: value for name, value in loaded.items() if name.startswith(same)},
                         {name: value for name, value in stored.items() if name.startswith(same)})


if __name__ == "__main__":
    unittest.main()

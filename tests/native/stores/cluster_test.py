"""Three portals behind nginx, over PostgreSQL or a Valkey with its sentinels, are one service: of concurrent PUTs one succeeds, all see an import,
and a rolling restart loses no request."""

import concurrent.futures
import json
import pathlib
import threading
import unittest

from support.engine import free_port
from support.nginx import PROGRAM as NGINX
from support.nginx import Nginx
from support.postgres import Postgres
from support.program import PortailTest, Server, must_run, run, until
from support.sentinel import WatchedValkey

PORTALS = 3
BUNDLE, OBJECT = "/api/app/liasse/L-00001", "/api/app/objet-courrier/1"
RACES, RACERS = 20, 6
CLIENTS = 4
CONFIGURATIONS = ("Rien", "Optionnel", "Obligatoire")


class ClusterTest:
    """Tests over the engine `Engine`."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.engine = cls.enterClassContext(cls.Engine())
        assert run("import", "--store", cls.engine.url, cls.document()).returncode == 0
        cls.ports = [free_port() for _ in range(PORTALS)]
        cls.portals = []  # tests replace them
        cls.addClassCleanup(lambda: [portal.__exit__() for portal in cls.portals])
        cls.portals += [cls.start(port) for port in cls.ports]
        cls.nginx = cls.enterClassContext(Nginx(cls.path("nginx"), cls.ports, cls.path("certificate.pem"), cls.path("key.pem"), "portail.test",
                                                rate=100_000))
        cls.client = cls.bearer()
        cls.administrator = cls.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update")

    @classmethod
    def start(cls, port):
        return Server(cls.folder, "--store", cls.engine.url, "--transport", "forwarded", "--trusted-proxy", "127.0.0.1/32",
                      "--insecure-http", tls=False, port=port)

    def put(self, portal, tag, assignment):
        body = json.dumps({"utilisablePourLiasse": True, "typeAffectation": assignment}).encode()
        headers = [self.administrator, ("Content-Type", "application/json"), ("If-Match", tag), ("X-Forwarded-Proto", "https")]
        return portal.ask("PUT", OBJECT, headers, body)

    def read(self, portal):
        return portal.ask("GET", OBJECT, [self.client, ("X-Forwarded-Proto", "https")])

    def test_one_put_of_a_race_between_processes_wins(self):
        with concurrent.futures.ThreadPoolExecutor(RACERS) as threads:
            for race in range(RACES):
                before = self.read(self.nginx)
                wanted = [word for word in CONFIGURATIONS if word != before.json()["typeAffectation"]]
                answers = list(threads.map(lambda i: self.put(self.portals[i % PORTALS], before["ETag"], wanted[i % 2]), range(RACERS)))
                self.assertEqual(sorted(answer.status for answer in answers), [200] + [412] * (RACERS - 1), f"race {race}")
                [won] = [answer.json()["typeAffectation"] for answer in answers if answer.status == 200]
                for portal in self.portals:
                    self.assertEqual(self.read(portal).json()["typeAffectation"], won)

    def test_an_import_is_seen_by_every_portal_with_the_next_request(self):
        headers = [self.client, ("X-Forwarded-Proto", "https")]
        document = pathlib.Path(self.document())
        for name in ("Vert", "Bleu", "Rouge"):
            portal = json.loads(document.read_text(encoding="utf-8"))
            for bundle in portal["liasses"]:
                bundle["nomDossier"] = name
            document.write_text(json.dumps(portal), encoding="utf-8")
            must_run("import", "--store", self.engine.url, document)
            for server in (*self.portals, self.nginx):
                self.assertEqual(server.ask("GET", BUNDLE, headers).json()["nomDossier"], name)

    def test_a_rolling_restart_loses_no_request(self):
        stop, statuses = threading.Event(), []

        def ask_on_and_on(number):
            while not stop.is_set():
                with self.nginx.connect() as connection:
                    for _ in range(20):
                        if number == 0:  # one client writes
                            body = b'{"utilisablePourLiasse":true,"typeAffectation":"Rien"}'
                            answer = connection.request("PUT", OBJECT, [self.administrator, ("Content-Type", "application/json")], body)
                        else:
                            answer = connection.request("GET", BUNDLE, [self.client])
                        statuses.append(answer.status if answer else None)

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as threads:
            asking = [threads.submit(ask_on_and_on, number) for number in range(CLIENTS)]
            try:
                for i, port in enumerate(self.ports):
                    seen = len(statuses)
                    until(lambda: len(statuses) >= seen + 200, "requests before a restart")
                    self.assertEqual(self.portals[i].stop(), 0)
                    self.portals[i].__exit__()
                    seen = len(statuses)
                    until(lambda: len(statuses) >= seen + 200, "requests without a portal")
                    self.portals[i] = self.start(port)
                seen = len(statuses)
                until(lambda: len(statuses) >= seen + 200, "requests after the last restart")
            finally:
                stop.set()
            for each in asking:
                each.result()
        self.assertEqual({status: statuses.count(status) for status in set(statuses)}, {200: len(statuses)})


@unittest.skipUnless(NGINX, "nginx (package nginx-light) is not installed")
class ClusterOverValkey(ClusterTest, PortailTest):
    Engine = WatchedValkey


@unittest.skipUnless(NGINX, "nginx (package nginx-light) is not installed")
class ClusterOverPostgres(ClusterTest, PortailTest):
    Engine = Postgres


if __name__ == "__main__":
    unittest.main()

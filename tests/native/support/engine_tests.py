"""Tests of the program over the server of a store, the same for each kind of server. Standard library only."""

import json

from support.metrics import text_of
from support.program import Server, Worker, must_run, until

BUNDLE = "/api/app/liasse/L-00001"
LIST = "/api/app/liasse"
MAIL_OBJECTS = "/api/app/objet-courrier"


class EngineTests:
    """For a PortailTest. `Engine` is the class of the server."""

    def assert_outage(self, engine, details):
        """Checks the details of the warnings since the server is stopped."""
        raise NotImplementedError

    def restore(self, engine):
        """Imports again what a restarted server has lost."""

    def test_serves_and_recovers_after_an_outage_of_the_server(self):
        with self.Engine() as engine:
            must_run("import", "--store", engine.url, self.document())
            with Server(self.folder, "--store", engine.url, "--workers", "1") as server:
                token = self.bearer()
                answer = server.ask("GET", BUNDLE, [token])
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.json()["id"], "L-00001")

                engine.stop()
                for _ in range(20):
                    answer = server.ask("GET", BUNDLE, [token])
                    self.assertEqual(answer.status, 503)
                    self.assertTrue(answer["Retry-After"])
                self.assertEqual(server.ask("GET", "/health/ready").status, 503)
                self.assert_outage(engine, [line["detail"] for line in until(server.warnings, "a line in the log")])

                self.assertTrue(engine.start())
                self.restore(engine)
                until(lambda: server.ask("GET", "/health/ready").status == 200, "the server to be ready again")
                self.assertEqual(server.ask("GET", BUNDLE, [token]).status, 200)
                self.assertEqual(server.stop(), 0)

    def test_a_server_that_lost_its_values_serves_no_empty_lists(self):
        with self.Engine() as engine:
            must_run("import", "--store", engine.url, self.document())
            with Server(self.folder, "--store", engine.url, "--metrics-listen", "127.0.0.1:0") as server:
                token = self.bearer()

                def statuses():
                    return [server.ask("GET", target, [token]).status for target in (LIST, BUNDLE, MAIL_OBJECTS, "/health/ready")]

                self.assertEqual(statuses(), [200] * 4)
                engine.clear()
                self.assertEqual(statuses(), [503] * 4)
                self.assertEqual([line["detail"] for line in until(lambda: server.events("store refused"), "the line")],
                                 ["the store is empty: import a document first"])
                status, _, report = text_of(server, "/health")
                self.assertEqual((status, json.loads(report)["parts"]["store"]["detail"]),
                                 (503, f"{engine.name}: the store is empty: import a document first"))
                must_run("import", "--store", engine.url, self.document())
                self.assertEqual(statuses(), [200] * 4)

    def test_a_request_that_waits_for_the_server_holds_no_worker(self):
        with self.Engine() as engine:
            must_run("import", "--store", engine.url, self.document())
            with Server(self.folder, "--store", engine.url, "--workers", "1") as server:
                token = self.bearer()
                self.assertEqual(server.ask("GET", BUNDLE, [token]).status, 200)
                engine.freeze()
                answers = []
                asking = [Worker(lambda: answers.append(server.ask("GET", BUNDLE, [token]).status)) for _ in range(8)]
                for thread in asking:
                    thread.start()
                # The one worker answers clients that need no store.
                for _ in range(20):
                    self.assertEqual(server.ask("GET", "/health/live").status, 200)
                self.assertEqual(answers, [])
                engine.resume()
                for thread in asking:
                    thread.join()
                self.assertEqual(answers, [200] * 8)

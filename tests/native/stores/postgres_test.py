"""The program over a PostgreSQL store: import, export, check and serve, with a real server that is restarted."""

import json
import socket
import threading
import unittest

from support.engine_tests import EngineTests
from support.metrics import metrics_of, text_of
from support.pooler import Pooler
from support.postgres import Postgres
from support.program import Connection, PortailTest, Server, must_run, run, slow_client, small_portal, until


def stalled_client(server, token):
    """Returns a connection that has requested a list, and reads nothing."""
    return slow_client(server.port, f"GET /api/app/liasse HTTP/1.1\r\nHost: h\r\n{token[0]}: {token[1]}\r\n\r\n", "127.0.0.2")


def answered_client(server, token, client):
    """Returns the connection when its list has begun, or another one: a slow server may not begin 200 lists in the 10 s of a call."""
    def is_answered():
        nonlocal client
        if (status := client.recv(12, socket.MSG_PEEK | socket.MSG_WAITALL)) == b"HTTP/1.1 200":
            return True
        if status != b"HTTP/1.1 503":
            raise AssertionError(status)
        client.close()
        client = stalled_client(server, token)
        return False

    until(is_answered, "a list")
    return client


class PostgresTest(EngineTests, PortailTest):
    Engine = Postgres

    def assert_outage(self, engine, details):
        self.assertEqual(len(set(details)), len(details), "each cause is logged once")
        self.assertLessEqual(len(details), 3, details)  # of the open connections, and of new ones
        for detail in details:
            self.assertTrue(detail.startswith(f"{engine.name}: "), details)

    def check(self, store, *flags, environment=None):
        return run("check", *self.accepting(), *flags, environment={"PORTAIL_STORE": store} | (environment or {}))

    def test_a_client_that_reads_none_of_its_lists_leaves_the_store_to_others(self):
        """The pool has two connections for reading; 200 lists of one client stall at any time, and are replaced."""
        stalled_at_once = 200
        with Postgres() as postgres:
            must_run("import", "--store", postgres.url, self.document(bundles=1500))
            flags = ("--insecure-http", "--metrics-listen", "127.0.0.1:0", "--max-streams-per-client", "1000")
            with Server(self.folder, "--store", f"{postgres.url}?pool=4", *flags, tls=False) as server:
                token = self.bearer()
                stalled = [stalled_client(server, token) for _ in range(stalled_at_once)]
                faults, replaced, over = [], [0], threading.Event()

                def attack():
                    try:
                        while not over.wait(0.2):
                            stalled.pop(0).close()
                            stalled.append(stalled_client(server, token))
                            replaced[0] += 1
                    except Exception as fault:  # for the thread that joins this one
                        faults.append(fault)

                attacking = threading.Thread(target=attack)
                attacking.start()
                answers = []
                try:
                    while len(answers) < 30 or (replaced[0] < 20 and not faults):
                        answers.append(server.ask("GET", "/api/app/liasse/L-00001", [token]).status)
                finally:
                    over.set()
                    attacking.join()
                self.assertEqual((set(answers), faults), ({200}, []))
                self.assertGreaterEqual(replaced[0], 20)
                # All of them are in flight, more than the pool has connections, and none occupies one.
                stalled = [answered_client(server, token, client) for client in stalled]
                reasons = {line["detail"].rpartition(": ")[2] for line in server.events("store: a read failed")}
                self.assertLessEqual(reasons, {"timed out waiting for a connection"})
                metrics = metrics_of(server)
                self.assertGreater(metrics["portail_unsent_bytes"], stalled_at_once * 64 * 1024)
                # The last of the requests may still end its transaction.
                until(lambda: metrics_of(server)["portail_store_connections_busy"] == 0, "connections that are not in use")
                metrics = metrics_of(server)
                self.assertEqual((metrics["portail_store_connections_max"], metrics["portail_store_waiting"]), (4, 0))
                self.assertIn(metrics["portail_store_connections"], (1, 2, 3, 4))
                for client in stalled:
                    client.close()

    def test_streamed_answers_of_one_client_are_bounded(self):
        with Postgres() as postgres:
            must_run("import", "--store", postgres.url, self.document(bundles=1500))
            flags = ("--insecure-http", "--metrics-listen", "127.0.0.1:0", "--max-streams-per-client", "3")
            with Server(self.folder, "--store", postgres.url, *flags, tls=False) as server:
                token = self.bearer()
                stalled = []
                for _ in range(3):
                    stalled.append(stalled_client(server, token))
                    self.addCleanup(stalled[-1].close)
                    self.assertEqual(stalled[-1].recv(12, socket.MSG_PEEK | socket.MSG_WAITALL), b"HTTP/1.1 200")
                with Connection(server.port, tls=False, address="127.0.0.2") as fourth:
                    refused = fourth.request("GET", "/api/app/liasse", [token])
                    self.assertEqual((refused.status, refused["Retry-After"]), (503, "1"))
                    self.assertEqual(fourth.request("GET", "/api/app/liasse/L-00001", [token]).status, 200)
                    self.assertEqual(len(server.ask("GET", "/api/app/liasse", [token]).json()), 1500)  # another address
                    self.assertEqual(metrics_of(server)["portail_streams_refused_total"], 1)
                    stalled[0].close()
                    until(lambda: fourth.request("GET", "/api/app/liasse", [token]).status == 200, "a slot")
                until(lambda: server.events("requests are refused: their clients have too many streamed answers in flight"), "a line in the log")

    def test_check_creates_the_table_on_request(self):
        with Postgres() as postgres:
            self.assert_one_line(self.check(postgres.url), 1, f"{postgres.name} cannot be used: it has no table portail: "
                                                              "portail check --create makes it, and so does an import")
            made = self.check(postgres.url, "--create")
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertIn(f"store            warning {postgres.name}, empty\n", made.stdout)
            self.assertEqual(postgres.sql("SELECT count(*) FROM portail"), "0")
            self.assertEqual(self.check(postgres.url).returncode, 0)

    def test_a_pooler_must_assign_its_connections_by_session(self):
        with Postgres() as postgres:
            with Pooler(postgres.port, "session") as pooler:
                store = postgres.url_at(pooler.port)
                for _ in range(2):
                    must_run("import", "--store", store, self.document())
                self.assertEqual(self.check(store).returncode, 0)
            by_transaction = ("a pooler assigns its connections by transaction or statement: the portal needs them by session "
                              "(PgBouncer: pool_mode = session)")
            one = ("a pooler gives no second connection: timed out; raise its number of connections to that of the portal, ?pool=, and one "
                   "for an import (PgBouncer: default_pool_size)")
            for mode, servers, reason in (("transaction", 0, by_transaction), ("transaction", 1, by_transaction),
                                          ("transaction", 2, by_transaction), ("transaction", 3, by_transaction),
                                          ("statement", 0, by_transaction)):
                with self.subTest(mode=mode, servers=servers), Pooler(postgres.port, mode, servers) as pooler:
                    line = f"postgres://127.0.0.1:{pooler.port}/postgres cannot be used: {reason}"
                    self.assert_one_line(self.check(postgres.url_at(pooler.port)), 1, line)
            with Pooler(postgres.port, "session", 1) as pooler:
                must_run("export", "--store", postgres.url_at(pooler.port))  # reads over the one connection
            with Pooler(postgres.port, "session", 1) as pooler:
                self.assert_one_line(run("import", "--store", postgres.url_at(pooler.port), self.document()), 1,
                                     f"postgres://127.0.0.1:{pooler.port}/postgres cannot be used: {one}")
            with Pooler(postgres.port, "transaction") as pooler:
                line = f"postgres://127.0.0.1:{pooler.port}/postgres cannot be used: {by_transaction}"
                for command in (("serve", *self.accepting()), ("export",), ("import", self.document())):
                    self.assert_one_line(run(*command, environment={"PORTAIL_STORE": postgres.url_at(pooler.port)}), 1, line)
            self.assertEqual(postgres.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), "0")

    def test_serving_over_a_standby_is_reported_immediately(self):
        event = "the store refuses writes: requests that write are refused with 503"
        reason = ("{}: cannot execute INSERT in a read-only transaction (25006); set default_transaction_read_only = off for the user, "
                  "the database or the server")
        deposited = small_portal()
        deposited["liasses"][1]["piecesAttendues"][0]["dateDepot"] = "2024-02-01T09:00:00Z"
        with Postgres() as postgres:
            must_run("import", "--store", postgres.url, self.write("deposited.json", json.dumps(deposited)))
            with Server(self.folder, "--store", postgres.url) as server:
                self.assertEqual(server.events(event), [])
            postgres.sql("ALTER ROLE bob SET default_transaction_read_only = on")  # its writes are refused as a standby's are
            checked = self.check(postgres.url)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            self.assertIn(f"store            warning {postgres.name}\n", checked.stdout)
            self.assertTrue(checked.stdout.endswith(f"the store refuses writes: {reason.format(postgres.name)}\n"), checked.stdout)
            with Server(self.folder, "--store", postgres.url, "--metrics-listen", "127.0.0.1:0") as server:
                lines = until(lambda: server.events(event), "a line in the log")
                self.assertEqual([line["detail"] for line in lines], [reason.format(postgres.name)])
                self.assertEqual(server.ask("GET", "/api/app/objet-courrier/1", [self.bearer()]).status, 200)
                for _ in range(3):  # its consultation cannot be recorded
                    self.assertEqual(server.ask("GET", "/api/app/liasse/L-00001", [self.bearer()]).status, 200)
                self.assertEqual(len(until(lambda: server.events("consultation not recorded"), "the line")), 1)
                report = json.loads(text_of(server, "/health")[2])
                self.assertEqual(report["parts"]["store"],
                                 {"status": "Degraded", "detail": f"{postgres.name} answers; the last write failed"})
            with Server(self.folder, "--store", postgres.url, "--metrics-listen", "127.0.0.1:0") as server:
                until(lambda: server.events(event), "a line in the log")
                postgres.sql("BEGIN READ WRITE; ALTER ROLE bob RESET default_transaction_read_only; COMMIT")
                headers = [self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"), ("Content-Type", "application/json")]
                content = b'{"utilisablePourLiasse": true, "typeAffectation": "Obligatoire"}'
                until(lambda: server.ask("PUT", "/api/app/objet-courrier/1", headers, content).status == 200, "a session of a later login")
                report = json.loads(text_of(server, "/health")[2])
                self.assertEqual(report["parts"]["store"], {"status": "Healthy", "detail": f"{postgres.name} answers"})

    def test_no_password_is_ever_printed(self):
        with Postgres(password="builder") as postgres:
            url = postgres.url.replace("bob@", "bob:builder@")
            must_run("import", self.document(), environment={"PORTAIL_STORE": url})
            checked = self.check(url)
            self.assertEqual(checked.returncode, 0, checked.stderr)
            self.assertIn(f"store            ok      {postgres.name}\n", checked.stdout)
            refused = run("export", environment={"PORTAIL_STORE": url.replace("builder", "burglar")})
            self.assert_one_line(refused, 1, f"{postgres.name} cannot be used: connection to server at \"127.0.0.1\", port "
                                             f"{postgres.port} failed: FATAL:  password authentication failed for user \"bob\"")
            must_run("export", environment={"PORTAIL_STORE": postgres.url, "PGPASSWORD": "builder"})
            for done in (checked, refused, run("export", "--store", url + "?password=builder"), run("export", "--store", url + "/x")):
                self.assertNotIn("builder", done.stdout + done.stderr)
                self.assertNotIn("burglar", done.stdout + done.stderr)

if __name__ == "__main__":
    unittest.main()

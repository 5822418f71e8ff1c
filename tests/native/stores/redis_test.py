"""The program over a Redis store: import, export, check and serve, with a real server that is restarted."""

import pathlib
import re
import unittest

from support.engine_tests import EngineTests
from support.hostile import Hostile
from support.program import PortailTest, Server, must_run, run, until
from support.valkey import Valkey


GRANT = "grant its user the commands that docs/how-to/run-on-redis.md lists, on all keys"


class RedisTest(EngineTests, PortailTest):
    Engine = Valkey

    def assert_outage(self, engine, details):
        self.assertEqual(len(set(details)), len(details), "each cause is logged once")
        self.assertLessEqual(set(details), {f"{engine.url}: {cause}" for cause in (
            "it cannot be reached: Connection refused", "the connection was lost: the server ended it",
            "the connection was lost: Connection reset by peer", "the connection was lost: Broken pipe")})

    def restore(self, engine):
        must_run("import", "--store", engine.url, self.path("portail.json"))

    def assert_stops_without_its_lock(self, what, begin, *command):
        """The command loses its lock before its first write of bundles reaches the server; that write is its last."""
        document = self.document(bundles=1500)  # more than one write holds
        for lock_command in ("DEL portail:import", "SET portail:import another"):
            with self.subTest(lock_command), Valkey() as valkey, Hostile(valkey.port) as line:
                begin(document)
                results = []
                line.before(b"SET\r\n$16\r\nliasse.=4C-00000", lambda: results.append(valkey.cli(*lock_command.split())))
                done = run(*(each.format(store=valkey.url_at(line.port), document=document) for each in command))
                self.assertEqual(results, ["1" if lock_command.startswith("DEL") else "OK"])
                self.assert_one_line(done, 1, f"the {what} stopped: the lock of the import was lost, and another one may be running")
                self.assertEqual(done.stdout, "")
                bundles = len(valkey.cli("keys", "liasse.*").splitlines())
                self.assertGreater(bundles, 0)
                self.assertLess(bundles, 1500)
                self.assertEqual(valkey.cli("get", "portail:import"), "" if lock_command.startswith("DEL") else "another")
                valkey.cli("del", "portail:import")
                must_run(*(each.format(store=valkey.url, document=document) for each in command))
                self.assertEqual(len(valkey.cli("keys", "liasse.*").splitlines()), 1500)

    def test_an_import_that_lost_its_lock_writes_nothing_more(self):
        self.assert_stops_without_its_lock("import", lambda document: None, "import", "--store", "{store}", "{document}")

    def test_a_migration_that_lost_its_lock_writes_nothing_more(self):
        source = f"lmdb:{self.path('source')}"
        self.assert_stops_without_its_lock(
            "migration", lambda document: self.assertEqual(run("import", "--store", source, document).returncode, 0),
            "migrate", source, "{store}")

    def test_a_request_reads_what_has_no_edition(self):
        with Valkey() as valkey:
            must_run("import", "--store", valkey.url, self.document())
            with Server(self.folder, "--store", valkey.url) as server:
                caller = self.bearer("sub-client")

                def answer_and_reads(target):
                    valkey.cli("config", "resetstat")
                    answer = server.ask("GET", target, [caller])
                    self.assertEqual(answer.status, 200)
                    return answer.body, [line.split(",")[0] for line in valkey.cli("info", "commandstats").splitlines() if "_mget:" in line]

                for target, reads in (("/api/app/objet-courrier", 1), ("/api/app/liasse", 2)):
                    body, _ = answer_and_reads(target)
                    self.assertEqual(answer_and_reads(target), (body, [f"cmdstat_mget:calls={reads}"]), target)

                name = b'"nomTiers":"Renamed"'
                self.assertNotIn(name, body)
                value = valkey.cli("get", "tiers.=541").splitlines()
                valkey.cli("set", "tiers.=541", "\n".join(['"T1"\t"Renamed"\t"P"', *value[1:]]) + "\n")
                self.assertEqual(answer_and_reads("/api/app/liasse")[0], body)
                must_run("touch", "--store", valkey.url)
                self.assertIn(name, answer_and_reads("/api/app/liasse")[0])
                must_run("import", "--store", valkey.url, self.document())
                self.assertEqual(answer_and_reads("/api/app/liasse")[0], body)

    def test_check_tries_a_write_that_leaves_nothing(self):
        with Valkey("--user", "looker", "on", ">builder", "~*", "+@read", "+@connection", "+@transaction", "+role") as valkey, \
                Valkey("--replicaof", "127.0.0.1", str(valkey.port)) as replica:
            must_run("import", "--store", valkey.url, self.document())
            until(lambda: replica.cli("get", "format"), "the replica to have it")
            stored = valkey.cli("dbsize")
            for url, why in ((replica.url, "it reports that it is a replica; name its primary, or the sentinels"),
                             (f"redis://looker:builder@127.0.0.1:{valkey.port}/0", f"its user lacks the permission (NOPERM); {GRANT}"),
                             (f"{valkey.url}?replicas=3", "of 3 replicas that a write waits for, 1 are connected; connect the replicas "
                              "or lower ?replicas=")):
                with self.subTest(why=why):
                    self.assert_one_line(run("check", *self.accepting(), environment={"PORTAIL_STORE": url}), 1,
                                         f"{url.replace('looker:builder@', '').split('?')[0]} cannot be used: {why}")
            must_run("check", *self.accepting(), environment={"PORTAIL_STORE": f"{valkey.url}?replicas=1"})
            changes = "rdb_changes_since_last_save"
            before = [line for line in valkey.cli("info", "persistence").splitlines() if line.startswith(changes)]
            must_run("check", *self.accepting(), environment={"PORTAIL_STORE": valkey.url})
            self.assertEqual([line for line in valkey.cli("info", "persistence").splitlines() if line.startswith(changes)], before)
            self.assertEqual(valkey.cli("dbsize"), stored)

    def test_serving_over_a_replica_is_reported_immediately(self):
        administrator = [self.bearer("sub-admin", "--permission", "PortailClients.ObjetsCourrier.Update"),
                         ("Content-Type", "application/json")]
        body = b'{"utilisablePourLiasse": false, "typeAffectation": "Rien"}'
        with Valkey() as valkey, Valkey("--replicaof", "127.0.0.1", str(valkey.port)) as replica:
            must_run("import", "--store", valkey.url, self.document())
            until(lambda: replica.cli("get", "format") and replica.follows(), "the replica to have it")
            event = "the store refuses writes: requests that write are refused with 503"
            with Server(self.folder, "--store", replica.url) as server:
                lines = until(lambda: server.events(event), "a line in the log")
                self.assertEqual([line["detail"] for line in lines], [f"{replica.url}: it reports that it is a replica; name its primary, or the sentinels"])
                self.assertEqual(server.ask("GET", "/api/app/objet-courrier/1", administrator).status, 200)
                self.assertEqual(server.ask("PUT", "/api/app/objet-courrier/1", administrator, body).status, 503)
                replica.cli("replicaof", "no", "one")
                until(lambda: server.ask("PUT", "/api/app/objet-courrier/1", administrator, body).status == 200, "writes")
            with Server(self.folder, "--store", valkey.url) as server:
                self.assertEqual(server.events(event), [])

    def test_a_server_that_removes_values_is_reported(self):
        for policy, lost in (("allkeys-lru", "values"), ("allkeys-random", "values"), ("volatile-lru", "the lock of an import"),
                             ("noeviction", None)):
            with self.subTest(policy=policy), Valkey("--maxmemory", "100mb", "--maxmemory-policy", policy) as valkey:
                detail = (f"{valkey.url}: it removes {lost} when its memory is full (maxmemory-policy {policy}); "
                          "set maxmemory-policy noeviction")
                warns = lost is not None
                done = run("check", *self.accepting(), environment={"PORTAIL_STORE": valkey.url})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                note = f"the store may lose values: {detail}\n"
                self.assertEqual(done.stdout.endswith(note), warns, "an empty store: " + done.stdout)
                must_run("import", "--store", valkey.url, self.document())
                done = run("check", *self.accepting(), environment={"PORTAIL_STORE": valkey.url})
                self.assertEqual(done.stdout.endswith(note), warns, done.stdout)
                valkey.cli("config", "set", "maxmemory", "0")
                done = run("check", *self.accepting(), environment={"PORTAIL_STORE": valkey.url})
                self.assertNotIn("may lose values", done.stdout, "without a limit nothing is removed")
                valkey.cli("config", "set", "maxmemory", "100mb")
                with Server(self.folder, "--store", valkey.url) as server:
                    self.assertEqual([line["detail"] for line in server.events("the store may lose values")], [detail] * warns)

    def test_each_cause_of_a_refused_write_has_its_remedy(self):
        for settings, reason in (
            (("config", "set", "maxmemory", "1"), "it has no memory left (OOM); raise maxmemory"),
            (("acl", "setuser", "default", "-set"), f"its user lacks the permission (NOPERM); {GRANT}"),
            (("config", "set", "min-replicas-to-write", "1"), "it has too few replicas to take writes (NOREPLICAS); connect its "
             "replicas, or lower min-replicas-to-write"),
        ):
            with self.subTest(reason=reason), Valkey() as valkey:
                must_run("import", "--store", valkey.url, self.document())
                valkey.cli(*settings)
                with Server(self.folder, "--store", valkey.url) as server:
                    lines = server.events("the store refuses writes: requests that write are refused with 503")
                    self.assertEqual([line["detail"] for line in lines], [f"{valkey.url}: {reason}"])
                self.assert_one_line(run("check", *self.accepting(), environment={"PORTAIL_STORE": valkey.url}), 1,
                                     f"{valkey.url} cannot be used: {reason}")

    def test_the_listed_commands_suffice(self):
        page = (pathlib.Path(__file__).resolve().parents[3] / "docs/how-to/run-on-redis.md").read_text(encoding="utf-8")
        item = page.split("these commands, on all keys: ")[1].split("\n4. ")[0]
        listed = [f"+{name.lower()}" for name in re.findall("`([A-Z]+)`", item)]
        self.assertIn("+info", listed)
        with Valkey("--user", "portal", "on", ">builder", "~*", *listed) as valkey:
            store = f"redis://portal:builder@127.0.0.1:{valkey.port}/0"
            done = run("import", self.document(), environment={"PORTAIL_STORE": store})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = run("check", *self.accepting(), environment={"PORTAIL_STORE": store})
            self.assertEqual((done.returncode, "may lose values" in done.stdout), (0, False), done.stderr + done.stdout)
            valkey.cli("acl", "setuser", "portal", "-info")
            checked = must_run("check", *self.accepting(), environment={"PORTAIL_STORE": store})
            self.assertTrue(checked.endswith(f"the store may lose values: {valkey.url}: its maxmemory-policy cannot be read; "
                                             "grant its user INFO\n"), checked)
            with Server(self.folder, environment={"PORTAIL_STORE": store}) as server:
                self.assertEqual(server.events("the store may lose values"), [])


if __name__ == "__main__":
    unittest.main()

"""native/monitoring with real metrics: a Prometheus that the test starts scrapes a server, evaluates every alert, and answers every
query of the dashboard."""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

from support.engine import free_port
from support.metrics import metrics_port, text_of
from support.program import PATIENCE, PortailTest, Running, Server, must_run, until
from support.valkey import Valkey

HERE = os.path.dirname(os.path.abspath(__file__))
MONITORING = os.path.join(HERE, "..", "..", "..", "native", "monitoring")
NAME = re.compile(r"\b(?:portail|process)_[a-z_]+\b")
# The values that Grafana would substitute.
VARIABLES = {"$__rate_interval": "10s", "$job": "portail", "$instance": ".+"}


def dashboard():
    with open(os.path.join(MONITORING, "grafana.json"), encoding="utf-8") as file:
        return json.load(file)


def queries():
    """Returns the dashboard's queries, each with the title of its panel."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            yield panel["title"], expression


class Prometheus(Running):
    """A Prometheus on the loopback that scrapes `port` four times a second, with the alerts of native/monitoring."""

    stop_signal = signal.SIGKILL

    def __init__(self, folder, scraped):
        shutil.copy(os.path.join(MONITORING, "alerts.yml"), folder)
        with open(os.path.join(MONITORING, "prometheus.yml"), encoding="utf-8") as file:
            text = file.read()
        for ours, here in [("127.0.0.1:9464", f"127.0.0.1:{scraped}"), ("interval: 15s", "interval: 250ms")]:
            if ours not in text:
                raise AssertionError(f"prometheus.yml has no {ours}")
            text = text.replace(ours, here)
        configuration = os.path.join(folder, "prometheus.yml")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(text)
        self.port = free_port()
        super().__init__(["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={folder}/tsdb",
                          f"--web.listen-address=127.0.0.1:{self.port}"], os.path.join(folder, "prometheus.log"))

    def ask(self, path, **parameters):
        """Returns the data of the answer, or None while Prometheus starts."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it still starts
                return None
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error
        except urllib.error.URLError:
            return None

    def values(self, query):
        data = self.ask("query", query=query)
        return [float(sample["value"][1]) for sample in data["result"]] if data else []

    def alerts(self):
        """Returns the alerting rules by name."""
        data = self.ask("rules")
        return {rule["name"]: rule for group in data["groups"] for rule in group["rules"]} if data else {}


class MonitoringTest(PortailTest):
    def test_alerts_of_series_that_are_written(self):
        done = subprocess.run(["promtool", "test", "rules", os.path.join(HERE, "alerts.yml")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alert_is_tried(self):
        with open(os.path.join(MONITORING, "alerts.yml"), encoding="utf-8") as file:
            names = re.findall(r"- alert: (\w+)", file.read())
        with open(os.path.join(HERE, "alerts.yml"), encoding="utf-8") as file:
            fires = set(re.findall(r"alertname: (\w+)\n\s+exp_alerts:", file.read()))
        self.assertEqual(set(names), fires)

    def test_the_dashboard_and_the_alerts_of_a_running_server(self):
        auth = self.bearer()
        with Valkey() as valkey, Server(self.folder, "--store", valkey.url, "--import", self.document(), "--metrics-listen",
                                        "127.0.0.1:0") as server:
            names = set(re.findall(r"^# TYPE (\S+)", text_of(server)[2] + self.metrics_of_a_synchronisation(), re.MULTILINE))
            with Prometheus(self.folder, metrics_port(server)) as prometheus:
                without = list(queries())

                def all_are_answered():
                    """Every query returns at least one value."""
                    for method, target in [("GET", "/api/app/objet-courrier"), ("POST", "/api/app/objet-courrier"), ("GET", "/nothing")]:
                        server.ask(method, target, [auth])
                    without[:] = [(title, query) for title, query in without
                                  if not any(value == value for value in prometheus.values(query))]
                    return not without
                try:
                    until(all_are_answered, "an answer to each query")
                except AssertionError:
                    self.fail(f"no answer to {without}")
                self.assertGreater(len(list(queries())), 30)
                # Every queried series exists.
                rules = until(lambda: (found := prometheus.alerts()) and all(rule["health"] == "ok" for rule in found.values()) and found,
                              "every alert to be evaluated")
                expressions = " ".join([query for _, query in queries()] + [rule["query"] for rule in rules.values()])
                self.assertEqual({name for name in NAME.findall(expressions) if re.sub("_bucket$", "", name) not in names}, set())
                # POST was answered 500, by agreement: that is no error. A scrape that comes too late has no values, and makes PortailDown
                # pending until the next one.
                until(lambda: (found := prometheus.alerts()) and {rule["state"] for rule in found.values()} == {"inactive"}, "no alert")
                errors = until(lambda: prometheus.values('sum(portail_requests_total{status="5xx"})'), "the number of errors")
                self.assertEqual(errors, [0])
                agreed = until(lambda: prometheus.values('sum(portail_requests_total{status="agreed 500"})'), "the number of agreed errors")
                self.assertGreater(agreed[0], 0)
                # A portal that cannot serve.
                server.process.kill()
                until(lambda: (found := prometheus.alerts()) and found["PortailDown"]["state"] == "pending", "the alert")

    def metrics_of_a_synchronisation(self):
        """Returns what --metrics-file of `portail import` has after a success."""
        must_run("import", "--if-changed", "--store", "memory:", "--state", self.path("state"), "--metrics-file", self.path("sync.prom"),
                 self.document())
        return self.read("sync.prom")

    def test_the_dashboard_is_consistent(self):
        board = dashboard()
        panels = board["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        cells = [(panel["gridPos"]["y"] + down, panel["gridPos"]["x"] + right) for panel in panels
                  for down in range(panel["gridPos"]["h"]) for right in range(panel["gridPos"]["w"])]
        self.assertEqual(len(set(cells)), len(cells), "panels lie on each other")
        self.assertLess(max(column for _, column in cells), 24)
        known = {variable["name"] for variable in board["templating"]["list"]} | {"__rate_interval"}
        self.assertEqual(set(re.findall(r"\$\{?(\w+)", json.dumps(panels))), known)


if __name__ == "__main__":
    unittest.main()

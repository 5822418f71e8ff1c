"""Reads a server's metrics."""

import http.client
import re

from support.program import until

LABEL = re.compile(r'(\w+)="([^"]*)"')


def metrics_port(server):
    def port():
        lines = server.events("metrics are served")
        return lines and lines[0]["port"]
    return int(until(port, "the metrics' port"))


def text_of(server, path="/metrics"):
    """Returns status, content type and text."""
    connection = http.client.HTTPConnection("127.0.0.1", metrics_port(server))
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.getheader("Content-Type"), text


def metrics_of(server):
    """Returns the samples, by name and labels."""
    status, content_type, text = text_of(server)
    if status != 200 or not content_type.startswith("text/plain; version=0.0.4"):
        raise AssertionError(f"{status} {content_type}")
    return {name: float(value) for name, value in re.findall(r"^([^#\s].*) (\S+)$", text, re.MULTILINE)}


def total(metrics, name, **labels):
    """The sum of the samples of that name that have these labels."""
    def matches(sample):
        sample_name, _, rest = sample.partition("{")
        return sample_name == name and labels.items() <= dict(LABEL.findall(rest)).items()
    return sum(value for sample, value in metrics.items() if matches(sample))

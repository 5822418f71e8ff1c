"""The management interface of a server."""

from support.program import until


def management_port(server):
    def port():
        lines = server.events("the management interface is served")
        return lines and lines[0]["port"]
    return int(until(port, "the port of the management interface"))

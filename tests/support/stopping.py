"""What a server that is told to stop does with a request under way. Standard library only."""

import contextlib
import http.client
import json
import socket

from waiting import PATIENCE, until

DRAIN = 10  # seconds that a request under way has when the server stops


def update_while_it_stops(address, process, authorization, number):
    """Sends the signal in the middle of the body of an update. The update's status, its typeAffectation, and the
    process's exit status. No other client is served from then on; and connections without a request are not waited for."""
    body = b'{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"}'
    with keep_alive(address) as kept, put_under_way(address, authorization, len(body)) as connection:
        connection.sendall(body[:20])
        process.send_signal(number)
        wait_until_refused(address)
        if is_ready(kept):
            raise AssertionError("it says that it is ready")
        connection.sendall(body[20:])
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, json.loads(answer.read()).get("typeAffectation"), process.wait(DRAIN / 2)


def put_under_way(address, authorization, size):
    """The connection of a PUT of which the server has the head, and waits for the body."""
    connection = begin_put(address, f"{authorization}\r\nExpect: 100-continue\r\nContent-Length: {size}\r\n\r\n")
    with connection.makefile("rb", 0) as said:
        lines = said.readline() + said.readline()
    if lines != b"HTTP/1.1 100 Continue\r\n\r\n":
        raise AssertionError(f"it does not ask for the body: {lines}")
    return connection


def begin_put(address, rest):
    """A connection on which a PUT has been begun."""
    connection = connect(address)
    connection.sendall("PUT /api/app/objet-courrier/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       f"{rest}".encode())
    return connection


def keep_alive(address):
    """A connection that has had its answer, and stays open."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    connection.request("GET", "/health/live")
    connection.getresponse().read()
    return contextlib.closing(connection)


def is_ready(connection):
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status != 503
    except ConnectionError:  # it was closed
        return False


def wait_until_refused(address):
    until(lambda: is_refused(address), "the end of its accepting")


def is_refused(address):
    try:
        connect(address).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:  # it waited to be accepted
        pass
    return False


def connect(address):
    name, port = address.split(":")
    return socket.create_connection((name, int(port)), PATIENCE)

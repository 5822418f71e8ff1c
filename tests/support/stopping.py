"""Checks how a server that gets a stop signal completes a pending request. Standard library only."""

import contextlib
import http.client
import json
import socket

from waiting import PATIENCE, until

DRAIN = 10  # seconds that a pending request has when the server stops


def update_while_it_stops(address, process, authorization, number):
    """Sends the signal in the middle of the body of an update. Returns the update's status, its typeAffectation, and the process's exit
    status. From then on the server accepts no client, and does not wait for connections without a request."""
    body = b'{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"}'
    with keep_alive(address) as kept, pending_put(address, authorization, len(body)) as connection:
        connection.sendall(body[:20])
        process.send_signal(number)
        wait_until_refused(address)
        if is_ready(kept):
            raise AssertionError("it says that it is ready")
        connection.sendall(body[20:])
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, json.loads(answer.read()).get("typeAffectation"), process.wait(DRAIN / 2)


def pending_put(address, authorization, size):
    """Returns the connection of a PUT whose head the server has read, and whose body it waits for."""
    connection = begin_put(address, f"{authorization}\r\nExpect: 100-continue\r\nContent-Length: {size}\r\n\r\n")
    with connection.makefile("rb", 0) as said:
        lines = said.readline() + said.readline()
    if lines != b"HTTP/1.1 100 Continue\r\n\r\n":
        raise AssertionError(f"it does not ask for the body: {lines}")
    return connection


def begin_put(address, rest):
    """Returns a connection on which the head of a PUT was sent."""
    connection = connect(address)
    connection.sendall("PUT /api/app/objet-courrier/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                       f"{rest}".encode())
    return connection


def keep_alive(address):
    """Returns a connection that stays open after its answer."""
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

"""Fetches a key set for the module."""

import http.client
import struct
import threading
import urllib.parse


def fetch_document(url, limit, seconds):
    """Returns the result of the module's operation `fetch`: the status and at most `limit` bytes of the body; or 0 and why there is no
    answer. Follows no redirect."""
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=seconds)
    # The timeout of a connection begins again with each read.
    timer = threading.Timer(seconds, lambda: connection.sock and connection.sock.shutdown(2))
    timer.daemon = True
    timer.start()
    try:
        connection.request("GET", urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, "")),
                           headers={"Accept": "application/json"})
        answer = connection.getresponse()
        status, body = answer.status, answer.read(limit) if answer.status == 200 else b""
        if timer.finished.is_set():
            raise TimeoutError("timed out")
    except (OSError, http.client.HTTPException) as fault:
        reason = "timed out" if timer.finished.is_set() else str(fault) or type(fault).__name__
        status, body = 0, " ".join(reason.split()).encode()
    finally:
        timer.cancel()
        connection.close()
    return struct.pack("<I", status) + body

"""The portal as an ASGI 3 application, for uvicorn, hypercorn or daphne. The store runs in threads."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .portal import END, FORWARDING_TRUSTED, HAS_BODY, HTTPS, PIECE, WANTS_BODY, Fault, Portal, Request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def asgi(portal: Portal, *, trust_forwarding: bool = False) -> Callable[[Message, Receive, Send], Awaitable[None]]:
    """Returns the application. `trust_forwarding`: X-Forwarded-Proto and Forwarded come from your own proxy (PORTAIL_TRANSPORT=forwarded)."""

    async def application(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await live(receive, send)
        if scope["type"] != "http":
            raise ValueError(f"portail serves http, not {scope['type']}")
        headers = [(bytes(name), bytes(value)) for name, value in scope["headers"]]
        flags = (HTTPS if scope.get("scheme") == "https" else 0) | (FORWARDING_TRUSTED if trust_forwarding else 0)
        flags |= HAS_BODY if any(announces_body(*header) for header in headers) else 0
        try:
            request = await asyncio.to_thread(portal.begin, flags, scope["method"].encode(), target_of(scope), headers)
        except Fault:
            return await refuse(send)
        try:
            await exchange(request, receive, send)
        finally:
            request.end()

    return application


async def exchange(request: Request, receive: Receive, send: Send) -> None:
    ended = False
    while request.state == WANTS_BODY:
        message: Message = {"type": "http.request"} if ended else await receive()
        if message["type"] == "http.disconnect":
            await asyncio.to_thread(request.lose_body)
            continue
        piece = message.get("body", b"")
        ended = ended or not message.get("more_body", False)
        if piece or ended:
            await asyncio.to_thread(request.give_body, piece)
    status, _, headers = request.head()
    measured = any(name.lower() == b"content-length" for name, _ in headers)
    await asyncio.to_thread(request.next)
    if request.state == PIECE and not measured and not request.stream(lambda: None):
        return await refuse(send)
    await send({"type": "http.response.start", "status": status, "headers": [(name.lower(), value) for name, value in headers]})
    while request.state == PIECE:
        await send({"type": "http.response.body", "body": request.data, "more_body": True})
        await asyncio.to_thread(request.next)
    if request.state != END:
        raise ConnectionAbortedError("the answer cannot be completed")
    await send({"type": "http.response.body", "body": b""})


async def live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            return await send({"type": "lifespan.shutdown.complete"})


async def refuse(send: Send) -> None:
    await send({"type": "http.response.start", "status": 503, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def target_of(scope: Message) -> bytes:
    """Returns the target below the application's path, as received if the server has it."""
    path = bytes(scope.get("raw_path") or scope["path"].encode())
    root = scope.get("root_path", "").encode()
    if root and path.startswith(root + b"/"):
        path = path[len(root):]
    query = bytes(scope.get("query_string", b""))
    return path + b"?" + query if query else path


def announces_body(name: bytes, value: bytes) -> bool:
    return name.lower() == b"transfer-encoding" or (name.lower() == b"content-length" and value != b"0")

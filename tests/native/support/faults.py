"""A proxy between a portal and its store's engine that injects network faults. Standard library only.

    tests/native/support/faults.py PORT slow|split    # prints the proxy's port, and runs until its standard input ends
"""

import asyncio
import collections
import contextlib
import enum
import socket
import struct
import sys
import threading

PIECES = 16  # bytes of a segment that are sent one by one; the rest follows as one piece


class Fault(enum.Enum):
    NONE = "none"
    SLOW = "slow"  # every segment is delayed by `delay` seconds
    SPLIT = "split"  # as SLOW, and bytes come one by one
    SILENT = "silent"  # no byte passes and no connection ends; bytes in flight are delivered when the silence ends
    RESET = "reset"  # every connection is reset
    LOST = "lost"  # a request passes; its answer is replaced by a reset
    UNSENT = "unsent"  # a request is replaced by a reset
    HALVED = "halved"  # half of an answer, then a reset
    FALSE_BEGINNING = "false beginning"  # the first byte of an answer is changed
    FALSE_MIDDLE = "false middle"  # the middle byte of an answer is changed


def reset(writer):
    own = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):  # its peer may have ended it
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def changed(data, at):
    return data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1:]


class Faults:
    """Listens on `port` and forwards to an engine's port. The fault can be changed at any time."""

    def __init__(self, target, fault=Fault.NONE, delay=0.001):
        self.target, self.fault, self.delay = target, fault, delay
        self.single = None  # a fault of one answer or request: how many more until then, and the fault
        self.marked = None  # a fault of one request, or of its answer: a part of the request's bytes, the fault, and the later fault
        self.hit_client = None  # the writer of the client whose next answer has the fault of `marked`
        self.counts = collections.Counter()  # how often each fault was applied to bytes
        self.connections = set()
        self.is_passing = asyncio.Event()
        self.is_passing.set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self.run_in_loop(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run_in_loop(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def set_fault(self, fault):
        """Applies the fault to all bytes from now on."""
        self.run_in_loop(self.apply(fault))

    @contextlib.contextmanager
    def during(self, fault):
        self.set_fault(fault)
        try:
            yield
        finally:
            self.set_fault(Fault.NONE)

    def inject_once(self, number, fault):
        """Applies the fault to one future answer (for UNSENT: request), counted from 1. SILENT stays in effect."""
        self.run_in_loop(self.apply(Fault.NONE, (number, fault)))

    def inject_at(self, marker, fault, later=Fault.NONE):
        """Applies the fault to the answer to the next request that contains `marker` (for UNSENT: to the request), and then `later` to all
        bytes."""
        self.run_in_loop(self.apply(Fault.NONE, marked=(marker, fault, later)))

    def was_injected(self):
        """Whether the fault of the last inject_once() or inject_at() was applied."""
        return self.single is None and self.marked is None

    def run_in_loop(self, coroutine):
        """Runs the coroutine in the proxy's thread, which owns all other state, and returns its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    async def apply(self, fault, single=None, marked=None):
        self.fault, self.single, self.marked, self.hit_client = fault, single, marked, None
        if fault is Fault.SILENT:
            self.is_passing.clear()
        else:
            self.is_passing.set()
        if fault is Fault.RESET:
            self.reset_all()

    async def end(self):
        self.server.close()
        self.reset_all()
        self.is_passing.set()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def reset_all(self):
        for writer in self.connections:
            reset(writer)

    async def serve(self, reader, writer):
        ends = [writer]
        self.connections.add(writer)
        try:
            await self.is_passing.wait()
            if self.fault is Fault.RESET:
                return
            there, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
            ends.append(there_writer)
            self.connections.add(there_writer)
            ways = [asyncio.ensure_future(self.pass_requests(reader, there_writer, writer)),
                    asyncio.ensure_future(self.pass_answers(there, writer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                await self.is_passing.wait()
                if all(not way.done() or way.result() for way in ways):  # an orderly end
                    for end in ends:
                        end.close()
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except OSError:
            pass  # one end has closed the connection, or refused it
        finally:
            for end in ends:
                self.connections.discard(end)
                if not end.is_closing():
                    reset(end)

    async def pass_requests(self, reader, writer, client):
        """Forwards the requests of the client with that writer. True at their orderly end; false if the connection is to be reset."""
        while data := await reader.read(65536):
            await self.is_passing.wait()
            fault = self.fault_of_a_request()
            if self.marked and self.marked[0] in data:
                if self.marked[1] is Fault.UNSENT:
                    fault = await self.apply_marked()
                else:
                    self.hit_client = client
            self.counts[fault] += 1
            if fault is Fault.UNSENT:
                return False
            await self.send(data, writer, fault)
        return True

    async def pass_answers(self, reader, writer):
        """Forwards the answers; returns as pass_requests() does."""
        while data := await reader.read(65536):
            await self.is_passing.wait()
            fault = await self.apply_marked() if writer is self.hit_client else self.fault_of_an_answer()
            if fault is Fault.SILENT:
                await self.apply(fault)
                await self.is_passing.wait()
            self.counts[fault] += 1
            if fault is Fault.LOST:
                return False
            if fault is Fault.HALVED:
                writer.write(data[:len(data) // 2])
                return False
            if fault is Fault.FALSE_BEGINNING:
                data = changed(data, 0)
            elif fault is Fault.FALSE_MIDDLE:
                data = changed(data, len(data) // 2)
            await self.send(data, writer, fault)
        return True

    async def apply_marked(self):
        _, fault, later = self.marked
        await self.apply(later)
        return fault

    def fault_of_a_request(self):
        return self.next_fault() if self.single and self.single[1] is Fault.UNSENT else self.fault

    def fault_of_an_answer(self):
        return self.next_fault() if self.single and self.single[1] is not Fault.UNSENT else self.fault

    def next_fault(self):
        number, fault = self.single
        self.single = (number - 1, fault) if number > 1 else None
        return fault if number == 1 else self.fault

    async def send(self, data, writer, fault):
        if fault in (Fault.SLOW, Fault.SPLIT):
            await asyncio.sleep(self.delay)
        pieces = [data]
        if fault is Fault.SPLIT:
            pieces = [data[i:i + 1] for i in range(min(len(data), PIECES))] + [data[PIECES:]]
        for piece in pieces:
            if writer.is_closing():
                raise ConnectionResetError
            writer.write(piece)
            await asyncio.sleep(0)  # lets the loop send it
        await writer.drain()


if __name__ == "__main__":
    with Faults(int(sys.argv[1]), Fault(sys.argv[2])) as faults:
        print(faults.port, flush=True)
        sys.stdin.read()

"""A proxy between a portal and the engine of its store, which passes bytes on, and does to them what networks do. Standard library only.

    tests/native/support/faults.py PORT slow|split    # prints the port that leads there, until its input ends
"""

import asyncio
import contextlib
import enum
import socket
import struct
import sys
import threading

PIECES = 16  # of a segment, so many bytes go one by one, and the others together


class Fault(enum.Enum):
    NONE = "none"
    SLOW = "slow"  # every segment takes `delay` seconds longer
    SPLIT = "split"  # as SLOW, and bytes come one by one
    SILENT = "silent"  # nothing passes, and nothing ends; what was on its way comes when the silence is over
    RESET = "reset"  # every connection is reset
    LOST = "lost"  # a request passes; instead of its answer comes a reset
    UNSENT = "unsent"  # instead of a request's passing comes a reset
    HALVED = "halved"  # half of an answer, then a reset
    FALSE_BEGINNING = "false beginning"  # the first byte of an answer is another one
    FALSE_MIDDLE = "false middle"  # the byte in its middle is


def reset(writer):
    own = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):  # its peer may have ended it
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def changed(data, at):
    return data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1:]


class Faults:
    """Listens on `port`, and leads to the port of an engine. What happens to the bytes is changed at any time."""

    def __init__(self, target, fault=Fault.NONE, delay=0.001):
        self.target, self.fault, self.delay = target, fault, delay
        self.single = None  # the fault of one answer, or one request, and its number among those that are yet to come
        self.connections = set()
        self.sound = asyncio.Event()
        self.sound.set()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self.do(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.do(self.end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def be(self, fault):
        """From now on, for everything."""
        self.do(self.become(fault))

    @contextlib.contextmanager
    def during(self, fault):
        self.be(fault)
        try:
            yield
        finally:
            self.be(Fault.NONE)

    def hit(self, number, fault):
        """Of the answers from now on only the one of that number, counted from 1; for UNSENT, of the requests. SILENT stays."""
        self.do(self.become(Fault.NONE, (number, fault)))

    def has_hit(self):
        """Whether the last `hit` has."""
        return self.single is None

    def lead_to(self, target):
        """Another port; the connections to the one before are reset."""
        self.do(self.turn(target))

    def do(self, coroutine):
        """In the proxy's own thread, to which everything else here belongs."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    async def become(self, fault, single=None):
        self.fault, self.single = fault, single
        if fault is Fault.SILENT:
            self.sound.clear()
        else:
            self.sound.set()
        if fault is Fault.RESET:
            self.reset_all()

    async def turn(self, target):
        self.target = target
        self.reset_all()

    async def end(self):
        self.server.close()
        self.reset_all()
        self.sound.set()
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
            await self.sound.wait()
            if self.fault is Fault.RESET:
                return
            there, there_writer = await asyncio.open_connection("127.0.0.1", self.target)
            ends.append(there_writer)
            self.connections.add(there_writer)
            ways = [asyncio.ensure_future(self.pass_requests(reader, there_writer)),
                    asyncio.ensure_future(self.pass_answers(there, writer))]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                await self.sound.wait()
                if all(not way.done() or way.result() for way in ways):  # an orderly end
                    for end in ends:
                        end.close()
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except OSError:
            pass  # one of both ends has gone, or was never there
        finally:
            for end in ends:
                self.connections.discard(end)
                if not end.is_closing():
                    reset(end)

    async def pass_requests(self, reader, writer):
        """Forwards the requests. True at their orderly end; false if the connection is to be reset."""
        while data := await reader.read(65536):
            await self.sound.wait()
            fault = self.fault_of_a_request()
            if fault is Fault.UNSENT:
                return False
            await self.send(data, writer, fault)
        return True

    async def pass_answers(self, reader, writer):
        """Forwards the answers; returns the same."""
        while data := await reader.read(65536):
            await self.sound.wait()
            fault = self.fault_of_an_answer()
            if fault is Fault.SILENT:
                await self.become(fault)
                await self.sound.wait()
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
            await asyncio.sleep(0)  # the loop's turn, which sends it
        await writer.drain()


if __name__ == "__main__":
    with Faults(int(sys.argv[1]), Fault(sys.argv[2])) as faults:
        print(faults.port, flush=True)
        sys.stdin.read()

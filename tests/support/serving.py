"""Programs that a test starts, waits for, and stops; and hosts, which get requests on a free port of loopback. Standard library only."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.parse

from portal import clean_environment
from waiting import PATIENCE


RESERVATIONS = []  # a socket for each port of free_port


def free_port():
    """Returns a port that is free now, and that no other test gets until this process ends, so that a server can be restarted on it. It is
    below those that the system gives to clients, and to servers that ask for any port. An abstract socket named after it reserves it."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as ports:
        first_given = int(ports.read().split()[0])
    while True:
        port = random.randrange(10_000, first_given)
        with contextlib.suppress(OSError), contextlib.ExitStack() as closed:
            reservation = closed.enter_context(socket.socket(socket.AF_UNIX))
            reservation.bind(f"\0portail-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
            closed.pop_all()
            RESERVATIONS.append(reservation)
            return port


def slow_client(port, data, address="127.0.0.1"):
    """Returns a connection from `address` that has sent the data. Its receive buffer is small: a server can send little that is not read."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(PATIENCE)
    client.bind((address, 0))
    client.connect(("127.0.0.1", port))
    client.sendall(data if isinstance(data, bytes) else data.encode())
    return client


class Running:
    """A program in a process group of its own. The constructor starts it. `log` is the file of its output."""

    stop_signal = signal.SIGINT
    patience = PATIENCE  # seconds until it is ready, or has ended
    interval = 0.01  # seconds between two reads of the log

    def __init__(self, command, log, environment=None, folder=None):
        self.log = pathlib.Path(log)
        with self.log.open("w") as file:
            self.process = subprocess.Popen(command, cwd=folder, env=clean_environment() if environment is None else environment, stdin=subprocess.DEVNULL, stdout=file,
                                            stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def output(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_for(self, pattern):
        """Returns the pattern's first match in the output. If it does not appear, the program is stopped, and RuntimeError raised."""
        deadline = time.monotonic() + self.patience
        while not (found := re.search(pattern, self.output())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self.process.args[0]} is not ready, {self.log.name}:\n{self.output()}")
            time.sleep(self.interval)
        return found

    def stop(self, by=None):
        """Stops it; returns whether it was running. The whole process group gets the signal, since strace, before a host, ignores it."""
        running = self.process.poll() is None
        if running:
            os.killpg(self.process.pid, by or self.stop_signal)
        try:
            self.process.wait(self.patience)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return running


class Serving(Running):
    """A host that prints its address: "listening on http://ADDRESS", "Serving HTTP on http://ADDRESS" as `wasmtime serve` does, or workerd's
    JSON. `scheme` and `address` are set in a `with` block, or after wait_for_address."""

    announcement = r'(?:Serving HTTP|listening) on (https?)://(\S+?)/?\s|"socket":"http".*"port":(\d+)'

    def __enter__(self):
        self.wait_for_address()
        return self

    def wait_for_address(self):
        found = self.wait_for(self.announcement)
        self.scheme, self.address = found[1] or "http", found[2] or f"127.0.0.1:{found[3]}"

    @property
    def url(self):
        return f"{self.scheme}://{self.address}"

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def ask(self, target, headers=None, method="GET", body=None):
        """Sends a request; returns the status, the headers and the body. Any certificate is accepted."""
        if self.scheme == "https":
            connection = http.client.HTTPSConnection(self.address, timeout=PATIENCE, context=ssl._create_unverified_context())
        else:
            connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


def variables(settings):
    """Returns the flags of `wasmtime` that set these environment variables of a component."""
    return [part for name, value in settings.items() for part in ("--env", f"{name}={value}")]


class Wasmtime(Serving):
    """A component under `wasmtime serve`, with these settings as its environment variables. `tracer` is the command before it."""

    stop_signal = signal.SIGTERM  # after SIGINT it waits two seconds for instances

    def __init__(self, wasmtime, component, log, *flags, settings=None, tracer=(), environment=None):
        super().__init__([*tracer, wasmtime, "serve", "-S", "cli,p3", "--addr", "127.0.0.1:0", *flags, *variables(settings or {}), component],
                         log, environment)


class Spin(Serving):
    """The application of a manifest under `spin up`, with the settings as its variables, over `values`: an SQLite file, or a URL of Redis."""

    announcement = r"Serving (https?)://(\S+)()"

    def __init__(self, spin, manifest, log, values, settings):
        folder = pathlib.Path(log).parent
        self.runtime = folder / f"{pathlib.Path(log).name}.toml"
        store = f'type = "redis"\nurl = "{values}"' if str(values).startswith("redis:") else f'type = "spin"\npath = "{values}"'
        self.runtime.write_text(f"[key_value_store.default]\n{store}\n")
        settings = {name.removeprefix("PORTAIL_").lower(): value for name, value in settings.items()}
        if settings.get("jwks", "").startswith("http"):
            settings.setdefault("identity_provider", "/".join(settings["jwks"].split("/")[:3]))
        flags = [part for name, value in settings.items() for part in ("--variable", f"{name}={value}")]
        super().__init__([spin, "up", "--from", manifest, "--listen", f"127.0.0.1:{free_port()}", "--runtime-config-file", self.runtime,
                          "--state-dir", folder / "state", *flags],
                         log, os.environ | {"SPIN_DATA_DIR": str(folder / "spin"), "HOME": str(folder)})


class Wash(Serving):
    """A component under `wash dev`, in a folder of its own, with the settings as its configuration. The directory `values` holds buckets."""

    announcement = "listening for HTTP requests"

    def __init__(self, wash, component, log, values, settings):
        self.folder = pathlib.Path(log).with_suffix(".wash")
        (self.folder / ".wash").mkdir(parents=True, exist_ok=True)
        self.local_port = free_port()
        settings = {name.lower(): value for name, value in settings.items()}
        configuration = {"version": "2.0.0", "build": {"command": "true", "component_path": str(component)},
                         "dev": {"address": f"127.0.0.1:{self.local_port}", "wasi_keyvalue_path": str(values)},
                         "workload": {"config": settings}}
        (self.folder / ".wash/config.yaml").write_text(json.dumps(configuration))  # JSON is YAML
        super().__init__([wash, "dev", "--non-interactive"], log, os.environ | {"HOME": str(self.folder), "RUST_BACKTRACE": "0"}, self.folder)

    def wait_for_address(self):
        self.wait_for(self.announcement)
        self.scheme, self.address = "http", f"127.0.0.1:{self.local_port}"


class Viceroy(Serving):
    """A module of Fastly Compute under Viceroy. `stores` are the items of config stores, and `secrets` those of secret stores, by the
    stores' names; `values` are the files of the KV store "portail" by key, or None if the store is absent. Requests to the hosts of the
    URLs `backends` are allowed. `trace` is the filter of Viceroy's own log."""

    announcement = r"Listening on (http)://(\S+)()"

    def __init__(self, viceroy, module, log, stores, secrets=None, values=(), backends=(), trace="error,viceroy_lib::service=info"):
        self.configuration = pathlib.Path(log).with_suffix(".toml")
        local = {"config_stores": {name: {"format": "inline-toml", "contents": items} for name, items in stores.items()},
                 "secret_stores": {name: [{"key": key, "data": text} for key, text in items.items()] for name, items in (secrets or {}).items()},
                 "kv_stores": {} if values is None else {"portail": [{"key": file.name, "file": str(file)} for file in values]},
                 "backends": {urllib.parse.urlsplit(url).hostname: {"url": url.removesuffix(urllib.parse.urlsplit(url).path)} for url in backends}}
        self.configuration.write_text(f"manifest_version = 3\nlocal_server = {inline_toml(local)}\n")
        super().__init__([viceroy, "-C", self.configuration, "--addr", "127.0.0.1:0", module], log,
                         clean_environment() | {"RUST_LOG": trace, "RUST_BACKTRACE": "0", "NO_COLOR": "1"})


def inline_toml(value):
    """Returns a value of TOML on one line. JSON's strings are TOML's."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {inline_toml(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline_toml, value)) + "]"
    return json.dumps(value)

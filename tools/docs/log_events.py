"""The events of the log, extracted from the sources, with their meanings. Standard library only.

An event is the constant text of a call such as `log.warn("reloaded", …)`. find_events() finds names, levels and members in the sources;
MEANINGS has their explanations. An event that is in only one of the two is an error of check().
"""

import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ["core/**/*.[ch]pp", "native/**/*.[ch]pp", "edge/**/*.[ch]pp", "wasm/**/*.[ch]pp", "wasm/hosts/javascript/src/**/*.ts"]
# Their warnings become error messages of commands, not log lines.
OF_COMMANDS = {"native/import/import_files.cpp"}
SERVER, COMPONENTS, PACKAGE = "server", "components", "package"
# The most specific first.
HOSTS = {
    "core/webassembly/": (COMPONENTS, PACKAGE),
    "core/": (SERVER, COMPONENTS, PACKAGE),
    "native/": (SERVER,),
    "edge/": (COMPONENTS,),
    "wasm/": (PACKAGE,),
}

# A comment or a literal, or one other character.
TOKEN = re.compile(r'''
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"
  | "(?:\\.|[^"\\\n])*"
  | `(?:\\.|[^`\\])*`
  | '(?:\\.|[^'\\\n])*'
  | .
''', re.VERBOSE | re.DOTALL)
WARNING = re.compile(r'\blog_?\.warn\(\s*(?:"([^"]+)"|(\w+)),')
WRITTEN = re.compile(r'\blog_?\.write\(LogLevel::(\w+), "([^"]+)"(.*?)\);', re.DOTALL)
FORWARDED = re.compile(r'\b(?:failed|finish|log_failure)\(context, (?:[\w.*]+, )*"([^"]+)"')
CONSTANT = re.compile(r'\bstring_view (?:event|event_name|\w+_failed|\w+_lost) = "([^"]+)";')
OF_PACKAGE = re.compile(r'\blog\("([^"]+)", ')
MEMBER = re.compile(r'\.name = "(\w+)"')

# Lines that the sources compose: (file, level, members of the line after time, level and event).
REQUEST = ("correlationId", "method", "route", "status", "reason", "microseconds", "subject")
REQUEST_SOURCE = "core/http/response.cpp"
TRACE = ("traceId", "spanId", "parentSpanId")  # after correlationId
TRACE_SOURCE = "native/telemetry/access_log.cpp"
EVENT_MEMBER = re.compile(r'\\"event\\":\\"([^"\\]+)|(?<!\\)"event":"([^"\\]+)')
COMPOSED = {
    "access": (REQUEST_SOURCE, "info", ("access", *REQUEST[:3], "entity", "status", "reason", "client", "subject")),
    "key set not refreshed": ("native/keys/refreshing_keys.cpp", "warning", ("detail", "consecutiveFailures", "keySetAgeSeconds")),
    "log lines were lost: they were not read in time": ("native/system/log.cpp", "warning", ("detail",)),
}

MEANINGS = {
    "Start, reload and stop": {
        "fewer connections than --max-connections: the limit of open files is too low":
            "The server accepts fewer connections than configured, as `detail` says; raise `LimitNOFILE`.",
        "pseudonyms in the log change at each start: set PORTAIL_LOG_KEY":
            "`--log-key` is not set.",
        "variables of an orchestrator are ignored": "`detail` names the links of services, which begin with `PORTAIL_` too.",
        "the store is empty": "Nothing was imported yet.",
        "old audit records were removed": "They were older than `--audit-retention`; `records` is their number.",
        "expired audit records are kept":
            "This start, or import over HTTP, removed the oldest 31 days only. If the clock is right, run `portail audit --prune`.",
        "the store refuses writes: requests that write are refused with 503": "A test write failed; `detail` has the reason and the remedy.",
        "the store may lose values": "Its server removes values when its memory is full.",
        "the TLS certificate expires soon": "Within 30 days, also an issuer; or one of its file has expired. Checked at start, at reload and when its file is replaced.",
        "the TLS certificate was replaced": "Its files changed: new connections use the new one.",
        "the TLS certificate was replaced, but the previous one stays in effect":
            "The new files cannot be used, or do not fit each other. The next change is tried again.",
        "metrics are served": "`--metrics-listen` is bound to this port.",
        "metrics are no longer served": "The listener of `--metrics-listen` failed.",
        "the management interface is served": "`--manage-listen` is bound to this port.",
        "the management interface is no longer served": "The listener of `--manage-listen` failed.",
        "the lock of the import was lost, and another one may be running": "An import over HTTP stopped with 503; send it again.",
        "a stored value is damaged": "A check over HTTP failed; `detail` is the key. Import the document again, or restore a backup.",
        "a stored value is missing": "The same: the store has lost the value of this key.",
        "old audit records cannot be removed": "After an import over HTTP, which succeeded; the next one tries again.",
        "template files that were sent cannot be removed": "After an import over HTTP, which succeeded; the next one that names the mail object removes them.",
        "the temporary file of a management request cannot be used": "The request got 503, or `changesTruncated` in its report.",
        "workers are ready": "The server accepts requests.",
        "reloaded": "SIGHUP: certificate and log level are in force; the key set is read again.",
        "not reloaded: the previous values stay in effect": "SIGHUP: nothing changed.",
        "changed settings take effect after a restart": "SIGHUP: `detail` lists them.",
        "changed settings are overridden by flags or the environment":
            "SIGHUP: `detail` lists them.",
        "stopping": "SIGTERM or SIGINT arrived, or the program that embeds the module drains it; `/health/ready` is 503.",
        "connections are closed: the shutdown timeout has expired":
            "`detail` is their number.",
        "stopped": "The last answer was sent.",
        "stopped immediately by a second signal": "Open connections were dropped.",
        "not serving": "The settings or the store are unusable; requests get 503.",
        "transport loopback": "The host must listen on a loopback address only.",
    },
    "Requests and load": {
        "access": "A manager read bundles (`managed bundle`, `managed bundles`), or a request was refused with 403, or with 401 or 503 if "
                  "requests have no line (`refused`, with `reason`). Written whatever the level.",
        "request failed": "A request was answered 500; `detail` is the kind of failure.",
        "consultation not recorded": "The store did not keep that the owner of a bundle has seen it.",
        "load is shed: requests wait too long for a worker": "`detail` counts the requests and TLS handshakes rejected by `--queue-timeout`.",
        "requests are refused: their address or subject exceeds its rate limit":
            "`detail` counts them (`--requests-per-address`, `--requests-per-subject`).",
        "requests are refused: their clients have too many streamed answers in flight":
            "`detail` counts them (`--max-streams-per-client`).",
        "connections are refused: --max-connections or --max-connections-per-address is reached": "`detail` counts them.",
        "answers are cut off: their clients leave too many bytes unread": "`--max-unsent` was reached; `detail` counts them.",
        "connections wait: the machine is out of resources": "The system refused a new connection.",
        "connections are closed: the machine has no resources to poll them": "The system refused to watch a new connection.",
        "log lines were lost: they were not read in time": "The reader of standard error is too slow; `detail` is their number.",
        "spans were not accepted by the collector": "They were dropped.",
    },
    "Key set": {
        "key set loaded": "A new key set is in force.",
        "key set not refreshed": "The previous keys stay in force.",
        "key set refreshed again": "The source answers again.",
        "key set too old: no key is used until its source answers": "`--jwks-max-age` passed; requests with a token get 503.",
        "key refused": "A key of the set is not used.",
        "key set has private members": "They are ignored: publish public keys only.",
        "no usable key: the service is not ready": "`detail` is the source of the key set.",
        "key set": "The key set is missing, unreadable, invalid or too old.",
        "key": "A key has private members, which are ignored: publish public keys only.",
    },
    "Store": {
        "newer store": "A newer minor version wrote the store; this one serves it.",
        "store refused": "The store has the layout of a newer version, or other data.",
        "store: no session": "A read could not begin.",
        "store: a read failed": "The request was answered 503 or 500.",
        "store: a scan failed": "Listing keys failed.",
        "store: a write failed": "The request was answered 503 or 500.",
        "store: a write failed, nothing was changed": "The transaction was rolled back.",
        "store: the answer to a write was lost": "The write may have succeeded.",
        "store: the lease of a stalled writer was removed": "`dir:` only. Its unfinished write was cancelled; `detail` names the writer.",
        "store: its files were replaced; it is no longer served": "Requests get 503; restart the server.",
        "store: it is closed and opened again": "`lmdb:` only. A write failed fatally.",
        "store: it was opened again": "`lmdb:` only.",
        "store: it cannot be opened again": "`lmdb:` only. Requests get 503.",
        "store: the host's store cannot be opened": "Spin only.",
        "store": "A call of the program's store failed.",
    },
    "Embedding": {
        "module": "The WebAssembly module could not start, or ended with a trap; the next request starts it again.",
        "now": "The program's clock failed.",
        "body consumed": "The program read the body before the portal: the request got 500. Mount the portal before parsers of bodies.",
        "request refused": "The request got 503, or 400, 408 or 431 of Node; `detail` has the reason.",
        "requests are refused: the module's memory is full": "`begin` returns 0, and the program answers 503; `detail` is the memory in use.",
    },
}


class Event:
    def __init__(self):
        self.levels, self.members, self.hosts = set(), [], set()

    def add(self, level, members, path):
        self.levels.add(level)
        self.members += [member for member in members if member not in self.members]
        self.hosts.update(hosts_of(path))


def hosts_of(path):
    return next(hosts for prefix, hosts in HOSTS.items() if path.startswith(prefix))


def plain(source):
    """The source without comments, and with adjacent literals as one."""
    kept = "".join(" " if token.lastgroup == "comment" else token[0] for token in TOKEN.finditer(source))
    return re.sub(r'(?<!\\)"\s+"', "", re.sub(r"\s+", " ", kept))


def find_events(sources):
    """The events by their names; `sources` are pairs of path and text. A ValueError if a call has an event that is not found."""
    events = collections.defaultdict(Event)
    for path, source in sources:
        if path in OF_COMMANDS:
            continue
        text = plain(source)
        if path.endswith(".ts"):
            for name in OF_PACKAGE.findall(text):
                events[name].add("warning", ["detail"], path)
            continue
        passed = CONSTANT.findall(text) + FORWARDED.findall(text)
        for name, variable in WARNING.findall(text):
            if variable and not passed:
                raise ValueError(f"{path}: log.warn({variable}, …): no event found for it; see FORWARDED and CONSTANT in tools/docs/log_events.py")
            if name:
                events[name].add("warning", ["detail"], path)
        for name in passed if "log" in text or "failed(" in text else []:
            events[name].add("warning", ["detail"], path)
        for level, name, fields in WRITTEN.findall(text):
            events[name].add(level, MEMBER.findall(fields), path)
        for name in ("".join(found) for found in EVENT_MEMBER.findall(text)):
            if name not in COMPOSED or COMPOSED[name][0] != path:
                raise ValueError(f'{path}: writes the event "{name}"; add it to COMPOSED in tools/docs/log_events.py')
            _, level, members = COMPOSED[name]
            events[name].add(level, members, path)
            check_members(path, text, members)
        if path == REQUEST_SOURCE:
            check_members(path, text, REQUEST)
        if path == TRACE_SOURCE:
            check_members(path, text, TRACE)
    return events


def check_members(path, text, members):
    for member in members:
        if not re.search(rf'"{member}\\?"', text):
            raise ValueError(f'{path}: does not write the member "{member}"; see REQUEST and COMPOSED in tools/docs/log_events.py')


def own_sources():
    for path in sorted({path for pattern in SOURCES for path in ROOT.glob(pattern)}):
        name = path.relative_to(ROOT).as_posix()
        if "/node_modules/" not in name:
            yield name, path.read_text(encoding="utf-8")


def check(events):
    """A line for each event without a meaning, and for each meaning without an event."""
    meant = [name for section in MEANINGS.values() for name in section]
    return ([f'the event "{name}" has no meaning: add one to MEANINGS in tools/docs/log_events.py' for name in events if name not in meant] +
            [f'no source writes the event "{name}": remove it from MEANINGS in tools/docs/log_events.py' for name in meant if name not in events])

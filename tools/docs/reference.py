#!/usr/bin/env python3
"""reference.py [--write]: compares the generated pages and files with the code; --write updates them.

settings.md has the rows of native/settings/setting_table.hpp, commands.md the program's help, metrics.md what GET /metrics answers,
log-events.md the events in the sources (log_events.py), and refusals.md what `portail explain --list` prints. schemas.py has what repeats
the fields of the entities and the routes. Runs four programs of the release build; DESCRIPTION_ROWS, SETTING_ROWS, METRIC_ROWS and
TEST_PROGRAM name others. Standard library only.
"""

import argparse
import difflib
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

import log_events
import schemas

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {
    "DESCRIPTION_ROWS": "build/tests/documents/description_rows",
    "SETTING_ROWS": "build/tests/documents/setting_rows",
    "METRIC_ROWS": "build/tests/documents/metric_rows",
    "TEST_PROGRAM": "build/native/portail",
}
UPDATE = "tools/dev shell python3 tools/docs/reference.py --write"
GENERATED = f"Generated from the code; do not edit. After `tools/dev build`: `{UPDATE}`"


class NotGenerated(Exception):
    """Why a page cannot be generated, in one line."""


@functools.cache
def output_of(variable, *arguments):
    """Returns what a program prints; it runs once."""
    program = os.environ.get(variable) or ROOT / PROGRAMS[variable]
    try:
        return subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout
    except FileNotFoundError:
        raise NotGenerated(f"{program} is missing; build it with tools/dev build") from None
    except subprocess.CalledProcessError as error:
        raise NotGenerated(f"{program} failed with status {error.returncode}") from None


# Markdown

# Text that is typed literally: addresses, names of variables, flags, request lines and header fields.
TYPED = re.compile(r"""(?<![\w`/])(?:
    \d{4}-\d\d-\d\d\S*\b | (?<=[ (])-(?=[ ]) | issuer\ =\ "[^"]*"
  | \b(?:iss|aud|sub|tenantid|client_id|jwks_uri|utilisablePourLiasse|typeAffectation|portail-otlp|Forwarded)\b
  | (?:https?|redis|postgres)://[^\s,;()"]* | (?:lmdb|dir|spin-sqlite|redis|postgres|memory):(?![ ])[^\s,;()]* | memory: | redis: | postgres:
  | ~/[\w./-]+ | \[?[\d.:]+\]?:\d+ | localhost:\d+ | :\d+\b | 10\.0\.0\.0/8 | 192\.0\.2\.7
  | \b(?:fr|en)=\S* | \{(?:bundle|piece)\} | --[a-z][a-z-]+ | PORTAIL_\w+ | (?:GET\ )?/(?:metrics|health) | X-Forwarded-Proto | \bname=value\b | resource=https\S+ | NAME=JSON
)""", re.VERBOSE)


def with_code(text):
    """The text with code spans and without other Markdown syntax."""
    return re.sub(r"(`[^`]*`)|" + TYPED.pattern, lambda found: found[1] or f"`{found[0]}`", text, flags=re.VERBOSE)


def code(text):
    return f"`{text}`" if text else ""


def table(head, rows):
    cells = [head, ["---"] * len(head), *rows]
    return ["|" + "|".join(cell.replace("|", "\\|") or " " for cell in row) + "|" for row in cells]


# Settings


def settings():
    return [row for row in json.loads(output_of("SETTING_ROWS")) if not row["isHidden"]]


def value_of(row):
    """The allowed values of the setting."""
    kind, allowed = row["kind"], with_code(row["allowed"].removeprefix("must be "))
    if kind in ("number", "duration"):
        shown = {"number": "number", "duration": "time"}[kind] + ", " + allowed
    elif kind == "toggle":
        shown = "`true` or `false`"
    elif kind == "choice":
        shown = ", ".join(code(choice) for choice in row["choices"])
    elif kind == "store":
        shown = "[store](stores.md)"
    elif kind == "address":
        shown = "address and port"
    else:
        shown = allowed or {"name": "text, not empty"}.get(kind, kind)
    return ("list: " if row["isList"] else "") + shown


def help_and_default(row):
    """The help without the default at its end, and the default."""
    text, default = row["help"], code(row["default"])
    if found := re.search(r"; default: (.*)$", text):
        text, default = text[:found.start()], with_code(found[1])
    elif found := re.search(r"; required$", text):
        text, default = text[:found.start()], "required"
    elif row["kind"] == "toggle":
        default = "`false`"
    return with_code(text.replace("; repeatable", "")), default


def settings_page():
    rows = settings()
    groups = {}
    for row in rows:
        groups.setdefault(row["group"] or "General", []).append(row)
    not_in_file = " and ".join(code("--" + row["name"]) for row in rows if not row["inFile"])
    lines = [
        "# Settings", "", GENERATED, "",
        "For operators: every setting of the server, its names, values and default.", "",
        "- A flag precedes the environment, which precedes the configuration file that `--config` names.",
        f"- The key in that file, `portail.toml`, is the flag without its dashes; {not_in_file} have none.",
        "- In TOML, texts and times with a unit are in quotes, numbers, `true` and `false` are not, and a list is in brackets.",
        "- A flag of a list is repeated, once for each value. In the environment, commas separate the values.",
        "- An address and port: `127.0.0.1:8443`, `localhost:8443`, or `:8443` for every address.",
        "- A time is a number of the named unit, or has its own unit: `500ms`, `5s`, `2min`, `1h` or `1d`.",
        "- An invalid value and an unknown variable `PORTAIL_…` are errors, on every host. Links of Kubernetes and Docker, such as",
        "  `PORTAIL_PORT=tcp://…`, are ignored.",
        "- `serve` and `check` read all settings; [commands](commands.md) lists those of the other commands.",
    ]
    for group, members in groups.items():
        lines += ["", f"## {group}", ""]
        lines += table(["flag", "environment", "value", "default", "meaning"],
                       [[code("--" + row["name"]), code(row["variable"]), value_of(row), default, text]
                        for row in members for text, default in [help_and_default(row)]])
    lines += ["", "## Components and the npm package", "",
              "Other hosts read only these settings. Components read `wasi:config` first, if the host has it, then the environment.",
              "The npm package takes an object whose members have the names of the variables. `PORTAIL_JWKS` is the key set: JSON text or an https URL;",
              "default: the stored value `config.jwks`. `PORTAIL_STORE` is a folder or bucket of the host, `PORTAIL_TRANSPORT` by default `direct`.",
              "`PORTAIL_AUDIT_RETENTION` and `PORTAIL_MANAGE_…` are settings of the management interface only; `PORTAIL_MANAGE_MAX_DOCUMENT` is by",
              "default 64. Other defaults and the limits are those above.", ""]
    lines += table(["environment, member", "`wasi:config`", "components", "npm package"],
                   [[code(row["variable"]), code(row["variable"].lower()), yes(row["component"] or row["management"]), yes(row["package"])]
                    for row in rows if row["component"] or row["package"]])
    return lines


def yes(condition):
    return "yes" if condition else "no"


# Commands

MIN_SHARING = 3  # commands, from which on a flag is described once

ENTRY = re.compile(r"""
    (?P<name>[\w-]+(?:,[\w-]+)*)
    (?:\ (?P<type>[A-Z]+)(?::\{(?P<choices>[^}]*)\}|:[A-Z]+)?)?
    (?P<list>\ \.\.\.)?
    (?:\ \[(?P<default>[^\]]*)\]\ ?)?
    (?P<required>\ REQUIRED)?
    (?:\ \(Env:(?P<variable>\w+)\))?
    (?:\s{2,}(?P<help>\S.*))?
""", re.VERBOSE)


def help_of(*command):
    """The parts of a command's help: its first line, its usage, and the lines below each of its headings."""
    lines = output_of("TEST_PROGRAM", *command, "--help").splitlines()
    parts, heading = {"": []}, ""
    for line in lines:
        if found := re.fullmatch(r"(?:(Usage|Exit status): (.*)|(\w[\w ]*):)", line):
            heading = found[1] or found[3]
            parts[heading] = [found[2]] if found[2] else []
        elif line.startswith(" "):
            parts[heading].append(line)
        elif line:
            parts[""].append(line)
    return parts


def entries(lines):
    """The arguments, flags or commands below a heading."""
    joined = []
    for line in lines:
        if line.startswith(" " * 30):
            joined[-1] += "  " + line.strip()
        else:
            joined.append(line.strip())
    found = [(line, ENTRY.fullmatch(line)) for line in joined]
    for line, entry in found:
        if not entry:
            raise NotGenerated(f"cannot read this line of the help: {line}")
    return [entry.groupdict() for _, entry in found]


def commands(*above):
    """(name, parts) of each command with a function, each before its subcommands."""
    parts = help_of(*above)
    inner = parts.pop("Subcommands", [])
    needs_subcommand = inner and parts["Usage"][0].endswith(" SUBCOMMAND")
    own = [] if needs_subcommand else [(" ".join(above), parts)]
    return own + [each for entry in entries(inner) for each in commands(*above, entry["name"])]


def flags_of(parts):
    return [entry for heading, lines in parts.items() if heading not in ("", "Usage", "Positionals", "Examples", "Exit status")
            for entry in entries(lines) if entry["name"] != "-h,--help"]


def shared_flags(all_parts, setting_helps):
    """The flags, other than settings, that at least MIN_SHARING commands have with the same meaning."""
    flags = [flag for parts in all_parts for flag in flags_of(parts) if setting_helps.get(flag["name"]) != flag["help"]]
    return [flag for i, flag in enumerate(flags) if flags.count(flag) >= MIN_SHARING and flag not in flags[:i]]


def argument_table(rows):
    return table(["argument", "value", "default", "meaning"],
                 [[code(each["name"].replace(",", "`, `") if each["name"].startswith("-") else each["name"].upper()), argument_value(each),
                   argument_default(each), argument_help(each)] for each in rows])


def command_lines(name, parts, setting_helps, shared):
    arguments = entries(parts.get("Positionals", []))
    flags = flags_of(parts)
    settings_read = [flag for flag in flags if setting_helps.get(flag["name"]) == flag["help"]]
    own = arguments + [flag for flag in flags if flag not in settings_read and flag not in shared]
    usage = f"portail {name}" + "".join(f" {flag['name']} {flag['type']}" for flag in flags if flag["required"])
    usage += (" [OPTIONS]" if any(not flag["required"] for flag in flags) else "") + "".join(f" {each['name'].upper()}" if each["required"] else f" [{each['name'].upper()}]" for each in arguments)
    lines = ["", f"## {name}", "", f"{with_code(parts[''][0])}: `{usage}`"]
    if own:
        lines += ["", *argument_table(own)]
    if also := [flag for flag in flags if flag in shared]:
        lines += ["", "Shared: " + ", ".join(code(flag["name"]) for flag in also) + "."]
    if len(settings_read) == len(setting_helps):
        lines += ["", "Settings: all."]
    elif settings_read:
        lines += ["", "Settings: " + ", ".join(code(flag["name"]) for flag in settings_read) + "."]
    return lines


def argument_value(each):
    if each["choices"]:
        return ", ".join(code(choice) for choice in each["choices"].split(","))
    return {None: "", "TEXT": "text", "INT": "number", "TIME": "time"}.get(each["type"], each["type"]) + (", repeatable" if each["list"] else "")


def argument_default(each):
    if each["required"]:
        return "required"
    if found := re.search(r" \(default: ([^)]*)\)$", each["help"]):
        return with_code(found[1])
    return code(each["default"])


def argument_help(each):
    text = re.sub(r" \(default: [^)]*\)$", "", each["help"]).replace("; repeatable", "")
    text += f"; or {each['variable']}" if each["variable"] else ""
    return with_code(text)


def commands_page():
    setting_helps = {"--" + row["name"]: row["help"] for row in settings()}
    statuses = re.findall(r"(\d) ([^,]+)", help_of()["Exit status"][0])
    all_commands = commands()
    shared = shared_flags([parts for _, parts in all_commands], setting_helps)
    lines = [
        "# Commands", "", GENERATED, "",
        "For operators: every command of `portail`, its arguments and exit status.", "",
        "- `portail help COMMAND` and `portail COMMAND --help` print the help of a command, with examples; `portail --version` the version.",
        "- A flag and its value are two words, `--store memory:`, or one, `--store=memory:`.",
        "- \"Settings\" below are flags that [settings](settings.md) describes, \"shared\" those of the [first table](#shared-options).",
        "- Errors are lines on standard error.",
        "- `check` also ends with 0 if there are warnings. `status` ends with 1 if the server cannot serve, `shadow` if answers differ, are missing, or none was compared. After 2, nothing was begun.", "",
        "## Exit status", "", *table(["status", "meaning"], [[code(status), meaning] for status, meaning in statuses]), "",
        "## Shared options", "", *argument_table(shared),
    ]
    for name, parts in all_commands:
        lines += command_lines(name, parts, setting_helps, shared)
    return lines


# Metrics

MAX_VALUES = 8  # of a label; a label with more values is not listed


def families():
    """Name: (type, help, {label: values}, upper bounds of a histogram) of each metric."""
    found = {}
    for line in output_of("METRIC_ROWS").splitlines():
        if described := re.fullmatch(r"# HELP (\w+) (.*)", line):
            found[described[1]] = ["", described[2], {}, []]
        elif typed := re.fullmatch(r"# TYPE (\w+) (\w+)", line):
            found[typed[1]][0] = typed[2]
        elif sample := re.fullmatch(r"(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+", line):
            name = sample[1] if sample[1] in found else line.partition(" ")[0].partition("{")[0]
            _, _, labels, bounds = found[name]
            for label, value in re.findall(r'(\w+)="([^"]*)"', sample[2] or ""):
                values = bounds if label == "le" else labels.setdefault(label, [])
                if value not in values:
                    values.append(value)
    return found


def metrics_page():
    lines = [
        "# Metrics", "", GENERATED, "",
        "For operators: every metric of `GET /metrics` on the address of `--metrics-listen`, in Prometheus' text format.", "",
        *table(["metric", "type", "labels", "meaning"],
               [[code(name), kind, ", ".join(code(label) for label in sorted(labels)), with_code(text)]
                for name, (kind, text, labels, _) in sorted(families().items())]),
        "", "## Label values", "",
        "All series exist from the start; requests cannot add any. `route` has the routes of the interface and of the page.", "",
    ]
    lines += table(["metric", "label", "values"],
                   [[code(name), code(label), ", ".join(code(value) for value in sorted(values))]
                    for name, (_, _, labels, _) in sorted(families().items()) for label, values in sorted(labels.items())
                    if 1 < len(values) <= MAX_VALUES])
    for name, (_, _, _, bounds) in sorted(families().items()):
        if bounds:
            lines += ["", f"Upper bounds of the buckets of `{name}`, in seconds: {', '.join(bounds)}."]
    return lines


# Log events


def log_events_page():
    try:
        events = log_events.find_events(log_events.own_sources())
    except ValueError as error:
        raise NotGenerated(str(error)) from None
    if faults := log_events.check(events):
        raise NotGenerated("; ".join(faults))
    lines = [
        "# Log events", "", GENERATED, "",
        "For operators: every event of the log, its level, members and meaning.", "",
        "The server and the components write JSON objects on standard error, one for each line; on Fastly Compute to the log endpoint",
        "`portail`. Each has `time`, in UTC, and `level`, then `event` and the members of the table. `detail` has the reason, unless the",
        "meaning says otherwise. The npm package and the module pass `event` and `detail` to the `log` of the program that embeds them. For",
        "`access`, `detail` is the complete line; the package",
        "passes it to its `accessLog`. The server writes warnings about load, stores over the network and failed requests at most once a minute for each cause.", "",
        "## Requests", "",
        "The server writes a line for each request, without `event`, unless `--no-access-log` is set. Its members, after `time` and `level`:",
        ", ".join(code(member) for member in log_events.REQUEST) + ".",
        "The level is `error` for status 500 and above, except the specified 500 of POST and DELETE on a mail object; else `info`. If the",
        "request has a trace, " + ", ".join(code(member) for member in log_events.TRACE) + " follow `correlationId`. `reason` says why a request",
        "was refused. `subject` is a pseudonym, or `null` for an anonymous caller.",
    ]
    for section, meanings in log_events.MEANINGS.items():
        lines += ["", f"## {section}", ""]
        lines += table(["event", "level", "members", "hosts", "meaning"],
                       [[code(name), " ".join(sorted(events[name].levels)), ", ".join(code(member) for member in events[name].members),
                         hosts_text(events[name]), meaning] for name, meaning in meanings.items()])
    return lines


def hosts_text(event):
    order = (log_events.SERVER, log_events.COMPONENTS, log_events.PACKAGE)
    return "all" if len(event.hosts) == len(order) else ", ".join(host for host in order if host in event.hosts)


# Refusals

STATUSES = {401: "the token is not accepted", 403: "the caller may not do this", 429: "too many requests",
            503: "the server cannot answer now"}


def refusals_page():
    reasons = json.loads(output_of("TEST_PROGRAM", "explain", "--list", "--json"))
    lines = [
        "# Refusals", "", GENERATED, "",
        "For operators: every reason of a 401, 403, 429 and 503, its cause and remedy. `reason` is in the lines of the [log](log-events.md), and for",
        "401 in the answer's `WWW-Authenticate`. [Explain a refusal](../how-to/explain-a-refusal.md) says how to find it.",
    ]
    for status, meaning in STATUSES.items():
        lines += ["", f"## {status}: {meaning}", ""]
        rows = {}  # (cause, remedy) → reasons
        for row in reasons:
            if row["status"] == status:
                rows.setdefault((row["cause"], row["remedy"]), []).append(row["reason"])
        remedies = [remedy for _, remedy in rows]
        notes = {remedy: f"({number})" for number, remedy in enumerate(sorted({each for each in remedies if remedies.count(each) > 2}), 1)}
        lines += table(["reason", "cause", "remedy"],
                       [["<br>".join(names), cause, notes.get(remedy, remedy)] for (cause, remedy), names in rows.items()])
        lines += [line for remedy, note in notes.items() for line in ("", f"{note} {remedy}")]
    return lines


def schemas_page(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    try:
        return schemas.PAGES[page](text, json.loads(output_of("DESCRIPTION_ROWS"))).removesuffix("\n").split("\n")
    except ValueError as error:
        raise NotGenerated(f"{page}: {error}") from None


PAGES = {
    "docs/reference/settings.md": settings_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/metrics.md": metrics_page,
    "docs/reference/log-events.md": log_events_page,
    "docs/reference/refusals.md": refusals_page,
    **{page: functools.partial(schemas_page, page) for page in schemas.PAGES},
}


def text_of(page):
    return "\n".join(PAGES[page]()) + "\n"


def stale(page, written, generated):
    """Why the page is stale, with the difference; empty if it is current."""
    if written == generated:
        return ""
    lines = difflib.unified_diff(written.splitlines(), generated.splitlines(), page, "the code", lineterm="", n=0)
    return "\n".join([f"{page}: is not what the code says; build, then run {UPDATE}", *lines])


def main(arguments):
    parser = argparse.ArgumentParser(description="Compares the generated pages and files with the code.")
    parser.add_argument("--write", action="store_true", help="write the pages")
    write = parser.parse_args(arguments).write
    try:
        texts = {page: text_of(page) for page in PAGES}
    except NotGenerated as error:
        sys.exit(f"reference.py: {error}")
    if write:
        for page, text in texts.items():
            (ROOT / page).write_text(text, encoding="utf-8")
        return 0
    faults = [fault for page, text in texts.items()
              if (fault := stale(page, (ROOT / page).read_text(encoding="utf-8") if (ROOT / page).exists() else "", text))]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

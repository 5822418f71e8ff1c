#!/usr/bin/env python3
"""Measures `portail serve` under overload: an open loop at 50 %, 100 %, 200 % and again 50 % of its capacity, with a figure.

    tools/bench/overload.py [--build build] [--rounds 3] [--seconds 4] [--picture docs/pictures/overload.svg]

With LMDB, plain HTTP and a generated portal: of ten requests eight are the page of ten mail objects, one all mail objects,
one a client's list of 200 bundles. The capacity is the rate of a closed loop of 500 connections, measured before each run.
Then requests are sent at a constant rate, and their latency is measured from the planned time. Server and clients have a
processor each. In each round the server runs with load shedding (the default) and without it (--queue-timeout 0). Prints
and draws the round with the median p99 of accepted requests at 200 %, in parts of the capacity.
"""

import argparse
import json
import os
import re
import statistics
import tempfile

import pygal
from pygal.style import Style

from server import AUDIENCE, ISSUER, ROOT, Server, run

CONNECTIONS = 2000
LOADS = (0.5, 1, 2, 0.5)
BUSY = 500
MIX = [("/api/app/objet-courrier", 8), ("/api/app/objet-courrier/list-all", 1), ("/api/app/liasse", 1)]


def write_requests(portail, folder):
    """The flags with the requests, each repeated by its share."""
    token = run(portail, "token", "--keys", f"{folder}/keys.json", "--issuer", ISSUER, "--audience", AUDIENCE, "--subject",
                "sub-client-1", "--lifetime", "86400").strip()
    requests = []
    for at, (target, times) in enumerate(MIX):
        with open(f"{folder}/request-{at}", "w") as file:
            file.write(f"GET {target} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n")
        requests += [f"{folder}/request-{at}"] * times
    return [part for request in requests for part in ("--request", request)]


def load(options, server, requests, connections, *phases):
    command = [*on_processor(1), f"{options.build}/tools/bench/open_loop", "--port", server.port, "--connections", connections,
               *(part for rate, seconds in phases for part in ("--phase", f"{rate}:{seconds}")), *requests]
    lines = [json.loads(line) for line in run(*map(str, command)).splitlines()]
    return [line for line in lines if line["kind"] == "slice"], [line for line in lines if line["kind"] == "phase"]


def on_processor(number):
    return ["taskset", "-c", str(sorted(os.sched_getaffinity(0))[number])]


def one_round(options, portail, folder, requests, *flags):
    """The capacity of one server, and the results of each time slice and load."""
    command = [*on_processor(0), portail, "serve", "--store", f"lmdb:{folder}/data", "--listen", "127.0.0.1:0", "--issuer",
               ISSUER, "--audience", AUDIENCE, "--jwks", f"{folder}/public.json", "--insecure-http", "--transport", "loopback",
               "--max-connections-per-address", "4096", "--no-access-log", *flags]
    with Server(command, False) as server:
        load(options, server, requests, BUSY, (0, 1))
        capacity = statistics.median(load(options, server, requests, BUSY, (0, 1))[1][0]["accepted"] for _ in range(3))
        slices, phases = load(options, server, requests, CONNECTIONS,
                              *((capacity * part, options.seconds) for part in LOADS))
    return {"capacity": capacity, "slices": slices, "phases": phases}


def recovery(result, seconds):
    """Seconds from the end of 200 % until no request is shed and the p99 is below 50 ms."""
    end = 3 * seconds
    late = [line["from"] + line["seconds"] for line in result["slices"]
            if line["from"] >= end and (line["shed"] or line["p99"] > 50_000)]
    return max(late, default=end) - end


def show(name, result, seconds):
    capacity = result["capacity"]
    print(f"\n{name}: capacity on this machine {capacity:.0f} requests/s; recovered after {recovery(result, seconds):.2f} s")
    print("load   accepted     shed   failed    p50 ms    p99 ms")
    for part, phase in zip(LOADS, result["phases"]):
        rates = [phase[kind] / phase["seconds"] / capacity for kind in ("accepted", "shed", "failed")]
        print(f"{part:4.1f}  {rates[0]:9.2f}{rates[1]:9.2f}{rates[2]:9.2f}{phase['p50'] / 1e3:10.1f}{phase['p99'] / 1e3:10.1f}")


def draw(path, results, seconds):
    """Draws the p99 of accepted requests in slices of 50 ms, by planned times."""
    style = Style(background="white", plot_background="white", colors=("#1b6ca8", "#c0392b"), font_family="sans-serif",
                  title_font_size=18, label_font_size=13, legend_font_size=14, major_label_font_size=13)
    chart = pygal.XY(style=style, js=[], width=900, height=480, stroke=True, show_dots=False, logarithmic=True,
                     legend_at_bottom=True, show_x_guides=True,
                     title="Latency (p99, ms) of what is accepted, counted from the planned arrival",
                     x_title="seconds; the load is " + ", ".join(f"{part:.0%}" for part in LOADS) +
                     f" of the capacity, {seconds} s each")
    chart.x_labels = [at * seconds for at in range(len(LOADS) + 1)]
    for name, result in results.items():
        chart.add(name, [(line["from"], line["p99"] / 1e3) for line in result["slices"] if line["accepted"]])
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub("<script.*?</script>", "", chart.render(is_unicode=True), flags=re.DOTALL))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="where the programs were built")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4, help="of each load")
    parser.add_argument("--picture", default=os.path.join(ROOT, "docs", "pictures", "overload.svg"))
    parser.add_argument("--flag", action="append", default=[], help="one more flag for portail serve; repeatable")
    options = parser.parse_args()
    portail = f"{options.build}/native/portail"
    servers = {"sheds": [], "does not shed": ["--queue-timeout", "0"]}
    with tempfile.TemporaryDirectory(prefix="portail-bench-") as folder:
        run(portail, "keys", "make", "--output", f"{folder}/keys.json")
        run(portail, "keys", "public", "--input", f"{folder}/keys.json", "--output", f"{folder}/public.json")
        run(f"{ROOT}/tools/generate-portal", "--bundles", "2000", "--output", f"{folder}/portal.json")
        run(portail, "import", "--store", f"lmdb:{folder}/data", f"{folder}/portal.json")
        requests = write_requests(portail, folder)
        rounds = {name: [] for name in servers}
        for _ in range(options.rounds):
            for name, flags in servers.items():
                rounds[name].append(one_round(options, portail, folder, requests, *flags, *options.flag))
        results = {name: sorted(of, key=lambda result: result["phases"][2]["p99"])[len(of) // 2] for name, of in rounds.items()}
    for name, result in results.items():
        show(name, result, options.seconds)
    draw(options.picture, results, options.seconds)


if __name__ == "__main__":
    main()

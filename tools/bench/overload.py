#!/usr/bin/env python3
"""What `portail serve` does past its capacity: an open loop at 50 %, 100 %, 200 % and again 50 % of it, in a picture.

    tools/bench/overload.py [--build build] [--rounds 3] [--seconds 4] [--picture docs/pictures/overload.svg]

Over LMDB and plain HTTP, with a generated portal: of ten requests eight are the page of ten mail objects, one all mail
objects, one a client's list of 200 bundles. The capacity is what a closed loop of 500 connections gets, measured before
each run. Then requests come at a constant rate, and their latency counts from when each was to be sent. Server and clients
have a processor each, and in each round the server sheds (as it does by itself) and does not (--queue-timeout 0), in
turn. What is printed and drawn is of the round with the median of the accepted requests' p99 at 200 %, in parts of the
capacity.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile

import pygal
from pygal.style import Style

from server import AUDIENCE, ISSUER, ROOT, Server, run

CONNECTIONS = 2000
LOADS = (0.5, 1, 2, 0.5)
BUSY = 500
MIX = [("/api/app/objet-courrier", 8), ("/api/app/objet-courrier/list-all", 1), ("/api/app/liasse", 1)]


def write_requests(portail, folder):
    """The flags that name the requests, each as often as it is asked."""
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
    """Of one server: its capacity, and what became of each slice of time and each load."""
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
    """Seconds from the end of 200 % until nothing is shed any more and an answer takes a p99 of under 50 ms."""
    end = 3 * seconds
    late = [line["from"] + line["seconds"] for line in result["slices"]
            if line["from"] >= end and (line["shed"] or line["p99"] > 50_000)]
    return max(late, default=end) - end


def show(name, result, seconds):
    capacity = result["capacity"]
    print(f"\n{name}: a capacity of {capacity:.0f} requests a second here; recovered after {recovery(result, seconds):.2f} s")
    print("load   accepted     shed   failed    p50 ms    p99 ms")
    for part, phase in zip(LOADS, result["phases"]):
        rates = [phase[kind] / phase["seconds"] / capacity for kind in ("accepted", "shed", "failed")]
        print(f"{part:4.1f}  {rates[0]:9.2f}{rates[1]:9.2f}{rates[2]:9.2f}{phase['p50'] / 1e3:10.1f}{phase['p99'] / 1e3:10.1f}")


def draw(path, results, seconds):
    """The p99 of what was accepted, in slices of 50 ms, by when requests were to be sent."""
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

#!/usr/bin/env python3
"""Draws docs/explanation/performance.md's pictures and fills in its tables and those of docs/notes/performance.md, from what was measured
last (tools/bench/results).

    tools/bench/performance.py

A table stands between `<!-- NAME -->` and `<!-- end -->`; what is written around them stays as it is. Everything is a ratio.
"""

import pathlib
import re

import pygal
from pygal.style import Style

import results
from peers import PEERS, PORTALS, ROUTES

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "explanation" / "performance.md", DOCS / "notes" / "performance.md"]
PORTAL, OTHER = "#1b6ca8", "#c0392b"
COMPONENTS = {"portail-wasmtime": "component 0.3", "portail-wasmtime-p2": "component 0.2"}
OTHERS = {"minimal": "one that reads the same files", "hello": "hello"}
FLAT = ["import: time for a bundle", "by id: requests/s", "by id: processor time for a request", "serve: start to the first answer"]
INSTANCES = {"warm": "instances reused", "fresh": "an instance a request"}


def chart(title, unit):
    style = Style(background="white", plot_background="white", colors=(PORTAL, OTHER), font_family="sans-serif",
                  title_font_size=18, label_font_size=13, legend_font_size=14, major_label_font_size=13, value_font_size=13)
    return pygal.HorizontalStackedBar(style=style, js=[], width=900, height=520, legend_at_bottom=True, print_values=True,
                                      print_values_position="top", show_x_guides=False, show_y_guides=False, title=title,
                                      x_title=unit, truncate_label=-1, formatter=lambda value: f"{value:.2f}" if value else "")


def save(picture, name):
    text = re.sub("<script.*?</script>", "", picture.render(is_unicode=True), flags=re.DOTALL)
    # Otherwise every drawing has another identifier, and each a difference.
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", name, text)
    (DOCS / "pictures" / f"{name}.svg").write_text(text, encoding="utf-8")


def draw_sides(sides, measure, title, best, name):
    """A bar for each of portal and peers, the best, max or min, on top."""
    ordered = sorted(sides, key=lambda side: sides[side]["routes"]["page"][measure], reverse=best is min)
    picture = chart(f"{title}, the page of ten mail objects", f"Fastify's as 1; {'more' if best is max else 'less'} is better")
    picture.x_labels = [sides[side]["label"] for side in ordered]
    for legend, of in (("the portal", PORTALS), ("what a team would write", PEERS)):
        picture.add(legend, [sides[side]["routes"]["page"][measure] if side in of else None for side in ordered])
    save(picture, name)


def draw_hosts(hosts):
    ordered = sorted(hosts, key=lambda host: hosts[host]["rate"])
    picture = chart("Requests a second by host, the page of ten mail objects", "a constant answer by the same host as 1")
    picture.show_legend = False
    picture.x_labels = ordered
    picture.add("the portal", [hosts[host]["rate"] for host in ordered])
    save(picture, "performance-hosts")


def draw_growth(growth):
    style = Style(background="white", plot_background="white", font_family="sans-serif", title_font_size=18, label_font_size=13,
                  legend_font_size=14, major_label_font_size=13)
    picture = pygal.Line(style=style, js=[], width=900, height=480, legend_at_bottom=True, legend_at_bottom_columns=1, range=(0, 2),
                         title="What grows with the portal", x_title="bundles", y_title="the portal of 1,000 as 1")
    picture.x_labels = [f"{bundles:,}" for bundles in growth["bundles"]]
    for measure in FLAT:
        picture.add(measure, growth["ratios"][measure])
    save(picture, "performance-growth")


def by_host():
    """For each host the measures of the portal as parts of those of a constant answer by the same host."""
    server = {line["other"]: line for line in results.read("server")
              if (line["over"], line["token"], line["connections"]) == ("HTTP", "EdDSA", 16)}
    edge = {f"{COMPONENTS[line['component']]}, {INSTANCES[line['instances']]}, against {OTHERS[line['other']]}": line
            for line in results.read("edge") if line["connections"] == 16}
    hosts = {host["label"]: host for host in results.read("hosts").values()}
    return {"native, against nginx": server["nginx"], "native, against cpp-httplib": server["constant"]} | edge | hosts


def table(*rows):
    head, *body = ([str(cell) if isinstance(cell, str) else "–" if cell is None else f"{cell:.2f}" for cell in row]
                   for row in rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *body))


def named(name, side):
    """Highlights the portal's rows."""
    return f"**{side['label']}**" if name in PORTALS else side["label"]


def of_routes(sides, measure):
    rows = ([named(name, side), *(side["routes"][route][measure] for route in ROUTES)] for name, side in sides.items())
    return table(["", *ROUTES], *rows)


def against(sides, measure):
    """The page: each portal's as parts of each peer's."""
    def page(side):
        return sides[side]["routes"]["page"][measure]
    rows = ([label, *(page(portal) / page(peer) for peer in PEERS)] for portal, label in PORTALS.items())
    return table(["", *PEERS.values()], *rows)


def rest(sides):
    rows = ([named(name, side), *(side["routes"]["page"][measure] for measure in ("median", "late")), side["memory"], side["start"]]
            for name, side in sides.items())
    return table(["", "latency, median", "99th percentile", "memory", "start to the first answer"], *rows)


def of_hosts(hosts):
    return table(["", "requests/s", "processor time for a request"],
                 *([label, host["rate"], host["processor"]] for label, host in hosts.items()))


def of_one_request(hosts):
    """Of the processor time for a page: what the constant answer takes too, and what the portal adds in code and in the kernel."""
    rows = []
    for label, host in hosts.items():
        other = 1 / host["processor"]
        kernel = host["kernel"] - other * host["other_kernel"]
        rows.append([label, other, 1 - other - kernel, kernel])
    return table(["", "the constant answer", "the portal: code", "the portal: the kernel"], *rows)


def native():
    measures = {"rate": "requests/s", "median": "latency, median", "late": "99th percentile", "processor": "processor time"}
    lines = [line for line in results.read("server") if line["other"] == "nginx" and line["token"] == "EdDSA"]
    return table(["over, connections", *measures.values()],
                 *([f"{line['over']}, {line['connections']}", *(line[measure] for measure in measures)] for line in lines))


def of_growth(growth):
    return table(["bundles", *(f"{bundles:,}" for bundles in growth["bundles"])],
                 *([measure, *ratios] for measure, ratios in growth["ratios"].items()))


def fill_in(tables):
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES}
    for name, rows in tables.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        total = 0
        for page, text in texts.items():
            texts[page], count = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}\n{rows}\n\n{end}", text, flags=re.DOTALL)
            total += count
        if total != 1:
            raise SystemExit(f"the pages performance.md have {total} tables {name}; there must be one")
    for page, text in texts.items():
        page.write_text(text, encoding="utf-8")


def main():
    sides = results.read("peers")["sides"]
    hosts = by_host()
    draw_sides(sides, "rate", "Requests a second", max, "performance-requests")
    draw_sides(sides, "processor", "Processor time for a request", min, "performance-processor")
    draw_hosts(hosts)
    growth = results.read("growth")
    draw_growth(growth)
    fill_in({"against": against(sides, "rate"), "requests": of_routes(sides, "rate"), "processor": of_routes(sides, "processor"),
             "rest": rest(sides), "hosts": of_hosts(hosts), "request": of_one_request(hosts), "native": native(), "growth": of_growth(growth)})


if __name__ == "__main__":
    main()

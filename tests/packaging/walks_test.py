#!/usr/bin/env python3
"""walks_test.py PACKAGES NAME: a page leads from the packages to an answer: its blocks with the mark `<!-- walk: NAME -->` run as they
are shown (tests/documents/blocks.py), in a clean Debian 13 without this checkout and without a network, in a directory with the packages.
The first bundle is the answer of at most the sixth block. Prints the number of blocks to this answer, and the seconds.

What a reader downloads is in build/walks and build/embedding, pinned by hashes (tools/lib/packaging.sh, prepare_walks).
walks_test.py --debian-packages prints the names of the Debian packages that the walks need. Standard library only."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
BUILD = CHECKOUT / "build"
sys.path[:0] = [str(HERE.parent / "documents"), str(HERE.parent / "support")]
import blocks  # noqa: E402
from clean_root import BASE, PATH, PROPAGATION, CleanRoot, can_create  # noqa: E402
from needed import missing  # noqa: E402
from page_script import PageResult, make_npm, script_of  # noqa: E402

PATIENCE = 900  # seconds
READER = "/srv/packages"  # where the reader downloaded the packages
# What the reader of these pages has, by the words of the page: a language, and curl.
INSTALLED = {"npm": ("nodejs",), "express": ("nodejs",), "fastify": ("nodejs",), "python-wsgi": ("python3-venv",), "python-asgi": ("python3-venv",),
             "go": ("golang-go",), "java": ("openjdk-21-jdk-headless", "maven"), "wasmtime": (), "spin": (), "fastly": (), "debian": (), "c": (), "cpp": (),
             "cpp-httplib": ()}
ALWAYS_INSTALLED = ("curl",)
# Each client of a registry finds what it would download.
CLIENTS = {"DEBIAN_FRONTEND": "noninteractive",
           "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/supplies/wheels /supplies/portail-wheels",
           "GOPROXY": "file:///supplies/go/cache/download", "GOSUMDB": "off", "GOTOOLCHAIN": "local",
           "COREPACK_HOME": "/supplies/corepack", "COREPACK_ENABLE_NETWORK": "0", "npm_config_registry": "http://127.0.0.1:4873/",
           "npm_config_update_notifier": "false", "npm_config_audit": "false", "npm_config_fund": "false",
           "MAVEN_ARGS": "-o -Dmaven.repo.local=/srv/maven"}


def debian_packages():
    """Returns the names of the packages that the walks install, or whose installation they assume."""
    named = {word for name in blocks.WALKS for block in blocks.walk_of(name) for command in installations(block.text)
             for word in command.split() if re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", word)}
    return sorted(named | set(ALWAYS_INSTALLED).union(*INSTALLED.values()))


def installations(text):
    return re.findall(r"\bapt(?:-get)? install ((?:\\\n|[^\n&|;])*)", text)


class ReadersRoot(CleanRoot):
    """A clean Debian with the packages and what a reader downloads. It has a network of its own, which reaches nothing."""

    def __enter__(self):
        super().__enter__()
        shutil.copytree(PACKAGES, self.path(READER))
        shutil.copytree(BUILD / "walks/maven", self.path("/srv/maven"))
        shutil.rmtree(self.path("/etc/apt/sources.list.d"))
        self.path("/etc/apt/sources.list").write_text("deb [trusted=yes] file:/supplies/debian ./\n")
        # Of the answer Y, which the reader gives.
        self.path("/etc/apt/apt.conf.d/walk").write_text('APT::Get::Assume-Yes "true";\n')
        self.path("/etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")  # as every installation has
        make_npm(self.path("/usr/local/bin"))
        return self

    def entered(self, **_):
        spin = os.environ.get("TEST_SPIN")
        binds = {"debian": BUILD / "walks/debian", "wheels": BUILD / "walks/wheels", "portail-wheels": BUILD / "embedding/python/wheels",
                 "go": BUILD / "embedding/go/modules", "corepack": BUILD / "corepack",
                 "wasmtime": (BUILD / "wasmtime/wasmtime").resolve().parent, "viceroy": BUILD / "viceroy/bin"} | ({"spin": pathlib.Path(spin).resolve().parent} if spin else {})
        return ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation", PROPAGATION, "--",
                sys.executable, "-B", HERE / "own_network.py", BUILD / "javascript-hosts/node_modules",
                "bash", CHECKOUT / "tools/lib/enter_root", self.folder, READER, "0:0:0",
                *(part for name, source in binds.items() for part in ("--bind-read-only", source, f"/supplies/{name}")), "--"]

    def command(self, *command, environment=None, **options):
        path = {"PATH": f"{PATH}:/supplies/wasmtime:/supplies/viceroy:/supplies/spin"}
        return super().command(*command, environment=CLIENTS | path | (environment or {}), **options)


@unittest.skipUnless(can_create(), "only root can create a clean root")
class WalkTest(unittest.TestCase):
    name = None

    def test_the_page_leads_to_a_bundle(self):
        steps = blocks.walk_of(self.name)
        self.assertTrue(steps, f"no page has the mark `<!-- walk: {self.name} -->`")
        for needed in {block.needs for block in steps} - {""}:
            if not os.environ.get(needed):
                self.skipTest(f"{needed} names no program")
        first = blocks.steps_to_answer(steps)
        self.assertIn(first, range(1, blocks.MAX_STEPS + 1), "blocks to the first answer")
        with ReadersRoot() as root:
            root.patience = PATIENCE
            root.run("apt-get", "update")
            root.run("apt-get", "install", "--no-install-recommends", *ALWAYS_INSTALLED, *INSTALLED[self.name])
            result = self.walk(root, steps, first)
        for number, block in enumerate(steps):
            if block.kind == "walk":
                with self.subTest(block.where):
                    result.check(self, block, number)

    def walk(self, root, steps, first):
        """Runs the blocks; returns their result."""
        results = root.path("/results")
        results.mkdir()
        root.path("/script").write_text(script_of(steps, "/results"), encoding="utf-8")
        started = time.time()
        with open(root.path("/shell"), "w") as log:
            try:
                subprocess.run(root.command("bash", "/script"), stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                log.write(f"the walk took more than {PATIENCE} s\n")
        result = PageResult.read(results, root.path("/shell"))
        if result.reached == "all":
            seconds = max(path.stat().st_mtime for path in results.glob(f"{first - 1}.*")) - started
            print(f"walk {self.name}: {first} blocks, {seconds:.0f} s to the first answer of {steps[0].page}", flush=True)
        return result


if __name__ == "__main__":
    if sys.argv[1:] == ["--debian-packages"]:
        print(*debian_packages(), sep="\n")
        sys.exit()
    PACKAGES, WalkTest.name = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2]
    if missing(PACKAGES, BASE, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=sys.argv[:1], verbosity=2)

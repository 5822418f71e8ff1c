#!/usr/bin/env python3
"""The library: the Debian package libportail-dev, and the examples in it, built and run where nothing of this checkout is visible.
Arguments: the package, the contract suite, and the program that makes keys and imports. Standard library only."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))
from clean_root import BASE, PROPAGATION, CleanRoot, can_create  # noqa: E402
from needed import missing  # noqa: E402

PACKAGE, SUITE, PROGRAM = map(pathlib.Path, sys.argv[1:4])
EXAMPLES = "share/doc/libportail-dev/examples"
WARNINGS = "-O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
OWN = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name|guard variable) for |non-virtual thunk to )?portail::")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def hidden(*command, **environment):
    """Runs a command while an empty directory hides the checkout. Returns its exit status and its output."""
    done = subprocess.run(["unshare", "--mount", "--propagation", PROPAGATION, "--", "sh", "-euc", 'mount -t tmpfs none "$0"; exec "$@"',
                           CHECKOUT, *command], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=os.environ | environment)
    return done.returncode, done.stdout


def included(header, prefix):
    """Returns what a header includes, directly or not, as paths below the directory of the headers."""
    found, pending = set(), [header]
    while pending:
        text = (prefix / "include/portail" / pending.pop()).read_text(encoding="utf-8")
        new = set(re.findall(r'^#include "(\S+)"', text, re.MULTILINE)) - found
        found |= new
        pending += new
    return found


class ContentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="portail-library-")))
        subprocess.run(["dpkg-deb", "--extract", PACKAGE, cls.folder], check=True)
        cls.prefix = cls.folder / "usr"
        cls.archives = sorted((cls.prefix / "lib").glob("*.a"))

    def test_the_headers_are_those_of_the_table_of_contents(self):
        headers = self.prefix / "include/portail"
        files = {str(path.relative_to(headers)) for path in headers.rglob("*") if path.is_file()}
        self.assertEqual(files, {"portail.hpp"} | included("portail.hpp", self.prefix))
        self.assertLess({"core/api/service.hpp", "core/storage/key_value_store.hpp", "native/stores/store_url.hpp"}, files)
        self.assertEqual([file for file in files if file.startswith(("core/management", "core/webassembly", "native/server", "native/http"))], [])

    def test_symbols_are_in_the_namespace(self):
        self.assertEqual([path.name for path in self.archives],
                         ["libportail-core.a", "libportail-keys.a", "libportail-stores.a", "libportail-system.a"])
        for archive in self.archives:
            lines = output_of("nm", "--demangle", "--defined-only", "--extern-only", archive).splitlines()
            names = {line.split(maxsplit=2)[2] for line in lines if re.match(r"[0-9a-f]+ [TDBRGS] ", line)}
            self.assertGreater(len(names), 40)
            self.assertEqual([name for name in names if not OWN.match(name)], [])

    def test_no_name_of_this_checkout_is_in_it(self):
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertEqual([path for path in files if str(CHECKOUT).encode() in path.read_bytes()], [])

    def test_the_package_depends_on_what_the_configuration_needs(self):
        control = {field: output_of("dpkg-deb", "--field", PACKAGE, field) for field in ("Depends", "Recommends")}
        packages = {part.split()[0] for text in control.values() for part in text.split(",")}
        configuration = (self.prefix / "lib/cmake/portail/portailConfig.cmake").read_text()
        self.assertEqual(packages, set(re.findall(r"lib[a-z0-9-]+-dev|zlib1g-dev|pkgconf\b", configuration)))
        self.assertRegex(control["Depends"], r"^pkgconf, libsodium-dev, libsimdjson-dev \(>= 3.12\), libbearssl-dev, zlib1g-dev, libssl-dev")


@unittest.skipUnless(can_create(), "only root can create a clean root")
class InstallTest(unittest.TestCase):
    def test_it_is_installed_without_what_it_recommends(self):
        with CleanRoot() as root:
            shutil.copy(PACKAGE, root.path("/srv/package.deb"))
            root.apt("install", "/srv/package.deb")
            self.assertEqual(root.run("dpkg", "--verify", "libportail-dev"), "")
            self.assertTrue(root.path("/usr/include/portail/portail.hpp").is_file())


@unittest.skipUnless(can_create(), "only root can create a clean root")
class UseTest(unittest.TestCase):
    setUpClass = ContentsTest.__dict__["setUpClass"]

    def configure(self, project, *arguments, **environment):
        """Configures a project; returns the exit status, and the output with single spaces."""
        status, output = hidden("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                f"-DCMAKE_CXX_FLAGS={WARNINGS}", *arguments, **environment)
        return status, " ".join(output.split())

    def built(self, name):
        """Builds an example, and returns its directory."""
        project = self.prefix / EXAMPLES / name
        status, output = self.configure(project)
        self.assertEqual(status, 0, output)
        status, output = hidden("cmake", "--build", project / "build")
        self.assertEqual(status, 0, output)
        return project / "build"

    def lines_of(self, example):
        return len((self.prefix / EXAMPLES / example).read_text(encoding="utf-8").splitlines())

    def test_the_embedded_core_answers(self):
        self.assertLessEqual(self.lines_of("embedded/embedded.cpp"), 50)
        status, output = hidden("sh", "-c", '"$0" <"$1"', self.built("embedded") / "embedded", self.prefix / EXAMPLES / "development.json")
        self.assertEqual(status, 0, output)
        bundle = json.loads(output)
        self.assertEqual((bundle["id"], bundle["statut"], bundle["completion"], len(bundle["piecesAttendues"])),
                         ("L-2024-0002", "En cours", 66.66666666666667, 3))

    def test_the_server_on_cpp_httplib_keeps_the_contract(self):
        server = self.built("httplib") / "server"
        self.assertLessEqual(self.lines_of("httplib/server.cpp"), 210)
        done = subprocess.run([sys.executable, "-B", HERE.parent / "contract/run_httplib.py", "--portail", PROGRAM, "--suite", SUITE,
                               "--server", server], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-6000:])

    def project(self, components):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-project-")))
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(own LANGUAGES CXX)\n"
                                               f"find_package(portail REQUIRED COMPONENTS {components})\n")
        return folder

    def test_a_missing_library_is_reported_with_its_package(self):
        status, output = self.configure(self.project("keys"), PKG_CONFIG_LIBDIR="/nowhere")
        self.assertEqual(status, 1)
        self.assertIn("missing libraries: libsodium>=1.0.18: on Debian, install libsodium-dev", output)
        self.assertIn("libcurl>=7.87: on Debian, install libcurl4-openssl-dev", output)
        self.assertNotIn("liblmdb-dev", output)

    def test_an_unknown_component_is_reported(self):
        status, output = self.configure(self.project("server"))
        self.assertEqual(status, 1)
        self.assertIn("unknown component server; must be core, system, stores or keys", output)


class SubdirectoryTest(unittest.TestCase):
    def test_add_subdirectory_needs_nothing_else(self):
        """The program is compiled, not linked: that takes seconds, and the options of the project could affect it."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="portail-subdirectory-")))
        (folder / "CMakeLists.txt").write_text(
            f'cmake_minimum_required(VERSION 3.25)\nproject(own LANGUAGES CXX)\nadd_subdirectory("{CHECKOUT}" portail)\n'
            "add_executable(own own.cpp)\ntarget_link_libraries(own PRIVATE portail::stores portail::keys)\n")
        # Its warnings would be errors in the project itself.
        (folder / "own.cpp").write_text((CHECKOUT / "native/examples/embedded/embedded.cpp").read_text(encoding="utf-8") +
                                        "\nstatic int unused(long value) { int narrow = value; return 0; }\n")
        build = folder / "build"
        for command in (["cmake", "-G", "Ninja", "-S", folder, "-B", build], ["ninja", "-C", build, "CMakeFiles/own.dir/own.cpp.o"]):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        targets = {line.split(":")[0] for line in output_of("ninja", "-C", build, "-t", "targets", "all").splitlines()}
        self.assertLess({"own", "portail/native/library/libportail-core.a"}, targets)
        self.assertEqual(targets & {"portail/native/portail", "test_programs", "packaged_files"}, set())


if __name__ == "__main__":
    if missing(PACKAGE, SUITE, PROGRAM, BASE, made_by="package --test"):
        sys.exit(1)
    unittest.main(argv=[sys.argv[0], "--verbose"])

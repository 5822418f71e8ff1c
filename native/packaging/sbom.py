#!/usr/bin/env python3
"""sbom.py FOLDER: the software bill of materials of the packages there, CycloneDX 1.6 in JSON, on standard output.

It lists the actual components: the libraries in the tarball, which are also dependencies of the Debian package, and for each build the
packages whose headers and sources were compiled in, by ninja's dependency records. Debian's packages have their installed versions,
upstream sources the hashes that the build checked. SOURCE_DATE_EPOCH is its time. Standard library only.
"""

import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import urllib.parse
import uuid

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
BUILD = CHECKOUT / "build"
VERSION = re.search(r"project\(portail VERSION (\S+)", (CHECKOUT / "CMakeLists.txt").read_text())[1]
SOURCES = dict(re.findall(r"^portail_unpack\((\S+) ([0-9a-f]{64})\)", (CHECKOUT / "cmake/wasm_dependencies.cmake").read_text(), re.MULTILINE))
OTLP = ("native/telemetry/otlp/", "lib/portail/")  # the directories of a build with the module that sends spans
# The directories of objects that the archives of native/library contain.
LIBRARY = ("core/", "native/stores/", *(f"native/CMakeFiles/portail_{name}.dir/" for name in (
    "fetch", "keys", "native_http", "openssl_operations", "system", "verifies_by_openssl")))


def output_of(*command, folder=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout


def native(folder):
    """The Debian packages of the program's shared libraries and of other compiled-in code."""
    with tarfile.open(next(folder.glob("portail-*-linux-*.tar.gz"))) as tarball:
        libraries = [pathlib.Path(member.name).name for member in tarball
                     if member.isfile() and "/lib/portail/" in member.name and ".so" in member.name]
    return of_libraries(libraries, compiled_files(BUILD, excluded=OTLP)) + page()


def otlp():
    """The same for the module that sends spans."""
    linked = output_of("ldd", BUILD / "lib/portail/portail-otlp.so")
    return of_libraries(re.findall(r"^\s*(\S+\.so\S*) => ", linked, re.MULTILINE), compiled_files(BUILD, only=OTLP))


def library():
    """The Debian packages whose headers are compiled into the archives of the library; it contains no other library."""
    return [debian(package) for package in of_system(compiled_files(BUILD, only=LIBRARY, excluded=("core/webassembly/", "core/management/")))]


def of_libraries(names, files):
    """The Debian packages of shared libraries with these names, and of other compiled-in code."""
    linked = packages_of(f"/usr/lib/*/{name}" for name in names)
    sources = {field_of(package, "source:Package") for package in linked}
    compiled = {package for package in of_system(files) if field_of(package, "source:Package") not in sources}
    return [debian(package) for package in linked | compiled]


def page():
    """The npm packages in the page that the program and the npm package serve."""
    modules = BUILD / "page" / "node_modules"
    used = {pathlib.Path(file).relative_to(modules).parts for file in compiled_files(BUILD) if file.startswith(f"{modules}/")}
    names = sorted({"/".join(parts[:2] if parts[0].startswith("@") else parts[:1]) for parts in used})
    return [npm(json.loads((modules / name / "package.json").read_text())) for name in names]


def npm(about):
    purl = f"pkg:npm/{about['name'].replace('@', '%40')}@{about['version']}"
    return {"type": "library", "bom-ref": purl, "name": about["name"], "version": about["version"], "purl": purl,
            "licenses": [{"license": {"name": about["license"]}}]}


def guest(build):
    """The Debian packages and the upstream sources that were compiled into WebAssembly."""
    unpacked = build / "sources"
    upstream = {pathlib.Path(file).relative_to(unpacked).parts[0] for file in compiled_files(build) if file.startswith(f"{unpacked}/")}
    return [debian(package) for package in of_system(compiled_files(build))] + [source(folder) for folder in sorted(upstream)]


def site():
    """The Python packages with files in the documentation site: the generator, for its templates, and the theme."""
    return [pypi(name) for name in ("mkdocs", "mkdocs-material")]


def pypi(name):
    [metadata] = (BUILD / "mkdocs").glob(f"lib/python3*/site-packages/{name.replace('-', '_')}-[0-9]*.dist-info/METADATA")
    about = metadata.read_text()
    version = re.search(r"^Version: (\S+)$", about, re.MULTILINE)[1]
    licence = re.search(r"^License(?:-Expression)?: (\S.*)$", about, re.MULTILINE) or re.search(r"^Classifier: License :: OSI Approved :: (\S.*)$", about, re.MULTILINE)
    purl = f"pkg:pypi/{name}@{version}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "licenses": [{"license": {"name": licence[1]}}]}


def source(folder):
    """The component of a directory of sources, such as libsodium-1.0.18."""
    name, _, version = folder.rpartition("-")
    [(file, digest)] = [(file, digest) for file, digest in SOURCES.items() if re.match(rf"{name}[-_]", file)]
    purl = f"pkg:generic/{name}@{version}?checksum=sha256:{digest}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "hashes": [{"alg": "SHA-256", "content": digest}]}


def compiled_files(build, only=("",), excluded=()):
    """The absolute paths of all sources of the objects in that build directory, without tests. `only` and `excluded` include and exclude
    directories of objects."""
    files, counts = set(), False
    for line in output_of("ninja", "-t", "deps", folder=build).splitlines():
        if line.startswith("    "):
            if counts:
                files.add(os.path.realpath(build / line.strip()))
        else:
            made = line.removeprefix(f"{build}/")
            counts = made.startswith(only) and not made.startswith(("tests/", "tools/", "CMakeFiles/portail_gmock_main", *excluded))
    return files


def of_system(files):
    return packages_of(file for file in files if file.startswith("/usr/"))


def packages_of(files):
    """The Debian packages of these files or patterns."""
    owners = output_of("dpkg-query", "--search", *sorted(files))
    return {name for line in owners.splitlines() for name in line.rpartition(": ")[0].split(", ") if not name.startswith("diversion ")}


@functools.cache
def field_of(package, field):
    return output_of("dpkg-query", "--show", "--showformat", f"${{{field}}}", package)


def debian(package):
    name = package.partition(":")[0]
    version, architecture = field_of(package, "Version"), field_of(package, "Architecture")
    purl = f"pkg:deb/debian/{quoted(name)}@{quoted(version)}?arch={architecture}&distro=debian-13"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, **licence_of(name)}


def quoted(text):
    return urllib.parse.quote(text, safe="-._~")


def licence_of(name):
    """What the package says of most of its files, where it says so in the form that machines read."""
    text = pathlib.Path(f"/usr/share/doc/{name}/copyright").read_text(errors="replace")
    for paragraph in re.split(r"\n\s*\n", text):
        found = re.search(r"^Files:\s*\*\s*$(?:.*\n)*?^License: *(\S.*)$", paragraph, re.MULTILINE)
        if found:
            return {"licenses": [{"license": {"name": found[1].strip()}}]}
    return {}


def artefact(path):
    return {"type": "file", "bom-ref": path.name, "name": path.name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]}


def parts_of(path):
    if path.name.endswith(".tgz"):
        return guest(BUILD / "emscripten") + page()
    if path.name.endswith(".pom"):
        return []
    if path.name.endswith((".whl", ".jar")) or path.name.startswith(("portail-module-", "portail-go-")):
        return guest(BUILD / "emscripten")
    if path.name.startswith(("portail-components-", "portail-edge-")):
        return guest(BUILD / "wasi")
    if path.name.startswith("portail-docs-"):
        return site()
    if path.name.startswith("portail-otlp_"):
        return otlp()
    if path.name.startswith("libportail-dev_"):
        return library()
    return native(path.parent)


def bill(folder):
    made = [(artefact(path), parts_of(path)) for path in sorted(folder.iterdir())]
    libraries = {library["bom-ref"]: library for _, parts in made for library in parts}
    portal = {"type": "application", "bom-ref": "portail", "name": "portail", "version": VERSION,
              "licenses": [{"license": {"id": "Apache-2.0"}}]}
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "metadata": {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": portal},
        "components": [file for file, _ in made] + [libraries[reference] for reference in sorted(libraries)],
        "dependencies": [{"ref": "portail", "dependsOn": [file["bom-ref"] for file, _ in made]}] +
                        [{"ref": file["bom-ref"], "dependsOn": sorted({part["bom-ref"] for part in parts})} for file, parts in made],
    }
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{number}", "version": 1, **document}


if __name__ == "__main__":
    print(json.dumps(bill(pathlib.Path(sys.argv[1])), indent=2, ensure_ascii=False))

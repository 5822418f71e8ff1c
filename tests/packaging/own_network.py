"""own_network.py NODE_MODULES COMMAND...: executes the command in the network namespace that `unshare` made for it, with a loopback interface, the
processes of its PID namespace in /proc, and an npm registry on 127.0.0.1:4873, which has the packages installed in NODE_MODULES. Standard
library only."""

import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "documents"))
from own_checkout import start_loopback  # noqa: E402

ADDRESS = "127.0.0.1", 4873


def archive_of(folder):
    """Returns the tarball of an installed package, the same at each call."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.add(folder, "package", filter=lambda entry: None if entry.name == "package/node_modules" else entry)
    return gzip.compress(file.getvalue(), mtime=0)


class Registry(http.server.BaseHTTPRequestHandler):
    """GET /NAME returns the description of a package, GET /NAME/-/VERSION.tgz its tarball."""

    modules = None

    def folders(self, name):
        """Returns the installations of a package by version, that which programs import first."""
        found = {}
        for folder in [self.modules / name, *self.modules.glob(f"**/node_modules/{name}")]:
            if (folder / "package.json").is_file():
                found.setdefault(json.loads((folder / "package.json").read_text())["version"], folder)
        return found

    def description(self, name, folders):
        versions = {}
        for version, folder in folders.items():
            versions[version] = json.loads((folder / "package.json").read_text()) | {"dist": {
                "tarball": f"http://{ADDRESS[0]}:{ADDRESS[1]}/{name}/-/{version}.tgz",
                "integrity": "sha512-" + base64.b64encode(hashlib.sha512(archive_of(folder)).digest()).decode()}}
        return json.dumps({"name": name, "dist-tags": {"latest": next(iter(versions))}, "versions": versions}).encode()

    def do_GET(self):
        name, _, version = self.path[1:].replace("%2f", "/").partition("/-/")
        folders = self.folders(name)
        if not folders:
            self.send_error(404)
            return
        body = archive_of(folders[version.removesuffix(".tgz")]) if version else self.description(name, folders)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    modules, *command = sys.argv[1:]
    subprocess.run(["mount", "-t", "proc", "proc", "/proc"], check=True)
    start_loopback()
    Registry.modules = pathlib.Path(modules)
    server = http.server.ThreadingHTTPServer(ADDRESS, Registry)
    if os.fork() == 0:
        server.serve_forever()
    server.server_close()
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()

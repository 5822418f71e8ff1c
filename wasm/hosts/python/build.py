"""Builds the wheel, reproducibly: build.py MODULE MANAGEMENT_MODULE LICENSE VERSION DIRECTORY. Prints its path. Standard library only."""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tools" / "docs"))
from package_pages import rendered  # noqa: E402

# Minimum and maximum of a zip archive's times.
EARLIEST, LATEST = 315532800, 4354819198


def main():
    module, management, licence, version, folder = sys.argv[1:]
    info = f"portail-{version}.dist-info"
    files = {f"portail/{path.name}": path.read_bytes() for path in (HERE / "portail").iterdir() if path.suffix in (".py", ".typed")}
    files["portail/development.jsonl"] = (HERE.parents[2] / "fixtures/development.jsonl").read_bytes()
    files["portail/portail.wasm"] = pathlib.Path(module).read_bytes()
    files["portail/portail-manage.wasm"] = pathlib.Path(management).read_bytes()
    files[f"{info}/licenses/LICENSE"] = pathlib.Path(licence).read_bytes()
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: portail\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={digest(content)},{len(content)}" for name, content in sorted(files.items())]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    wheel = pathlib.Path(folder) / f"portail-{version}-py3-none-any.whl"
    changed = time.gmtime(min(max(int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST)), EARLIEST), LATEST))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, changed)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    print(wheel)


def metadata(version):
    runtime = re.match(r"wasmtime==\S+", (HERE / "requirements.txt").read_text())[0]
    readme = rendered((HERE / "README.md").read_text(), lambda link: None)
    return ("Metadata-Version: 2.4\nName: portail\n" f"Version: {version}\n"
            "Summary: Customer portal API, mail objects and document bundles, in a Python program\n"
            "License-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: >=3.12\n"
            f"Requires-Dist: {runtime}\nDescription-Content-Type: text/markdown\n\n{readme}")


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""import_through_host.py PORTAIL VALUES [flags of import] DOCUMENT: what `portail import` does, for a store that only its
host can reach. The host's values are taken from the address VALUES into a folder of files, the native program imports
there, and the folder's values go back. Python's standard library only."""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from portal import clean_environment  # noqa: E402


def main():
    portail, values, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="portail-import-") as name:
        folder = pathlib.Path(name) / "store"
        empty = pathlib.Path(name) / "empty.json"
        empty.write_text("{}")
        clean = clean_environment()
        subprocess.run([portail, "import", "--store", f"dir:{folder}", empty], check=True, env=clean, capture_output=True)
        with urllib.request.urlopen(values) as answer:
            for line in answer:
                entry = json.loads(line)
                (folder / entry["key"]).write_bytes(base64.b64decode(entry["value"]))
        status = subprocess.run([portail, "import", "--store", f"dir:{folder}", *rest], env=clean).returncode
        exported = subprocess.run([portail, "export", "--store", f"dir:{folder}", "--format", "json-lines"], check=True,
                                  env=clean, capture_output=True).stdout
        request = urllib.request.Request(values, data=exported, method="PUT")
        urllib.request.urlopen(request).close()
    return status


if __name__ == "__main__":
    sys.exit(main())

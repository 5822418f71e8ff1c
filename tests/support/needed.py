"""Prerequisites of tests."""

import pathlib
import shutil
import sys


def missing(*files, made_by):
    """Returns whether one of these files or programs is missing, and prints which. That is a failure: the command `made_by` creates or
    installs all of them."""
    absent = [file for file in files if not shutil.which(file) and not pathlib.Path(file).exists()]
    for file in absent:
        print(f"{file} is missing; create it with: tools/dev {made_by}", file=sys.stderr)
    return bool(absent)

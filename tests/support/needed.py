"""What a test cannot do without."""

import pathlib
import shutil
import sys


def missing(*files, made_by):
    """Whether one of these files, or of these programs, is not there; says which. That is a failure: the command `made_by`
    makes or brings all of them."""
    absent = [file for file in files if not shutil.which(file) and not pathlib.Path(file).exists()]
    for file in absent:
        print(f"{file} is not there; `tools/dev {made_by}` brings it", file=sys.stderr)
    return bool(absent)

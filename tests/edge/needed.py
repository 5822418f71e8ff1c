"""What a test of components cannot do without."""

import os


def missing(*files):
    """Whether one of them is not there; says which. That is a failure: `tools/dev edge --test` makes all of them first."""
    absent = [file for file in files if not os.path.exists(file)]
    for file in absent:
        print(f"{file} is not there; `tools/dev edge --test` makes it")
    return bool(absent)

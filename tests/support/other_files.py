"""The folder over which hosts run tests/wasm/folder_conformance.cpp. Standard library only."""

import os
import pathlib


def make(folder):
    """Makes a folder with a link to a folder, and a FIFO."""
    path = pathlib.Path(folder)
    (path / "target").mkdir(parents=True)
    (path / "target/file").touch()
    (path / "link").symlink_to("target")
    os.mkfifo(path / "fifo")

"""Creates files that are not regular, at the path of a regular file. Standard library only."""

import os
import socket


def make_socket(path):
    # The path of a socket has at most 107 bytes.
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
    finally:
        os.close(folder)


def make_link_to_fifo(path):
    os.mkfifo(f"{path}.fifo")
    os.symlink(f"{os.path.basename(path)}.fifo", path)


# Each creates it at an absolute path. The target of a link is in the same directory.
KINDS = {
    "FIFO": os.mkfifo,
    "socket": make_socket,
    "directory": os.mkdir,
    "symbolic link": lambda path: os.symlink("format", path),
    "symbolic link to itself": lambda path: os.symlink(os.path.basename(path), path),
    "symbolic link to a FIFO": make_link_to_fifo,
    "symbolic link to a device": lambda path: os.symlink("/dev/zero", path),
}


def remove(path):
    """Also removes the FIFO of make_link_to_fifo."""
    for made in (path, f"{path}.fifo"):
        if os.path.isdir(made) and not os.path.islink(made):
            os.rmdir(made)
        elif os.path.lexists(made):
            os.remove(made)

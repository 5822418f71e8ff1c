#!/usr/bin/env python3
"""own_checkout.py MEMORY CHECKOUT COMMAND...: executes the command in a separate checkout, machine and network.

`unshare --mount --net --pid --fork` runs it. Files that the command writes into the checkout, or into the installation directories, are
in memory (mounted on the directory MEMORY) and are lost at its end. The checkout has the build, but no files of earlier runs. The command
reaches only its own loopback, and its remaining processes end with it. Standard library only.
"""

import fcntl
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys

INSTALLED_INTO = ("/etc", "/usr/lib", "/usr/local", "/var/lib")  # as by an operator
EMPTY = ("/run", "/tmp")  # so that no service manager is found
# Created by the pages' own commands, if they were run here.
OF_READERS = (".portail", "data", "store", "keys.json", "public.json", "build/data", "build/keys.json", "build/browser-data", "build/browser-keys.json")


def mount(*arguments):
    subprocess.run(["mount", *map(str, arguments)], check=True)


def start_loopback():
    """Does the same as `ip link set lo up`, without iproute2."""
    get_flags, set_flags, is_up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        name = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, get_flags, name))[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", flags | is_up))


def cover(folder, memory):
    """Mounts an overlay in memory over the directory."""
    upper, work = memory / "upper" / folder.strip("/"), memory / "work" / folder.strip("/")
    upper.mkdir(parents=True)
    work.mkdir(parents=True)
    shutil.copystat(folder, upper)
    mount("-t", "overlay", "overlay", "-o", f"lowerdir={folder},upperdir={upper},workdir={work}", folder)


def main():
    memory, checkout, *command = sys.argv[1:]
    if " shared:" in pathlib.Path("/proc/self/mountinfo").read_text():
        sys.exit("what is mounted here would be mounted for others too")
    start_loopback()
    mount("-t", "tmpfs", "tmpfs", memory)
    for folder in (*INSTALLED_INTO, checkout):
        cover(folder, pathlib.Path(memory))
    for folder in EMPTY:
        if folder not in map(str, pathlib.Path(checkout).parents):
            mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", folder)
    mount("-t", "proc", "proc", "/proc")
    os.chdir(checkout)
    for name in OF_READERS:
        subprocess.run(["rm", "-rf", name], check=True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()

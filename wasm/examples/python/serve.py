#!/usr/bin/env python3
"""Serves the portal of a folder, or with --manage its management interface, by the package `portail`."""

import argparse
import os
import sys

from portail import Fault, FolderStore, Management, Portal
from portail.server import serve

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--listen", default="127.0.0.1:8080", help="address and port; port 0 is any free one")
parser.add_argument("--manage", action="store_true", help="serve the management interface")
parser.add_argument("--store", required=True, help="a folder")
arguments = parser.parse_args()
address, _, port = arguments.listen.rpartition(":")
try:
    kind = Management if arguments.manage else Portal
    serve(kind(FolderStore(arguments.store, create=arguments.manage), os.environ), address, int(port))
except (Fault, OSError, ValueError) as fault:
    sys.exit(str(fault))

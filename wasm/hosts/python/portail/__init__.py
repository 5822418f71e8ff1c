"""The portal's API in a Python program: the module portail.wasm by the package `wasmtime`."""

from .asgi import asgi
from .folder_store import FolderStore
from .portal import Fault, Management, Portal, Request
from .store import Damaged, MemoryStore, Store
from .wsgi import wsgi

__all__ = ["Damaged", "Fault", "FolderStore", "Management", "MemoryStore", "Portal", "Request", "Store", "asgi", "wsgi"]

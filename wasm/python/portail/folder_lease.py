"""The lease of a folder: of all programs that write to the folder, one at a time holds it (core/files/folder_writer.hpp).

A writer creates the folder `~writers/TOKEN/TOKEN` with its file. It acquires the lease by renaming `~writers/TOKEN` to
`~writers/holder`, which fails while another writer's folder is inside. It makes each change by a rename from or to
`~writers/holder/TOKEN`. If it is killed or suspended, another writer revokes its lease by removing that folder: from then on each of its
renames fails.

The size of the file `~revision` is odd while values change, and even between changes. Readers that find the same even one again use the
values that they have cached (value_cache.py).
"""

import contextlib
import errno
import os
import secrets
import shutil
import stat
import time

LEASE_TIMEOUT = 5  # seconds after which the lease of the same holder is revoked
MAX_WAIT = 30  # seconds
MIN_BACKOFF, MAX_BACKOFF = 0.001, 0.016  # seconds between two attempts
MAX_REFUSALS = 100


class FolderLease:
    """One write, with the lease in a `with` block. `value` is what replace() stores. An OSError of any method means that the writer does
    not hold the lease, or not any more, or that the folder is unavailable."""

    def __init__(self, folder, value):
        self._value = value
        self._token = secrets.token_hex(16)
        self._writers = f"{folder}/~writers"
        self._own = f"{self._writers}/{self._token}"
        self._lease = f"{self._writers}/holder"
        self._leased = f"{self._lease}/{self._token}"  # exists while this writer holds the lease
        self._revision_file = f"{folder}/~revision"
        self._revision = None  # the odd size, after begin_revision()

    def __enter__(self):
        try:
            self._stage()
            self._acquire()
            self._refuse_older_programs()
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(self, *_):
        if self._revision is not None:
            with contextlib.suppress(OSError):  # it stays odd: readers read each file until the next write
                self._set_revision(self._revision + 1)
        self._release()

    def begin_revision(self):
        """To be called before a value changes that readers cache."""
        try:
            size = os.lstat(self._revision_file).st_size
        except FileNotFoundError:
            size = 0
        self._revision = size | 1
        if size != self._revision:  # equal: a writer was killed
            self._set_revision(self._revision)

    def replace(self, path):
        os.rename(f"{self._leased}/0", path)

    def remove(self, path):
        """Succeeds if the file does not exist."""
        try:
            os.rename(path, f"{self._leased}/0")
        except FileNotFoundError:
            os.stat(self._leased)

    def _stage(self):
        for folder in (self._own, f"{self._own}/{self._token}"):
            os.mkdir(folder, 0o700)
        with open(f"{self._own}/{self._token}/0", "xb") as file:
            file.write(self._value)
            file.flush()
            os.fsync(file.fileno())

    def _acquire(self):
        start = time.monotonic()
        backoff, last_holder, held_since = MIN_BACKOFF, None, start
        while not self._rename_to_lease():
            now = time.monotonic()
            holder = next(iter(entries(self._lease)), None)
            if holder != last_holder:
                last_holder, held_since = holder, now
            elif holder and now - held_since >= LEASE_TIMEOUT:
                shutil.rmtree(f"{self._lease}/{holder}", ignore_errors=True)
            if now - start >= MAX_WAIT:
                raise TimeoutError("timed out waiting for the lease")
            time.sleep(backoff)
            backoff = min(2 * backoff, MAX_BACKOFF)

    def _rename_to_lease(self):
        try:
            os.rename(self._own, self._lease)
        except OSError as fault:
            if fault.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            return False
        return True

    def _refuse_older_programs(self):
        """Replaces the lease of programs that do not know revisions by a file."""
        lease = f"{self._writers}/lease"
        for _ in range(MAX_REFUSALS):
            with contextlib.suppress(FileNotFoundError):
                if not stat.S_ISDIR(os.lstat(lease).st_mode):
                    return
            shutil.rmtree(lease, ignore_errors=True)
            with contextlib.suppress(FileExistsError):
                os.close(os.open(lease, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        raise OSError(f"an older program keeps {lease}: stop it")

    def _set_revision(self, size):
        made = f"{self._leased}/revision"
        with open(made, "xb") as file:
            file.truncate(size)
        os.rename(made, self._revision_file)

    def _release(self):
        with contextlib.suppress(OSError):  # it was not acquired, or another writer has revoked it
            os.rename(self._leased, self._own)
        shutil.rmtree(self._own, ignore_errors=True)


def entries(folder):
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []

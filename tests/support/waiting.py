"""Waiting for what comes in its own time."""

import time

# A sanitizer or a busy machine is no failure; a hang is.
PATIENCE = 60  # seconds


def until(condition, what, patience=PATIENCE):
    """Asks again until the condition holds, and gives its value; fails where that takes too long."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited {patience} s for {what}")

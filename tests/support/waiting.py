"""Waits for asynchronous conditions."""

import time

# A sanitizer or a busy machine is no failure; a hang is.
PATIENCE = 60  # seconds
# What a busy machine may add to the time of a call.
STALL = 15  # seconds


def until(condition, what, patience=PATIENCE):
    """Polls the condition until it holds, and returns its value; fails after `patience` seconds."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited {patience} s for {what}")

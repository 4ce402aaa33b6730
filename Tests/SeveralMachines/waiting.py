# Waiting for a state by the events that lead to it.
# SPDX-License-Identifier: Apache-2.0

"""A bell that every event of every program rings, and a wait for a state that looks again at each ring."""

import os
import threading
import time

# The limit for each state that a test waits for, in seconds: that of the tests.
PATIENCE = 120 * int(os.environ.get("GATHER_TEST_PATIENCE", "1"))
# Some states have no event of their own, such as the end of a process. They are looked at this often, in seconds.
LONGEST_SILENCE = 0.25


class Never(Exception):
    """A state did not come within its limit."""


class Bell:
    """Counts events, so that none is missed between a look and a wait."""

    def __init__(self):
        self.rings = 0
        self.condition = threading.Condition()

    def ring(self):
        with self.condition:
            self.rings += 1
            self.condition.notify_all()

    def until(self, what, difference, patience=PATIENCE, raises=True):
        """Waits until difference() returns nothing. What it returns else tells why the state is not there yet. Returns how many
        seconds it took, and the last reason to wait. After the limit it raises, or returns too."""
        start = time.monotonic()
        end = start + patience
        last = None
        while True:
            with self.condition:
                before = self.rings
            found = difference()
            if not found:
                return time.monotonic() - start, last
            last = found
            left = end - time.monotonic()
            if left <= 0 and not raises:
                return patience, found
            if left <= 0:
                raise Never(f"never: {what}, after {patience} s: {found}")
            with self.condition:
                if self.rings == before:
                    self.condition.wait(min(left, LONGEST_SILENCE))

# The service manager's side of a watchdog: when a daemon says that it lives, and when its threads wake beside that.
# SPDX-License-Identifier: Apache-2.0

import os
import select
import socket
import time

# As the unit has it, in seconds; a daemon says twice as often that it lives.
INTERVAL = 30
# What the daemon does when it says so is over after this, in seconds; and so long before its message has come it may be seen to
# wake.
AFTER, BEFORE = 0.25, 0.05
# How often is looked whether a thread has slept since, in seconds.
LOOK = 0.01


class Watchdog:
    """Hears a daemon that was started with `variables` (sd_notify(3), sd_watchdog_enabled(3))."""

    def __init__(self, directory):
        path = os.path.join(directory, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.socket.bind(path)
        self.variables = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(INTERVAL * 1_000_000)}

    def close(self):
        self.socket.close()

    def heard(self):
        """Whether the daemon has said that it lives since this was asked last."""
        beats = False
        while True:
            try:
                beats |= b"WATCHDOG=1" in self.socket.recv(1 << 16).split(b"\n")
            except BlockingIOError:
                return beats

    def observe(self, daemon, seconds):
        """How often threads of the daemon wake in that time: when it says that it lives, and at all other times. The time
        begins when it has just said so."""
        while not self.heard():
            select.select([self.socket], [], [])
        time.sleep(AFTER)
        beats, wakes = [], []
        known, end = daemon.waits(), time.monotonic() + seconds
        while time.monotonic() < end:
            select.select([self.socket], [], [], LOOK)
            if self.heard():
                beats.append(time.monotonic())
            if (waits := daemon.waits()) != known:
                wakes.append((time.monotonic(), waits - known))
                known = waits
        at_beats = sum(count for when, count in wakes
                       if any(beat - BEFORE <= when <= beat + AFTER for beat in beats))
        return at_beats, sum(count for _, count in wakes) - at_beats

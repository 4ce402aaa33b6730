# What is measured of a daemon, whichever it is, and messages that a byte ends.
# SPDX-License-Identifier: Apache-2.0

import json
import os
import re
import subprocess

import children


class MessageReader:
    """Takes the messages of a socket one by one, each without the byte that ends it."""

    def __init__(self, socket, end, name):
        self.socket, self.end, self.name = socket, end, name
        self.received = b""

    def next(self):
        while self.end not in self.received:
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError(f"{self.name} closed the connection")
            self.received += data
        message, _, self.received = self.received.partition(self.end)
        return message


class MeasuredProcess:
    """A daemon that runs, `process`, and the file `log` that it writes into."""

    def __init__(self, process, log):
        self.process, self.log = process, log

    def proportional_bytes(self):
        """Memory that is this process's own, with its share of what it shares (proc(5), smaps_rollup)."""
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            return int(re.search(r"^Pss: +(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024

    def resident_bytes(self, field="VmRSS"):
        """Memory that is in the machine now, shared pages included; `VmHWM` is the most that ever was (proc(5), status)."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{field}:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024

    def forget_peak(self):
        """Has the kernel begin anew with the most that ever was (proc(5), clear_refs)."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def processor_seconds(self):
        """Time that its threads have run, to the nanosecond (proc(5), schedstat)."""
        return self.of_threads("schedstat", r"^(\d+)") / 1e9

    def waits(self):
        """How often its threads have gone to sleep, which is how often they were woken (proc(5), status)."""
        return self.of_threads("status", r"^voluntary_ctxt_switches:\t(\d+)")

    def of_threads(self, file, pattern):
        """The sum over all threads of the number that `pattern` finds in a file of each (proc(5))."""
        total = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                with open(f"/proc/{self.process.pid}/task/{task}/{file}", encoding="ascii") as text:
                    total += int(re.search(pattern, text.read(), re.MULTILINE).group(1))
            except FileNotFoundError:
                pass
        return total

    def stop(self):
        children.end(self.process)
        self.log.close()


class Follower:
    """`follow` of floor/: a C program that reads the events of a tree and calls statx on what they name, from when it is
    made until `finish`, which returns how many events there were and the processor time for them."""

    def __init__(self, program, directory):
        self.process = subprocess.Popen(
            [program, directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{program} ended with {self.process.wait()}")

    def finish(self):
        output, _ = self.process.communicate()
        if self.process.returncode != 0:
            raise RuntimeError(f"the C follower ended with {self.process.returncode}")
        return json.loads(output)

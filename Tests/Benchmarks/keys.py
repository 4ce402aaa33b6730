#!/usr/bin/env python3
# A key set in one process until it is merged in another, beside a file that is written, synced, renamed and read in C.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians of the percentiles and their ratios. Run it in a directory on a disk, and on /dev/shm, where fsync(2) is free."""

import argparse
import contextlib
import json
import os
import statistics
import subprocess

import children
import command
from gatherd import Daemon

# How many keys are set before those that count.
FIRST = 20
TITLE = "a key set to merged in another process"


def percentile(values, hundredths):
    return sorted(values)[len(values) * hundredths // 100]


class BesideShare:
    """Measurements that take turns with `floor/share.c`: a file that is written, synced, renamed and read in another process."""

    def __init__(self, directory):
        self.plain = os.path.join(directory, "plain")
        os.mkdir(self.plain)
        self.floor = command.compile_floor(directory, "share")
        self.ours, self.least = [], []

    def measure(self, title, seconds, count, rounds):
        """Calls `seconds` so many times in each round, after some calls that do not count."""
        command.say(f"{title}, before the rounds")
        for _ in range(FIRST):
            seconds()
        for _ in command.rounds(rounds, title):
            result = subprocess.run([self.floor, self.plain, str(count)], check=True, stdout=subprocess.PIPE, text=True)
            self.least.append(json.loads(result.stdout))
            times = [seconds() for _ in range(count)]
            self.ours.append({"p50": percentile(times, 50), "p99": percentile(times, 99)})

    def tell(self, title):
        """Prints the medians of the percentiles, and their ratios."""
        for name in ("p50", "p99"):
            ratio = statistics.median(a[name] / b[name] for a, b in zip(self.ours, self.least))
            print(
                f"{title}, {name}: {statistics.median(a[name] for a in self.ours) * 1e3:.3g} ms, "
                f"a file in C {statistics.median(b[name] for b in self.least) * 1e3:.3g} ms, {ratio:.2f} ×")


class Pair:
    """Two processes with the same key-value store open: one sets a key, the other prints how old it was when merged. Both end
    with the block of `stack`."""

    def __init__(self, program, directory, socket, stack):
        def start(option):
            return stack.enter_context(children.running(
                [program, option, directory, socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

        self.follower = start("--follow-keys")
        if self.follower.stdout.readline() != "open\n":
            raise RuntimeError("the following process ended")
        self.setter = start("--set-keys")

    def seconds(self):
        """Has the key set once, and returns the seconds until it was merged."""
        self.setter.stdin.write("\n")
        self.setter.stdin.flush()
        return int(self.follower.stdout.readline()) / 1e9

    def stop(self):
        self.setter.stdin.close()
        if self.setter.wait() != 0:
            raise RuntimeError("the setting process failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gatherd", help="the optimized gatherd")
    parser.add_argument("program", help="the optimized DocumentSaver")
    parser.add_argument("--keys", type=int, default=500, help="how often the key is set in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--directory", default=os.getcwd(), help="where the files are made")
    arguments = command.parse(parser, keys=10, rounds=1)
    with children.scratch_directory(dir=arguments.directory, prefix=".keys-") as directory:
        container = os.path.join(directory, "container")
        os.mkdir(container)
        beside = BesideShare(directory)
        daemon = Daemon(arguments.gatherd, os.path.join(directory, "gatherd"), {"box": container})
        try:
            daemon.wait_until_live()
            with contextlib.ExitStack() as stack:
                pair = Pair(arguments.program, os.path.join(container, ".gather/key-values"), daemon.socket_path, stack)
                beside.measure(TITLE, pair.seconds, arguments.keys, arguments.rounds)
                pair.stop()
        finally:
            daemon.stop()
    beside.tell(TITLE)


if __name__ == "__main__":
    children.program(main)

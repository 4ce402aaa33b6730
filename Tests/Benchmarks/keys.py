#!/usr/bin/env python3
# A key set in one process until it is merged in another, beside a file that is written, synced, renamed and read in C.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians of the percentiles and their ratios. Run it in a directory on a disk, and on /dev/shm, where fsync(2) is free."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile

from gatherd import Daemon

HERE = os.path.dirname(os.path.abspath(__file__))
# How many keys are set before those that count.
FIRST = 20


def percentile(values, hundredths):
    return sorted(values)[len(values) * hundredths // 100]


class BesideShare:
    """Measurements that take turns with `floor/share.c`: a file that is written, synced, renamed and read in another process."""

    def __init__(self, directory):
        self.plain, self.floor = (os.path.join(directory, name) for name in ("plain", "share"))
        os.mkdir(self.plain)
        subprocess.run(["cc", "-O2", "-o", self.floor, os.path.join(HERE, "floor", "share.c")], check=True)
        self.ours, self.least = [], []

    def measure(self, seconds, count, rounds):
        """Calls `seconds` so many times in each round, after some calls that do not count."""
        for _ in range(FIRST):
            seconds()
        for _ in range(rounds):
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
    """Two processes with the same key-value store open: one sets a key, the other prints how old it was when merged."""

    def __init__(self, program, directory, socket):
        def start(option):
            return subprocess.Popen(
                [program, option, directory, socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

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
        self.follower.terminate()
        self.follower.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gatherd", help="the optimized gatherd")
    parser.add_argument("program", help="the optimized DocumentSaver")
    parser.add_argument("--keys", type=int, default=500, help="how often the key is set in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--directory", default=os.getcwd(), help="where the files are made")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.directory, prefix=".keys-") as directory:
        container = os.path.join(directory, "container")
        os.mkdir(container)
        beside = BesideShare(directory)
        daemon = Daemon(arguments.gatherd, os.path.join(directory, "gatherd"), {"box": container})
        try:
            daemon.wait_until_live()
            pair = Pair(arguments.program, os.path.join(container, ".gather/key-values"), daemon.socket_path)
            beside.measure(pair.seconds, arguments.keys, arguments.rounds)
            pair.stop()
        finally:
            daemon.stop()
    beside.tell("a key set to merged in another process")


if __name__ == "__main__":
    main()

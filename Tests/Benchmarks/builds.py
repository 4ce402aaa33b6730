#!/usr/bin/env python3
# Builds of gatherd beside each other, in one run: whether a change of the code costs time or memory.
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import statistics
import time

import children
import command
from corpus import Corpus
from gatherd import Daemon

MEMORY = "/dev/shm"
# Files that are written in turn in each directory.
FILES_IN_A_DIRECTORY = 7
# How often a question is asked in each round.
QUESTIONS = 20
# The pause between two writes where they are paced, in seconds.
PACE = 0.0005


class Trial:
    """One daemon on an empty tree of so many directories, `depth` levels below the root."""

    def __init__(self, program, scratch, depth, directories):
        root = os.path.join(scratch, "tree")
        way = os.path.join(root, *(f"level{number}" for number in range(depth)))
        self.places = [os.path.join(way, f"d{number}") for number in range(directories)]
        for place in self.places:
            os.makedirs(place)
        self.daemon = Daemon(program, os.path.join(scratch, "daemon"), {"tree": root})
        self.daemon.wait_until_live()

    def wait(self):
        """Waits until the daemon has heard of everything."""
        connection = self.daemon.connect()
        connection.send("io.gatherd.Query.Count", predicate="name == '*'", sync=True)
        connection.receive()
        connection.close()

    def cost(self, act, count):
        """Processor time of the daemon for a change, in microseconds."""
        self.wait()
        before = self.daemon.processor_seconds()
        act(self.places, count)
        self.wait()
        return (self.daemon.processor_seconds() - before) / count * 1e6


def write(places, count, pause=0.0):
    for number in range(count):
        with open(f"{places[number % len(places)]}/f{number % FILES_IN_A_DIRECTORY}", "a", encoding="ascii") as file:
            file.write("x")
        if pause:
            time.sleep(pause)


def write_slowly(places, count):
    write(places, count, PACE)


def replace(places, count):
    """Makes, renames and removes files: three changes for each number."""
    for number in range(count // 3):
        path = f"{places[number % len(places)]}/r{number}"
        with open(path, "w", encoding="ascii"):
            pass
        os.rename(path, path + ".new")
        os.remove(path + ".new")


def measure_tree(program, scratch, corpus):
    """Returns the values on a whole tree: seconds to live, bytes an item, seconds to the first answer after a restart, and
    milliseconds of two questions."""
    directory = os.path.join(scratch, "daemon")
    daemon = Daemon(program, directory, {"tree": corpus.path})
    try:
        live = daemon.wait_until_live()
        size = daemon.resident_bytes() / (corpus.files + corpus.directories)
        questions = []
        for predicate in ("name LIKE '*report*'", "name LIKE 'Item_0*'"):
            connection = daemon.connect()
            times = []
            for _ in range(QUESTIONS):
                began = time.monotonic()
                connection.send("io.gatherd.Query.Count", predicate=predicate, sync=False)
                connection.receive()
                times.append(time.monotonic() - began)
            connection.close()
            questions.append(statistics.median(times) * 1e3)
    finally:
        daemon.stop()
    daemon = Daemon(program, directory, {"tree": corpus.path})
    try:
        return [live, size, daemon.seconds_to_answer("name == 'none'"), *questions]
    finally:
        daemon.stop()


TREE = ["start to live, s", "memory of an item, B", "restart to first answer, s", "count, two stars, ms", "count, prefix, ms"]
# Each with its depth, its directories, and whether it has the full number of changes.
CHANGES = {
    "a write, paced, 3 levels, µs": (write_slowly, 3, 20, 1),
    "a write, paced, 40 levels, µs": (write_slowly, 40, 5, 1),
    "a write of many at once, µs": (write, 8, 50, 5),
    "a file made, renamed, removed, µs": (replace, 8, 50, 5),
}


def main():
    """Measures builds of gatherd on the same trees, in turn, and prints the medians and their ratios to the first build."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("gatherd", nargs="+", help="the programs, the one to compare with first")
    parser.add_argument("--files", type=int, default=300_000, help="of the tree (default: 300,000)")
    parser.add_argument("--changes", type=int, default=8_000, help="paced ones in a round (default: 8,000)")
    parser.add_argument("--rounds", type=int, default=5, help="of each measurement (default: 5)")
    parser.add_argument("--cache", help="where the tree is kept (default: nowhere)")
    options = command.parse(parser, files=10_000, changes=200, rounds=1)
    memory = MEMORY if os.path.isdir(MEMORY) else None
    found = {name: [[] for _ in options.gatherd] for name in [*TREE, *CHANGES]}
    with children.scratch_directory(prefix="gather-builds-") as scratch:
        corpus = Corpus(options.cache or scratch, options.files, command.say)
        for _ in command.rounds(options.rounds, "builds"):
            for place, program in enumerate(map(os.path.abspath, options.gatherd)):
                with children.scratch_directory(dir=scratch) as directory:
                    for name, value in zip(TREE, measure_tree(program, directory, corpus)):
                        found[name][place].append(value)
                for name, (act, depth, directories, times) in CHANGES.items():
                    with children.scratch_directory(prefix="gather-builds-", dir=memory) as directory:
                        trial = Trial(program, directory, depth, directories)
                        try:
                            found[name][place].append(trial.cost(act, options.changes * times))
                        finally:
                            trial.daemon.stop()
    width = max(map(len, found))
    print(f"{'median of ' + str(options.rounds):{width}}" + "".join(f"   build {number + 1:<10}" for number in range(len(options.gatherd))))
    for name, builds in found.items():
        medians = [statistics.median(values) for values in builds]
        print(f"{name:{width}}" + "".join(f"   {value:8.4g} {value / medians[0]:4.2f} ×" for value in medians))


if __name__ == "__main__":
    children.program(main)

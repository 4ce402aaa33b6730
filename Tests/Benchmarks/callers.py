#!/usr/bin/env python3
# What many callers cost, and bad ones: the latency of one subscriber beside them.
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import statistics
import struct
import subprocess
import time

import children
import command
from gatherd import Daemon


class Crowd:
    """A program of `floor/` that says when it is at work, and ends with its input. None where `count` is 0."""

    def __init__(self, program, *arguments):
        self.command = None if len(arguments) > 1 and arguments[1] == 0 else [program, *map(str, arguments)]
        self.process = None

    def __enter__(self):
        if self.command:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            if self.process.stdout.readline().strip() != "ready":
                raise RuntimeError(f"{self.command[0]} ended with {self.process.wait()}")
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.communicate()
            if self.process.returncode != 0:
                raise RuntimeError(f"{self.command[0]} ended with {self.process.returncode}")


def measure_crowd(run):
    """Ever more live queries, each on a connection of its own: latency for one subscriber, cost of a change, memory."""
    directory = run.fresh_directory("crowd")
    run.start({"crowd": directory})
    least, most = run.options.crowds[0], run.options.crowds[-1]
    half = run.add(f"change to subscriber, p50, {most:,} live queries", "ms", 1.5, 2, f"{least} live query",
                   relative=True)
    high = run.add(f"change to subscriber, p99, {most:,} live queries", "ms", 1.5, 2, f"{least} live query",
                   relative=True)
    memory = run.add("memory of a live query with its connection", "KiB", 32, 48, "")
    rows, bytes_before = {}, None
    for _ in command.rounds(run.options.rounds, "many live queries"):
        for crowd in run.options.crowds:
            with Crowd(run.floor_path("crowd"), run.daemon.socket_path, crowd - 1, directory):
                # Once for nobody, so that every size finds all of it in the caches.
                run.latencies(directory, run.options.latencies // 10)
                bytes_now = run.daemon.proportional_bytes()
                before = run.daemon.processor_seconds()
                latency = run.latencies(directory, run.options.latencies)
                seconds = (run.daemon.processor_seconds() - before) / (2 * run.options.latencies)
                row = rows.setdefault(crowd, {"liveQueries": crowd, "p50": [], "p99": [], "microsecondsAChange": []})
                row["p50"].append(1000 * latency["p50"])
                row["p99"].append(1000 * latency["p99"])
                row["microsecondsAChange"].append(1e6 * seconds)
                if crowd == least:
                    half.peer_values.append(1000 * latency["p50"])
                    high.peer_values.append(1000 * latency["p99"])
                    # What a process has taken it mostly keeps, so only the first growth counts.
                    bytes_before = bytes_before or bytes_now
                elif crowd == most:
                    half.values.append(1000 * latency["p50"])
                    high.values.append(1000 * latency["p99"])
                    memory.values.append((bytes_now - bytes_before) / (most - least) / 1024)
    run.notes["costOfAChange"] = [
        {key: value if key == "liveQueries" else statistics.median(value) for key, value in row.items()}
        for row in rows.values()]
    cost = run.add(f"processor time a change, {most:,} live queries", "µs", 1.5, 2, f"{least} live query",
                   relative=True)
    cost.values = rows[most]["microsecondsAChange"]
    cost.peer_values = rows[least]["microsecondsAChange"]


MIB = 1 << 20
# What the limits let callers like those of `floor/hostile.c` have the daemon keep, in MiB: 64 of requests over all connections
# (`requestBytesInAll`); 32 KiB for each of 1,600 connections, the aim for one with a live query; of the 500 that read nothing
# what makes a connection unwritable (16 KiB) and the reply after it, 20 containers of half a kilobyte; and 16 for the
# backtracking of a match (`regularExpressionHeap`), on the loop and in the one costly scan at a time.
HOSTILE_MEMORY = 64 + round(1600 * 32 / 1024 + 500 * (16 + 10) / 1024) + 2 * 16
# With what replies that nobody takes may keep over all connections (`replyBytesInAll`), which these are not to come near.
HOSTILE_MEMORY_MUST = HOSTILE_MEMORY + 256


def hostile_containers(directory, scratch):
    """The containers for hostile callers, and the directory of the one that they move away and back: `directory`, that one, and
    others that have to be described as well."""
    # What the regular expression goes back and forth over.
    for number in range(100):
        with open(os.path.join(directory, "a" * 200 + str(number)), "w", encoding="ascii"):
            pass
    containers = {"hostile": directory}
    for number in range(19):
        containers[f"quiet{number}"] = os.path.join(scratch, f"quiet{number}")
        os.mkdir(containers[f"quiet{number}"])
    return containers, containers["quiet0"]


class Apart:
    """The daemon, and what it is held against, on one processor, callers and whoever measures on another: what misbehaving
    callers take of the processors themselves is no part of what they do to the daemon. None of them sleeps meanwhile, since
    to wake one in a virtual machine takes longer than everything that is measured. Not a `with` for each figure: quiet and
    hostile are to find the same machine."""

    def __init__(self, measures_first=False):
        # Whoever measures comes before the other callers then, so that what is left of their harm is what they do to the daemon.
        self.first = ["chrt", "--fifo", "1"] if measures_first else []
        processors = sorted(os.sched_getaffinity(0))
        self.callers, self.daemons = processors[0], processors[-1]

    def __enter__(self):
        try:
            # The kernel's own interface for that (PM QoS): as long as it is open no sleep may take longer to end than this.
            self.latency = open("/dev/cpu_dma_latency", "wb", buffering=0)
            self.latency.write(struct.pack("i", 0))
        except OSError:
            self.latency = None
        return self

    def __exit__(self, *_):
        if self.latency:
            self.latency.close()

    def confine(self, daemon):
        """Has all threads of a daemon, those to come included, run where daemons do."""
        for task in os.listdir(f"/proc/{daemon.process.pid}/task"):
            os.sched_setaffinity(int(task), {self.daemons})

    def caller(self, *command):
        """A command that runs where callers do."""
        return ["taskset", "-c", str(self.callers), *map(str, command)]


class Hostility:
    """One subscriber and the floor, quiet and beside callers who misbehave, in turns; and how much memory the daemon had at
    its most meanwhile."""

    def __init__(self, apart, floor_path, daemon, directory, moved, beside, count):
        self.apart, self.floor_path, self.daemon, self.count = apart, floor_path, daemon, count
        self.directory, self.moved, self.beside = directory, moved, beside
        self.rounds = []
        # Once for nobody, so that every figure finds all of it in the caches.
        self.latencies(count // 10)

    def latencies(self, count=None):
        return self.measure("subscribe", "latency", self.daemon.socket_path, self.directory, self.directory,
                            count or self.count)

    def hop(self):
        return self.measure("hop", self.beside, self.count, self.apart.daemons)

    def measure(self, program, *arguments):
        """Percentiles in milliseconds."""
        seconds = json.loads(subprocess.run(
            self.apart.caller(*self.apart.first, self.floor_path(program), *arguments), check=True,
            stdout=subprocess.PIPE, text=True).stdout)
        return {key: 1000 * value for key, value in seconds.items()}

    def round(self, *acts):
        """Quiet, hostile, and quiet again: a machine that is busy with something else is so for all of them."""
        quiet, floor = [self.latencies()], [self.hop()]
        self.daemon.forget_peak()
        with Crowd(*self.apart.caller(self.floor_path("hostile"), self.daemon.socket_path, self.moved, *acts)):
            started, before = time.monotonic(), self.daemon.processor_seconds()
            hostile = self.latencies()
            share = (self.daemon.processor_seconds() - before) / (time.monotonic() - started)
            hostile_floor = self.hop()
            most = self.daemon.resident_bytes("VmHWM")
        quiet.append(self.latencies())
        floor.append(self.hop())
        self.rounds.append({"quiet": mean(quiet), "hostile": hostile, "floor": mean(floor),
                            "hostileFloor": hostile_floor, "processors": share, "most": most})

    def median(self, figure, key):
        return statistics.median(round[figure][key] for round in self.rounds)

    def ratio(self, figure, quiet, key):
        """The median of the rounds' ratios: those of one round are of one moment."""
        return statistics.median(round[figure][key] / round[quiet][key] for round in self.rounds)


def mean(figures):
    return {key: statistics.mean(figure[key] for figure in figures) for key in figures[0]}


def measure_hostile(run):
    """The latency of one subscriber, quiet and while callers misbehave in every way at once."""
    directory, beside = run.fresh_directory("hostile"), run.fresh_directory("beside")
    containers, moved = hostile_containers(directory, run.fresh_directory("quiet"))
    run.start(containers)
    high = run.add("change to subscriber, p99, hostile callers", "ms", 2, 2, "quiet", relative=True)
    half = run.add("change to subscriber, p50, hostile callers", "ms", 2, 2, "quiet", relative=True)
    memory = run.add("memory beside hostile callers, growth at its most", "MiB", HOSTILE_MEMORY, HOSTILE_MEMORY_MUST, "")
    with Apart() as apart:
        apart.confine(run.daemon)
        hostility = Hostility(apart, run.floor_path, run.daemon, directory, moved, beside, run.options.latencies)
        before, resident = run.daemon.proportional_bytes(), run.daemon.resident_bytes()
        for _ in command.rounds(run.options.rounds, "hostile callers"):
            hostility.round()
    for measurement, key in [(high, "p99"), (half, "p50")]:
        measurement.peer_values += [round["quiet"][key] for round in hostility.rounds]
        measurement.values += [round["hostile"][key] for round in hostility.rounds]
    memory.values += [(round["most"] - resident) / MIB for round in hostility.rounds]
    # What stays when they are gone.
    run.notes["hostileGrowthBytes"] = run.daemon.proportional_bytes() - before
    run.notes["hostileRatios"] = {key: hostility.ratio("hostile", "quiet", key) for key in ("p50", "p99")}
    # What the same load costs two programs that have nothing to do with the daemon, on the same processors.
    run.notes["floorBesideHostileCallers"] = {
        "quiet": hostility.median("floor", "p99"), "hostile": hostility.median("hostileFloor", "p99"),
        "ratio": hostility.ratio("hostileFloor", "floor", "p99")}


ACTS = ["connects", "bytes", "regular", "many", "nesting", "huge", "vanish", "monitor"]


def main():
    """Prints what each way to misbehave does to one subscriber, to the floor beside it, and costs the daemon."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("gatherd", help="the release binary")
    parser.add_argument("--latencies", type=int, default=1000, help="changes for each figure")
    parser.add_argument("--rounds", type=int, default=5, help="the median of so many is told")
    parser.add_argument("--first", action="store_true", help="who measures comes before other callers (SCHED_FIFO)")
    parser.add_argument("acts", nargs="*", help=f"some of {' '.join(ACTS)}; 'all' for all at once")
    options = command.parse(parser, latencies=50, rounds=1)
    with children.scratch_directory() as scratch:
        def floor_path(name):
            path = os.path.join(scratch, name)
            if not os.path.exists(path):
                command.compile_floor(scratch, name)
            return path

        directory, beside = os.path.join(scratch, "tree"), os.path.join(scratch, "beside")
        os.mkdir(directory)
        os.mkdir(beside)
        containers, moved = hostile_containers(directory, scratch)
        daemon = Daemon(os.path.abspath(options.gatherd), os.path.join(scratch, "daemon"), containers)
        try:
            daemon.wait_until_live()
            with Apart(options.first) as apart:
                apart.confine(daemon)
                print("act        quiet p50     p99 ms   hostile p50     p99 ms   × quiet p99   floor p99 ms   × quiet"
                      "   processors   most MiB", flush=True)
                for act in options.acts or ACTS + ["all"]:
                    hostility = Hostility(apart, floor_path, daemon, directory, moved, beside, options.latencies)
                    for _ in command.rounds(options.rounds, act):
                        hostility.round(*([] if act == "all" else [act]))
                    figures = [hostility.median(figure, key) for figure in ("quiet", "hostile") for key in ("p50", "p99")]
                    share = statistics.median(round["processors"] for round in hostility.rounds)
                    most = max(round["most"] for round in hostility.rounds) / MIB
                    print(f"{act:9}    {figures[0]:6.3f}   {figures[1]:8.3f}        {figures[2]:6.3f}   {figures[3]:8.3f}"
                          f"         {hostility.ratio('hostile', 'quiet', 'p99'):5.2f}"
                          f"       {hostility.median('hostileFloor', 'p99'):8.3f}"
                          f"     {hostility.ratio('hostileFloor', 'floor', 'p99'):5.2f}         {share:4.0%}"
                          f"   {most:8.1f}", flush=True)
            print(f"memory     {daemon.proportional_bytes() / MIB:.1f} MiB")
        finally:
            daemon.stop()


if __name__ == "__main__":
    children.program(main)

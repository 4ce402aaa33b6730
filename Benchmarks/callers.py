# What many callers cost, and bad ones: the latency of one subscriber beside them.
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

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
    print("many live queries", file=sys.stderr, flush=True)
    directory = run.fresh_directory("crowd")
    run.start({"crowd": directory})
    least, most = run.options.crowds[0], run.options.crowds[-1]
    half = run.add(f"change to subscriber, p50, {most:,} live queries", "ms", 1.5, 2, f"{least} live query",
                   relative=True)
    high = run.add(f"change to subscriber, p99, {most:,} live queries", "ms", 1.5, 2, f"{least} live query",
                   relative=True)
    memory = run.add("memory of a live query with its connection", "KiB", 32, 48, "")
    rows, bytes_before = {}, None
    for _ in range(run.options.rounds):
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


def prepare_hostile(directory):
    """What the regular expression goes back and forth over."""
    for number in range(100):
        with open(os.path.join(directory, "a" * 200 + str(number)), "w", encoding="ascii"):
            pass


def measure_hostile(run):
    """The latency of one subscriber, quiet and while callers misbehave in every way at once."""
    print("hostile callers", file=sys.stderr, flush=True)
    directory, beside = run.fresh_directory("hostile"), run.fresh_directory("beside")
    prepare_hostile(directory)
    run.start({"hostile": directory})
    high = run.add("change to subscriber, p99, hostile callers", "ms", 2, 4, "quiet", relative=True)
    half = run.add("change to subscriber, p50, hostile callers", "ms", 2, 4, "quiet", relative=True)
    run.latencies(directory, run.options.latencies // 10)
    before = run.daemon.proportional_bytes()
    floors = {"quiet": [], "hostile": []}
    for _ in range(run.options.rounds):
        quiet = run.latencies(directory, run.options.latencies)
        floors["quiet"].append(hop(run.floor_path("hop"), beside, run.options.latencies))
        with Crowd(run.floor_path("hostile"), run.daemon.socket_path):
            hostile = run.latencies(directory, run.options.latencies)
            floors["hostile"].append(hop(run.floor_path("hop"), beside, run.options.latencies))
        for measurement, key in [(high, "p99"), (half, "p50")]:
            measurement.peer_values.append(1000 * quiet[key])
            measurement.values.append(1000 * hostile[key])
    run.notes["hostileGrowthBytes"] = run.daemon.proportional_bytes() - before
    # What the same load costs a program that has nothing to do with the daemon: two processors are shared.
    quiet, hostile = (statistics.median(1000 * floor["p99"] for floor in floors[key]) for key in ("quiet", "hostile"))
    run.notes["floorBesideHostileCallers"] = {"quiet": quiet, "hostile": hostile, "ratio": hostile / quiet}


ACTS = ["connects", "bytes", "regular", "many", "nesting", "huge", "vanish"]


def hop(program, directory, count):
    """The percentiles of the floor, in seconds."""
    return json.loads(subprocess.run(
        [program, directory, str(count)], check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    """Prints what each way to misbehave does to one subscriber, to the floor beside it, and costs the daemon."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("gatherd", help="the release binary")
    parser.add_argument("--latencies", type=int, default=1000, help="changes for each figure")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is told")
    parser.add_argument("acts", nargs="*", help=f"some of {' '.join(ACTS)}")
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as scratch:
        def floor(name):
            path = os.path.join(scratch, name)
            if not os.path.exists(path):
                subprocess.run(["cc", "-O2", "-pthread", os.path.join(here, "floor", name + ".c"), "-o", path],
                               check=True)
            return path

        directory, beside = os.path.join(scratch, "tree"), os.path.join(scratch, "beside")
        os.mkdir(directory)
        os.mkdir(beside)
        prepare_hostile(directory)
        daemon = Daemon(os.path.abspath(options.gatherd), os.path.join(scratch, "daemon"), {"hostile": directory})
        try:
            daemon.wait_until_live()

            def latencies(count):
                output = subprocess.run(
                    [floor("subscribe"), "latency", daemon.socket_path, directory, directory, str(count)], check=True,
                    stdout=subprocess.PIPE, text=True).stdout
                return json.loads(output)

            latencies(options.latencies // 10)
            print("act        p50     p99 ms   × quiet   floor p99 ms   × quiet   processor of gatherd", flush=True)
            for acts in [[act] for act in options.acts or ACTS] + ([] if options.acts else [[]]):
                rows = []
                for _ in range(options.rounds):
                    quiet = latencies(options.latencies)
                    quiet_floor = hop(floor("hop"), beside, options.latencies)
                    with Crowd(floor("hostile"), daemon.socket_path, *acts):
                        started, before = time.monotonic(), daemon.processor_seconds()
                        hostile = latencies(options.latencies)
                        share = (daemon.processor_seconds() - before) / (time.monotonic() - started)
                        hostile_floor = hop(floor("hop"), beside, options.latencies)
                    rows.append((1000 * hostile["p50"], 1000 * hostile["p99"], hostile["p99"] / quiet["p99"],
                                 1000 * hostile_floor["p99"], hostile_floor["p99"] / quiet_floor["p99"], share))
                row = [statistics.median(column) for column in zip(*rows)]
                print(f"{acts[0] if acts else 'all':9} {row[0]:6.3f}  {row[1]:8.3f}   {row[2]:5.2f}     {row[3]:10.3f}"
                      f"     {row[4]:5.2f}     {row[5]:.0%}", flush=True)
        finally:
            daemon.stop()


if __name__ == "__main__":
    main()

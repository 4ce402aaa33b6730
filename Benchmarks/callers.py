# What many callers cost, and bad ones: the latency of one subscriber beside them.
# SPDX-License-Identifier: Apache-2.0

import os
import statistics
import subprocess
import sys


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


def measure_hostile(run):
    """The latency of one subscriber, quiet and while callers misbehave in every way at once."""
    print("hostile callers", file=sys.stderr, flush=True)
    directory = run.fresh_directory("hostile")
    # What the regular expression goes back and forth over.
    for number in range(100):
        with open(os.path.join(directory, "a" * 200 + str(number)), "w", encoding="ascii"):
            pass
    run.start({"hostile": directory})
    high = run.add("change to subscriber, p99, hostile callers", "ms", 2, 4, "quiet", relative=True)
    half = run.add("change to subscriber, p50, hostile callers", "ms", 2, 4, "quiet", relative=True)
    run.latencies(directory, run.options.latencies // 10)
    before = run.daemon.proportional_bytes()
    for _ in range(run.options.rounds):
        quiet = run.latencies(directory, run.options.latencies)
        with Crowd(run.floor_path("hostile"), run.daemon.socket_path):
            hostile = run.latencies(directory, run.options.latencies)
        for measurement, key in [(high, "p99"), (half, "p50")]:
            measurement.peer_values.append(1000 * quiet[key])
            measurement.values.append(1000 * hostile[key])
    run.notes["hostileGrowthBytes"] = run.daemon.proportional_bytes() - before

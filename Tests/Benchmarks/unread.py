#!/usr/bin/env python3
# What live queries that nobody reads cost the live query of another user in the same container.
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import resource
import subprocess
import sys
import time

import children
import command
from gatherd import Connection, Daemon

MIB = 1 << 20
# Any that are nobody's.
HOG, READER = 41_031, 41_032
LONG_NAME = "n" * 100
# Binds a socket that everybody may connect to, and hands it over as a service manager does (sd_listen_fds(3)).
HANDOVER = """
import os, socket, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
listening.listen(4096)
os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
arguments = sys.argv[2:]
# The socket that was handed over is the one to serve.
place = arguments.index("--socket")
del arguments[place:place + 2]
os.execv(arguments[0], arguments)
"""
# Opens live queries as another user, reads the first results and nothing more, and ends with its input.
HOGS = """
import json, os, socket, sys
path, count, user = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.setgroups([])
os.setgid(user)
os.setuid(user)
call = json.dumps({"method": "io.gatherd.Query.Watch", "more": True,
                   "parameters": {"predicate": "kind == 'file'", "attributes": ["path"]}}).encode() + b"\\0"
hogs = []
for _ in range(count):
    hog = socket.socket(socket.AF_UNIX)
    hog.connect(path)
    hog.sendall(call)
    hogs.append(hog)
for hog in hogs:
    last = b""
    while b'"gathered"' not in last:
        got = hog.recv(65536)
        if not got:
            sys.exit("gatherd closed the connection")
        last = (last + got)[-70000:]
print("ready", flush=True)
sys.stdin.read()
"""


class Subscriber:
    """A live query of a third user, on files in one directory, and how soon it is told of each."""

    def __init__(self, daemon, directory):
        self.directory = directory
        os.seteuid(READER)
        try:
            self.connection = Connection(daemon.socket_path)
        finally:
            os.seteuid(0)
            children.end_with_supervisor()
        self.connection.send("io.gatherd.Query.Watch", more=True, predicate="name BEGINSWITH 'mine'",
                             attributes=["name"])
        while self.connection.receive().get("event") != "gathered":
            pass

    def change(self, number):
        """Makes a file, and returns after how many seconds that was told."""
        name = f"mine{number}"
        path = os.path.join(self.directory, name)
        started = time.monotonic()
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
        while not any(item["name"] == name for item in self.connection.receive().get("added", [])):
            pass
        taken = time.monotonic() - started
        os.unlink(path)
        while not self.connection.receive().get("removed"):
            pass
        return taken


def churn(directory, count, rate):
    """Makes `count` files, `rate` a second, in steps of 10 ms."""
    started = time.monotonic()
    for number in range(count):
        if number % (rate // 100) == 0:
            time.sleep(max(0, started + number / rate - time.monotonic()))
        os.close(os.open(os.path.join(directory, f"{LONG_NAME}{number}"), os.O_CREAT | os.O_WRONLY, 0o644))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def measure(program, hogs, options):
    with children.scratch_directory() as scratch:
        os.chmod(scratch, 0o755)
        tree = os.path.join(scratch, "tree")
        for name in ["", "churn", "mine"]:
            os.mkdir(os.path.join(tree, name))
        os.mkdir(os.path.join(scratch, "daemon"), 0o755)
        launcher = [sys.executable, "-c", HANDOVER, os.path.join(scratch, "daemon", "io.gatherd")]
        daemon = Daemon(os.path.abspath(program), os.path.join(scratch, "daemon"), {"tree": tree}, launcher)
        hogging = None
        try:
            daemon.wait_until_live()
            subscriber = Subscriber(daemon, os.path.join(tree, "mine"))
            if hogs:
                hogging = subprocess.Popen(
                    [sys.executable, "-c", HOGS, daemon.socket_path, str(hogs), str(HOG)],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                if hogging.stdout.readline().strip() != "ready":
                    raise RuntimeError("the unread live queries do not begin")
            for number in range(50):
                subscriber.change(number)
            daemon.forget_peak()
            writing = [sys.executable, os.path.abspath(__file__), "--churn", os.path.join(tree, "churn"),
                       "--changes", str(options.changes), "--rate", str(options.rate)]
            before, started = daemon.processor_seconds(), time.monotonic()
            latencies = []
            with children.running(writing) as writer:
                while writer.poll() is None:
                    latencies.append(subscriber.change(len(latencies)))
            if writer.returncode != 0:
                raise RuntimeError(f"the process that makes files ended with {writer.returncode}")
            # The last one tells when all of it is told.
            latencies.append(subscriber.change(len(latencies)))
            seconds = time.monotonic() - started
            return {"unread": hogs, "p50": 1000 * percentile(latencies, 0.5), "p99": 1000 * percentile(latencies, 0.99),
                    "most": 1000 * max(latencies), "samples": len(latencies), "seconds": seconds,
                    "processor": daemon.processor_seconds() - before,
                    "MiB": daemon.resident_bytes("VmHWM") / MIB}
        finally:
            if hogging:
                children.end(hogging)
            daemon.stop()


def main():
    """Prints how soon a subscriber is told of its own changes beside many others, with ever more live queries of another user
    that match those and are never read. Needs root, for the users."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("gatherd", nargs="?", help="the release binary")
    parser.add_argument("--changes", type=int, default=50_000)
    parser.add_argument("--rate", type=int, default=10_000, help="changes a second")
    parser.add_argument("--unread", type=int, nargs="*", default=[0, 300, 1000], help="live queries that nobody reads")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is told")
    parser.add_argument("--churn", help=argparse.SUPPRESS)
    options = command.parse(parser, changes=2_000, unread=[0, 10], rounds=1)
    if options.churn:
        return churn(options.churn, options.changes, options.rate)
    command.need_root("for the users")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    quiet = None
    print("unread   p50 ms    p99 ms   × quiet   most ms   samples   seconds   processor s   most MiB", flush=True)
    for hogs in options.unread:
        title = f"beside {hogs:,} live queries that are not read"
        rounds = [measure(options.gatherd, hogs, options) for _ in command.rounds(options.rounds, title)]
        row = {key: percentile([round[key] for round in rounds], 0.5) for key in rounds[0]}
        quiet = quiet or row["p99"]
        print(f"{hogs:6}   {row['p50']:6.2f}   {row['p99']:7.2f}   {row['p99'] / quiet:7.2f}   {row['most']:7.1f}"
              f"   {row['samples']:7}   {row['seconds']:7.1f}   {row['processor']:11.1f}   {row['MiB']:8.0f}", flush=True)


if __name__ == "__main__":
    children.program(main)

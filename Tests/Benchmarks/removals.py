#!/usr/bin/env python3
# What the removal of deep trees by one user costs another: how long a `Status` waits meanwhile.
# SPDX-License-Identifier: Apache-2.0

import argparse
import os
import subprocess
import threading
import time

import children
import command
from gatherd import Daemon


def make_chain(directory, name, depth):
    """Makes `depth` directories one in another, by descriptor: the path may be longer than `PATH_MAX`."""
    above = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=above)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=above)
        os.close(above)
        above, name = below, "directory"
    os.close(above)


class Asker(threading.Thread):
    """Asks for `Status` again and again, and keeps the longest time that an answer took, in seconds."""

    def __init__(self, daemon):
        super().__init__()
        self.connection = daemon.connect()
        # The answer may take minutes. That is what is measured.
        self.connection.socket.settimeout(None)
        self.longest, self.answers, self.is_over = 0.0, 0, False

    def run(self):
        while not self.is_over:
            began = time.monotonic()
            self.connection.send("io.gatherd.Service.Status")
            self.connection.receive()
            self.longest = max(self.longest, time.monotonic() - began)
            self.answers += 1
            time.sleep(0.001)
        self.connection.close()


def measure(program, scratch, chains, depth, act):
    """Returns the longest wait for a `Status`, and the time until the daemon's answer agreed with the file system."""
    tree = os.path.join(scratch, "tree")
    os.mkdir(tree)
    deep = os.path.join(tree, "deep")
    os.mkdir(deep)
    for number in range(chains):
        make_chain(deep, f"chain{number}", depth)
    daemon = Daemon(program, os.path.join(scratch, "daemon"), {"tree": tree})
    asker = None
    try:
        daemon.wait_until_live()
        asker = Asker(daemon)
        asker.start()
        before, began = daemon.processor_seconds(), time.monotonic()
        if act == "remove":
            subprocess.run(["rm", "-rf", deep], check=True)
        elif act == "move":
            os.rename(deep, os.path.join(tree, "moved"))
        elif act == "close":
            # A daemon of root's may read it all the same.
            os.chmod(os.path.join(deep, "chain0"), 0)
        elif act == "leave":
            os.rename(deep, os.path.join(scratch, "elsewhere"))
        took = time.monotonic() - began
        connection = daemon.connect()
        connection.socket.settimeout(None)
        connection.send("io.gatherd.Query.Count", predicate="name == '*'", sync=True)
        count = connection.receive()
        connection.close()
        settled = time.monotonic() - began
        asker.is_over = True
        asker.join()
        print(f"{act:8} {chains:5} × {depth:5}   {took:8.3f}   {asker.longest:12.3f}   {settled:8.3f}"
              f"   {daemon.processor_seconds() - before:8.3f}   {asker.answers:7}   {count}", flush=True)
    finally:
        if asker:
            asker.is_over = True
        daemon.stop()


def main():
    """Prints how long another caller's `Status` waits while deep trees are removed, moved and so on."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("gatherd", help="the program")
    parser.add_argument("--acts", default="remove", help="some of remove,move,leave")
    parser.add_argument("trees", nargs="*", default=["10x600", "1x1200"], help="chains × depth, as 10x600")
    options = command.parse(parser, acts="remove,move,leave", trees=["2x50"])
    print("act       tree           act took s   Status, longest s   settled s   processor s   answers", flush=True)
    for act in options.acts.split(","):
        for tree in options.trees:
            chains, depth = map(int, tree.split("x"))
            command.say(f"{act}: {chains} chains of {depth} directories")
            with children.scratch_directory() as scratch:
                measure(os.path.abspath(options.gatherd), scratch, chains, depth, act)


if __name__ == "__main__":
    children.program(main)

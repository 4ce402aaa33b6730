#!/usr/bin/env python3
# grocery list of 10,000 items as a whole process, beside gather find of the same items and reading their files in C.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians and ratios. The three programs take turns. PROGRAMS is the directory of the optimized programs."""

import argparse
import os
import statistics
import subprocess
import time
import uuid

import children
import command
from command import compile_floor
from gatherd import Daemon


def seconds(*command, variables):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=variables)
    return time.monotonic() - start


def make_items(folder, count):
    os.makedirs(folder)
    for number in range(count):
        name = f"Item_{str(uuid.UUID(int=number + (1 << 100))).upper()}"
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(f"Item {number}\nquantity: {number % 9 + 1} kg\ntags: shop {number % 12}\n\nA note.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", help="the directory of the optimized programs")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--directory", default=os.getcwd(), help="where the files are made")
    arguments = command.parse(parser, items=100, rounds=1)
    with children.scratch_directory(dir=arguments.directory, prefix=".grocery-") as directory:
        folder = f"{directory}/box/Documents"
        command.say(f"making {arguments.items} items")
        make_items(folder, arguments.items)
        floor = compile_floor(directory, "read")
        daemon = Daemon(f"{arguments.programs}/gatherd", f"{directory}/daemon", {"grocery": f"{directory}/box"})
        try:
            daemon.connect().close()
            variables = {**os.environ, "GATHER_SOCKET": daemon.socket_path, "XDG_STATE_HOME": f"{directory}/home"}
            listing = [f"{arguments.programs}/grocery", "list"]
            # The first one reads each file, and writes the summaries.
            command.say("the first grocery list")
            first = seconds(*listing, variables=variables)
            lines = subprocess.run(listing, check=True, stdout=subprocess.PIPE, env=variables).stdout.count(b"\n")
            assert lines == arguments.items, lines
            finding = [f"{arguments.programs}/gather", "find", "name BEGINSWITH 'Item_'", "--attributes"]
            finding += ["name,path,tags,size,modified,owner,conflictVersions,xattr.gather.grocery", "--json"]
            ours, find, read = [], [], []
            for _ in command.rounds(arguments.rounds, "grocery list, gather find and reading in C"):
                ours.append(seconds(*listing, variables=variables))
                find.append(seconds(*finding, variables=variables))
                read.append(seconds(floor, folder, variables=variables))
        finally:
            daemon.stop()
    ours, find, read = (statistics.median(times) * 1e3 for times in (ours, find, read))
    print(
        f"grocery list of {arguments.items} items: {ours:.1f} ms, gather find {find:.1f} ms ({ours / find:.2f} ×), "
        f"reading the files in C {read:.1f} ms ({ours / read:.2f} ×); the first list {first * 1e3:.0f} ms")


if __name__ == "__main__":
    children.program(main)

#!/usr/bin/env python3
# A save of a document beside a plain write, fsync and rename in C, and opening 10,000 documents beside reading them in C.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians and ratios. The two programs take turns on the same file system. Run it in a directory on a disk."""

import argparse
import os
import statistics
import subprocess
import time

import children
import command
from command import compile_floor


def numbers(*command):
    return [float(line) for line in subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()]


def saves(arguments, directory, size):
    floor = compile_floor(directory, "save")
    ours, least = [], []
    for turn in command.rounds(arguments.rounds, f"saves of {size} bytes"):
        least.append(statistics.median(numbers(floor, f"{directory}/plain", str(arguments.saves), str(size))))
        path = f"{directory}/document-{size}-{turn}"
        ours.append(
            statistics.median(numbers(arguments.program, "--time-saves", path, str(arguments.saves), str(size))))
    ratio = statistics.median(a / b for a, b in zip(ours, least))
    print(f"save of {size} bytes: {min(ours) / 1e3:.0f} µs, plain {min(least) / 1e3:.0f} µs, {ratio:.2f} ×", flush=True)


def opens(arguments, directory):
    folder = f"{directory}/many"
    os.mkdir(folder)
    for number in range(arguments.documents):
        with open(f"{folder}/Item_{number:05}", "w", encoding="ascii") as file:
            file.write(f"item {number}\n" * 20)
    floor = compile_floor(directory, "read")
    ours, least = [], []
    for _ in command.rounds(arguments.rounds, f"opening {arguments.documents} documents"):
        start = time.monotonic()
        subprocess.run([floor, folder], check=True)
        least.append(time.monotonic() - start)
        ours.append(sum(numbers(arguments.program, "--time-opens", folder)) / 1e9)
    print(
        f"opening and closing {arguments.documents} documents: {min(ours) * 1e3:.0f} ms, open, read and close in C "
        f"{min(least) * 1e3:.0f} ms, {min(ours) / min(least):.1f} ×")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the optimized DocumentSaver")
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--directory", default=os.getcwd(), help="where the files are made")
    arguments = command.parse(parser, saves=5, rounds=1, documents=100)
    with children.scratch_directory(dir=arguments.directory, prefix=".documents-") as directory:
        for size in (1_000, 1_000_000):
            saves(arguments, directory, size)
        opens(arguments, directory)


if __name__ == "__main__":
    children.program(main)

#!/usr/bin/env python3
# A tick on one page until another page is told, beside a file that is written, synced, renamed and read in C.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians of the percentiles and their ratios. PROGRAMS is the directory of the optimized programs. Both pages are HTTP
clients of `grocery serve`. A change goes through its file and the daemon's live query. Run it in a directory on a disk, and on
/dev/shm, where fsync(2) is free."""

import argparse
import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import time

from gatherd import Daemon
from keys import BesideShare
from measured import PATIENCE


class Server:
    """`grocery serve` on a free port."""

    def __init__(self, grocery, variables):
        self.process = subprocess.Popen(
            [grocery, "serve", "--port", "0"], stdout=subprocess.PIPE, env=variables, text=True)
        while not (match := re.search(r"http://127\.0\.0\.1:(\d+)/", line := self.process.stdout.readline())):
            if not line:
                raise RuntimeError("grocery serve ended")
        self.port = int(match.group(1))

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


class Stream:
    """The events that a page gets."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n".encode())
        self.rest = b""

    def next(self, name):
        """Returns the data of the next event with this name."""
        while True:
            while b"\n\n" in self.rest:
                event, self.rest = self.rest.split(b"\n\n", 1)
                if b"event: " + name.encode() in event:
                    return json.loads(event.split(b"data: ", 1)[1].split(b"\n", 1)[0])
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError("the stream of events ended")
            # Each event is a chunk of its own, whose lines of lengths are no part of an event.
            self.rest += data


class Pages:
    """One page that ticks an item, and another that is told."""

    def __init__(self, port):
        self.port = port
        self.sender = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.stream = Stream(port)
        self.item = self.stream.next("items")["items"][0]["id"]
        self.is_bought = False
        self.count = 0

    def seconds(self):
        """Ticks the item, and returns the seconds until the other page was told."""
        self.count += 1
        body = json.dumps({
            "change": f"{self.count:08}-0000-4000-8000-000000000000", "base": {"bought": self.is_bought},
            "mine": {"bought": not self.is_bought}})
        self.is_bought = not self.is_bought
        start = time.monotonic()
        self.sender.request("PUT", f"/api/items/{self.item}", body, {
            "Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"})
        while True:
            told = self.stream.next("changed")
            if any(item["id"] == self.item and item["bought"] == self.is_bought for item in told["items"]):
                break
        seconds = time.monotonic() - start
        response = self.sender.getresponse()
        if response.status != 200:
            raise RuntimeError(f"status {response.status}: {response.read()}")
        response.read()
        return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", help="the directory of the optimized programs")
    parser.add_argument("--items", type=int, default=200, help="the items of the list")
    parser.add_argument("--ticks", type=int, default=300, help="how often the item is ticked in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--directory", default=os.getcwd(), help="where the files are made")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.directory, prefix=".page-") as directory:
        container = os.path.join(directory, "container")
        os.mkdir(container)
        beside = BesideShare(directory)
        daemon = Daemon(f"{arguments.programs}/gatherd", os.path.join(directory, "gatherd"), {"grocery": container})
        try:
            daemon.wait_until_live()
            variables = {**os.environ, "GATHER_SOCKET": daemon.socket_path, "XDG_STATE_HOME": f"{directory}/home"}
            names = [f"Thing {number}" for number in range(arguments.items)]
            subprocess.run(
                [f"{arguments.programs}/grocery", "add", *names], check=True, env=variables, stdout=subprocess.DEVNULL)
            server = Server(f"{arguments.programs}/grocery", variables)
            beside.measure(Pages(server.port).seconds, arguments.ticks, arguments.rounds)
            server.stop()
        finally:
            daemon.stop()
    beside.tell("a tick to another page")


if __name__ == "__main__":
    main()

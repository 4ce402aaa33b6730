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
import time

import children
import command
from children import PATIENCE
from gatherd import Daemon
from keys import BesideShare

TITLE = "a tick to another page"


class Link:
    """The link that a running `grocery serve` prints. Its secret opens the list."""

    def __init__(self, server):
        pattern = r"http://127\.0\.0\.1:(\d+)/#token=(\S+)"
        while not (match := re.search(pattern, line := server.stdout.readline())):
            if not line:
                raise RuntimeError("grocery serve ended before it printed its link")
        self.port, self.token = int(match.group(1)), match.group(2)
        self.fields = {"Authorization": f"Bearer {self.token}"}


class Stream:
    """The events that a page gets."""

    def __init__(self, link):
        self.socket = socket.create_connection(("127.0.0.1", link.port), PATIENCE)
        fields = {"Host": f"127.0.0.1:{link.port}", "Accept": "text/event-stream", **link.fields}
        lines = ["GET /events HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.rest = self.after_header()

    def after_header(self):
        """Returns the bytes that came with the header of the answer."""
        received = b""
        while b"\r\n\r\n" not in received:
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError(f"the server closed the connection for /events after {received!r}")
            received += data
        header, _, rest = received.partition(b"\r\n\r\n")
        status = header.split(b"\r\n")[0].decode()
        if status.split()[1] != "200":
            raise RuntimeError(f"GET /events: {status}: {rest.decode(errors='replace')}")
        return rest

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

    def __init__(self, link):
        self.link = link
        self.sender = http.client.HTTPConnection("127.0.0.1", link.port, timeout=PATIENCE)
        self.stream = Stream(link)
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
            "Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.link.port}", **self.link.fields})
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
    arguments = command.parse(parser, items=10, ticks=10, rounds=1)
    with children.scratch_directory(dir=arguments.directory, prefix=".page-") as directory:
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
            serve = [f"{arguments.programs}/grocery", "serve", "--port", "0"]
            with children.running(serve, stdout=subprocess.PIPE, env=variables, text=True) as server:
                beside.measure(TITLE, Pages(Link(server)).seconds, arguments.ticks, arguments.rounds)
        finally:
            daemon.stop()
    beside.tell(TITLE)


if __name__ == "__main__":
    children.program(main)

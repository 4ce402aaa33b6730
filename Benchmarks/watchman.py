# Facebook's Watchman as Debian has it, measured at the same tasks: a peer that is a daemon too.
# SPDX-License-Identifier: Apache-2.0

import json
import os
import re
import socket
import subprocess
import time

# How long it may take for anything, in seconds.
PATIENCE = 600


class Watchman:
    """A server of its own, apart from any that a user runs; everything that it writes lies under `directory`."""

    def __init__(self, directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self.path = os.path.join(directory, "sock")
        self.log = open(os.path.join(directory, "output"), "wb")
        self.process = subprocess.Popen(
            ["watchman", "--foreground", f"--sockname={self.path}", f"--pidfile={directory}/pid",
             f"--logfile={directory}/log", f"--statefile={directory}/state", "--no-save-state"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.received = b""
        self.socket = self._connect()

    def _connect(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(PATIENCE)
            try:
                connection.connect(self.path)
                return connection
            except OSError:
                connection.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                # There is nothing to wait for before the socket is there.
                time.sleep(0.001)

    def receive(self):
        while b"\n" not in self.received:
            data = self.socket.recv(1 << 20)
            if not data:
                raise RuntimeError("watchman closed the connection")
            self.received += data
        message, _, self.received = self.received.partition(b"\n")
        answer = json.loads(message)
        if "error" in answer:
            raise RuntimeError(f"watchman answers {answer['error']}")
        return answer

    def ask(self, *command):
        self.socket.sendall(json.dumps(command).encode() + b"\n")
        while True:
            answer = self.receive()
            # What a subscription tells comes in between.
            if "subscription" not in answer:
                return answer

    def watch(self, path):
        """Seconds until a tree was read."""
        start = time.monotonic()
        self.ask("watch", path)
        return time.monotonic() - start

    def query_command(self, path, pattern):
        """The command that asks for names, as a person or a script would."""
        query = ["query", path, {"expression": ["match", pattern, "basename"], "fields": ["name"], "sync_timeout": 0}]
        return ["sh", "-c", 'printf %s "$1" | watchman --sockname="$2" --no-pretty -j', "sh", json.dumps(query), self.path]

    def subscribe(self, path, pattern):
        self.ask("subscribe", path, "benchmark",
                 {"expression": ["match", pattern, "basename"], "fields": ["name", "exists"]})

    def await_names(self, wanted):
        """Waits until every name of a set was told as existing."""
        wanted = set(wanted)
        while wanted:
            for file in self.receive().get("files", ()):
                if file["exists"]:
                    wanted.discard(os.path.basename(file["name"]))

    def proportional_bytes(self):
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as file:
            return int(re.search(r"^Pss: +(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024

    def stop(self):
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

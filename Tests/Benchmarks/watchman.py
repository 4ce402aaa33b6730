# Facebook's Watchman as Debian has it, measured at the same tasks: a peer that is a daemon too.
# SPDX-License-Identifier: Apache-2.0

import json
import os
import socket
import subprocess
import time

from children import PATIENCE
from measured import MeasuredProcess, MessageReader


class Watchman(MeasuredProcess):
    """A server of its own, apart from any that a user runs; everything that it writes lies under `directory`."""

    def __init__(self, directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self.directory, self.path = directory, os.path.join(directory, "sock")
        log = open(os.path.join(directory, "output"), "wb")
        super().__init__(subprocess.Popen(
            ["watchman", "--foreground", f"--sockname={self.path}", f"--pidfile={directory}/pid",
             f"--logfile={directory}/log", f"--statefile={directory}/state", "--no-save-state"],
            # It makes a directory of the user for temporary files, too.
            env={**os.environ, "TMPDIR": directory}, stdin=subprocess.DEVNULL, stdout=log, stderr=log), log)
        self.socket = self._connect()
        self.messages = MessageReader(self.socket, b"\n", "watchman")

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
        answer = json.loads(self.messages.next())
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
        script = 'printf %s "$1" | TMPDIR="$3" watchman --sockname="$2" --no-pretty -j'
        return ["sh", "-c", script, "sh", json.dumps(query), self.path, self.directory]

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

    def stop(self):
        self.socket.close()
        super().stop()

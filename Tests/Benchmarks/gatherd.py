# The daemon under measurement, and as much of Varlink as it takes to ask how it is.
# SPDX-License-Identifier: Apache-2.0

import json
import os
import socket
import subprocess
import time

from children import PATIENCE
from measured import MeasuredProcess, MessageReader


class Connection:
    """A Varlink connection: one JSON object a message, closed by a NUL."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.messages = MessageReader(self.socket, b"\0", "gatherd")

    def close(self):
        self.socket.close()

    def send(self, method, more=False, **parameters):
        call = {"method": method, "parameters": parameters}
        if more:
            call["more"] = True
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        reply = json.loads(self.messages.next())
        if "error" in reply:
            raise RuntimeError(f"gatherd answers {reply['error']}: {reply.get('parameters')}")
        return reply.get("parameters", {})


class Daemon(MeasuredProcess):
    """gatherd on some containers, with everything that it writes under `directory`; `launcher` comes before its name, and
    gets the variables and descriptors; `config` is a configuration file with containers.d beside it."""

    def __init__(self, program, directory, containers, launcher=(), variables=None, descriptors=(), config=None):
        os.makedirs(directory, exist_ok=True)
        self.socket_path = os.path.join(directory, "io.gatherd")
        self.log_path = os.path.join(directory, "log")
        arguments = [*launcher, program, "--socket", self.socket_path, "--state-directory", os.path.join(directory, "state")]
        if config:
            arguments += ["--config", config]
        for identifier, path in containers.items():
            arguments += ["--container", f"{identifier}={path}"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("GATHER", "XDG_"))}
        environment["XDG_CONFIG_HOME"] = directory
        environment.update(variables or {})
        log = open(self.log_path, "wb")
        self.started = time.monotonic()
        super().__init__(
            subprocess.Popen(
                arguments, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=descriptors), log)

    def connect(self):
        """A connection as soon as the daemon takes one."""
        while True:
            try:
                return Connection(self.socket_path)
            except OSError as error:
                if self.process.poll() is not None:
                    raise RuntimeError(f"gatherd ended with {self.process.returncode}:\n{self.said()}") from error
                if time.monotonic() - self.started > PATIENCE:
                    raise
                # There is nothing to wait for before the socket is there.
                time.sleep(0.0005)

    def wait_until_live(self, allowed=("live",)):
        """Returns how many seconds after its start all containers were live, or in another of the states allowed."""
        connection = self.connect()
        connection.send("io.gatherd.Container.Monitor", more=True)
        while True:
            containers = connection.receive()["containers"]
            states = {container["state"] for container in containers}
            if states and states <= set(allowed):
                seconds = time.monotonic() - self.started
                connection.close()
                return seconds
            if states & {"degraded", "unavailable"}:
                raise RuntimeError(f"a container is not live: {containers}")

    def seconds_to_answer(self, predicate):
        """Returns how many seconds after its start an answer came that waited for nothing."""
        connection = self.connect()
        connection.send("io.gatherd.Query.Count", predicate=predicate, sync=False)
        connection.receive()
        seconds = time.monotonic() - self.started
        connection.close()
        return seconds

    def status(self):
        connection = self.connect()
        connection.send("io.gatherd.Service.Status")
        answer = connection.receive()
        connection.close()
        return answer

    def said(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()[-4000:]

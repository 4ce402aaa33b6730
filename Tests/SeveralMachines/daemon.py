# gatherd of one machine: its process, questions over its socket, and a live view of its container.
# SPDX-License-Identifier: Apache-2.0

"""As much of Varlink as it takes to ask gatherd, and a live query whose answer is kept as updates change it."""

import json
import os
import socket
import threading

from waiting import PATIENCE


class VarlinkError(Exception):
    """An error that the daemon answered."""


class Connection:
    """A Varlink connection: one JSON object a message, closed by a NUL."""

    def __init__(self, path, timeout=PATIENCE):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.received = b""

    def close(self):
        # Wakes a thread that waits for the next message.
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def send(self, method, more=False, **parameters):
        call = {"method": method, "parameters": parameters}
        if more:
            call["more"] = True
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.received:
            data = self.socket.recv(1 << 20)
            if not data:
                raise ConnectionError("the daemon closed the connection")
            self.received += data
        message, _, self.received = self.received.partition(b"\0")
        reply = json.loads(message)
        if "error" in reply:
            raise VarlinkError(f"{reply['error']}: {reply.get('parameters')}")
        return reply.get("parameters", {})


class Gatherd:
    """The daemon's process on one container."""

    def __init__(self, program, directory, name, run, bell):
        self.program, self.directory, self.name, self.run, self.bell = program, directory, name, run, bell
        self.socket = os.path.join(directory, "io.gatherd")
        self.config = os.path.join(directory, "gatherd.toml")
        self.process = None
        self.view = None
        os.makedirs(os.path.join(directory, "containers.d"))
        with open(self.config, "w", encoding="utf-8"):
            pass

    def configure(self, identifier, path, lines=()):
        """Writes the file of a container; it takes effect at the next start."""
        with open(os.path.join(self.directory, "containers.d", f"{identifier}.toml"), "w", encoding="utf-8") as file:
            file.write("\n".join([f'path = "{path}"', *lines, ""]))

    def start(self):
        self.process = self.run([self.program, "--config", self.config, "--socket", self.socket, "--state-directory",
                                 os.path.join(self.directory, "state")], f"gatherd-{self.name}", {})

    def answers(self):
        """Returns why the daemon cannot be asked; nothing if it can."""
        try:
            states = {container["state"] for container in self.ask("io.gatherd.Container.List")["containers"]}
        except OSError as error:
            return f"gatherd of {self.name} does not answer: {error!r}"
        return None if states <= {"live"} else f"containers of {self.name} are {states}"

    def ask(self, method, **parameters):
        connection = Connection(self.socket)
        try:
            connection.send(method, **parameters)
            return connection.receive()
        finally:
            connection.close()

    def container(self, identifier):
        return self.ask("io.gatherd.Container.Get", identifier=identifier)["container"]

    def attributes(self):
        """The names of all attributes that this daemon knows."""
        return {attribute["name"] for attribute in self.ask("io.gatherd.Query.Attributes")["attributes"]}

    def find(self, predicate, attributes):
        """The items that match now, by path. The answer reflects every change that was made before."""
        answer = self.ask("io.gatherd.Query.Find", predicate=predicate, attributes=["path", *attributes])
        assert not answer.get("inexact"), answer["inexact"]
        return {item["path"]: item for item in answer["items"]}

    def everything(self, attributes):
        """All items by path, those of the trash included. They are of two moments."""
        return self.find("", attributes) | self.find("path CONTAINS '/.gather/'", attributes)

    def follow(self):
        """Begins the live view, which outlives the process."""
        self.view = LiveView(self.socket, self.bell)


class LiveView(threading.Thread):
    """The answer of a live query of everything. After the daemon was ended, it goes on with the last clock."""

    def __init__(self, path, bell):
        super().__init__(daemon=True)
        self.path, self.bell = path, bell
        self.lock = threading.Lock()
        self.by_identifier = {}
        self.clock = None
        self.ended = False
        self.resumed = self.fresh = 0
        self.failure = None
        self.start()

    def items(self):
        with self.lock:
            return {item["path"]: item for item in self.by_identifier.values()}

    def run(self):
        while not self.ended:
            try:
                self.connection = Connection(self.path, None)
                since = {"since": self.clock} if self.clock else {}
                self.connection.send("io.gatherd.Query.Watch", more=True, predicate="",
                                     attributes=["path", "kind", "size", "modified"], **since)
                while True:
                    self.take(self.connection.receive())
                    self.bell.ring()
            except VarlinkError as error:
                self.failure = str(error)
                self.bell.ring()
                return
            except OSError:
                # The daemon was ended. Its successor cannot say when it listens.
                threading.Event().wait(0.05)

    def take(self, reply):
        with self.lock:
            if reply["event"] == "started" and self.clock:
                if reply.get("fresh"):
                    self.by_identifier.clear()
                    self.fresh += 1
                else:
                    self.resumed += 1
            for removal in reply.get("removed") or ():
                self.by_identifier.pop(removal["id"], None)
            for item in (reply.get("added") or []) + (reply.get("changed") or []):
                self.by_identifier[item["id"]] = item
            self.clock = reply.get("clock", self.clock)

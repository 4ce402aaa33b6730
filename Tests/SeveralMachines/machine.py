# One machine of the household: a namespace, a disk, and the programs on it.
# SPDX-License-Identifier: Apache-2.0

"""Starts, ends, freezes and kills the programs of one machine. Its container is on a small tmpfs of its own, so that the disk can
get full."""

import os
import signal
import socket
import subprocess

from daemon import Gatherd
from syncthing import Syncthing
from waiting import PATIENCE

CONTAINER = "grocery"


class Helper:
    """gather-syncd's process."""

    def __init__(self, program, config, machine):
        self.program, self.config, self.machine = program, config, machine
        self.socket = os.path.join(machine.directory, "io.gatherd.Sharing")
        self.process = None
        self.arguments = []

    def start(self):
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.process = self.machine.run([self.program, "--config", self.config, *self.arguments], f"gather-syncd-{self.machine.name}", {})

    def answers(self):
        """Returns why the helper cannot be asked; nothing if it can."""
        if self.process.poll() is not None:
            return f"gather-syncd of {self.machine.name} ended with status {self.process.returncode}"
        try:
            with socket.socket(socket.AF_UNIX) as end:
                end.connect(self.socket)
        except OSError as error:
            return f"gather-syncd of {self.machine.name} does not answer: {error!r}"
        return None


class Machine:
    """A machine by name. `options` are those of the command line. With `by_commands`, it has no container at first."""

    def __init__(self, name, address, options, scratch, bell, by_commands):
        self.name, self.address, self.options = name, address, options
        self.directory = os.path.join(scratch, name)
        self.logs = os.path.join(scratch, "logs")
        self.disk = os.path.join(self.directory, "disk")
        self.container = os.path.join(self.disk, "box")
        self.documents = os.path.join(self.container, "Documents")
        os.makedirs(self.disk)
        os.makedirs(self.logs, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={options.disk}M", "tmpfs", self.disk], check=True)
        if not by_commands:
            os.makedirs(self.documents)
        self.is_frozen = False
        # Nanoseconds by which the clock of this machine is wrong.
        self.clock_error = 0
        self.gatherd = Gatherd(f"{options.programs}/gatherd", os.path.join(self.directory, "gatherd"), name, self.run, bell)
        self.syncthing = Syncthing(options.syncthing, os.path.join(self.directory, "syncthing"), name, self.run, bell)
        self.helper = None
        if options.helper:
            self.helper = Helper(f"{options.programs}/gather-syncd", self.syncthing.config, self)
        if not by_commands:
            self.gatherd.configure(CONTAINER, self.container, ['sync = "syncthing"'] if options.helper else [])

    def programs(self):
        """All programs that run here, in the order of their start."""
        return [program for program in (self.gatherd, self.syncthing, self.helper) if program]

    def inside(self, command):
        """A command line inside this machine's network, and with its host name."""
        return ["ip", "netns", "exec", self.name, "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', self.name, *command]

    def environment(self):
        variables = {key: value for key, value in os.environ.items() if not key.startswith(("GATHER", "GROCERY", "XDG_", "ST"))}
        return {**variables, "HOME": self.directory, "XDG_STATE_HOME": f"{self.directory}/state",
                "GATHER_SOCKET": f"{self.directory}/gatherd/io.gatherd",
                "GATHER_SYNC_SOCKET": f"{self.directory}/io.gatherd.Sharing", "GROCERY_CONTAINER": CONTAINER}

    def run(self, command, log, variables):
        """Starts a program that runs on, and returns its process."""
        with open(os.path.join(self.logs, f"{log}.log"), "ab") as file:
            return subprocess.Popen(self.inside(command), stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                    env={**self.environment(), **variables})

    def command(self, program, *arguments, patience=PATIENCE, variables=None):
        """Runs a command of a person, and returns what came of it."""
        return subprocess.run(self.inside([f"{self.options.programs}/{program}", *arguments]), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=patience,
                              env={**self.environment(), **(variables or {})})

    def output(self, program, *arguments):
        """The output of a command that has to succeed."""
        result = self.command(program, *arguments)
        if result.returncode != 0:
            raise AssertionError(f"{program} {' '.join(arguments)} on {self.name}: {result.stderr.strip()}")
        return result.stdout

    def kill(self, program, number=signal.SIGKILL):
        """Ends one program by a signal, and returns when it has ended."""
        program.process.send_signal(number)
        program.process.wait(PATIENCE)

    def freeze(self, stopped=True):
        """Stops all programs in their tracks, as a suspended machine does, or lets them go on."""
        for program in self.programs():
            program.process.send_signal(signal.SIGSTOP if stopped else signal.SIGCONT)
        self.is_frozen = stopped

    def fill_disk(self):
        """Fills the disk to its last byte beside the container."""
        with open(os.path.join(self.disk, "ballast"), "wb", buffering=0) as file:
            try:
                while file.write(bytes(1 << 16)):
                    pass
            except OSError:
                pass

    def free_disk(self):
        os.unlink(os.path.join(self.disk, "ballast"))

    def remove_disk(self):
        subprocess.run(["umount", self.disk], check=True)

    def crashed(self):
        """Returns the program that has ended by itself, if any."""
        for program in self.programs():
            status = program.process.poll() if program.process else None
            if status is not None:
                return f"{type(program).__name__} of {self.name} ended with status {status}"
        return None

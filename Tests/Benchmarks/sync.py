#!/usr/bin/env python3
# From a save on one machine to a live query on another, and what the helper for Syncthing takes.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians and ratios. PROGRAMS is the directory of the optimized programs. Two machines are two Syncthings on loopback, each
with a gatherd. Three containers of the same files are shared: with gather-syncd, by Syncthing alone with its own watcher, and with a
scan that this program asks for after each save, which is the floor. Saves take turns. The pause between two saves is the one of a person who saves often; Syncthing itself waits 250 ms
after each message about changes."""

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time

import children
import command
from children import PATIENCE
from command import REPOSITORY, say
from gatherd import Daemon
from measured import MeasuredProcess

sys.path.insert(0, os.path.join(REPOSITORY, "Tests", "SeveralMachines"))

from syncthing import Syncthing  # noqa: E402
from waiting import Bell  # noqa: E402

NAMES = ("here", "there")
# The containers: with the helper, with Syncthing's own watcher, and with a scan that this program asks for after each save.
WITH, ALONE, FLOOR = "helper", "watcher", "floor"
# Seconds from a save to the next one.
PAUSE = 0.4
DIRECTORY_FILES = 200
# One in so many saves is told.
SAVES_TOLD = 20


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Watch:
    """A live query on the far machine."""

    def __init__(self, daemon, container):
        self.connection = daemon.connect()
        self.connection.send("io.gatherd.Query.Watch", more=True, predicate="name BEGINSWITH 'save'", scopes=[container],
                             attributes=["name"])
        while self.connection.receive()["event"] != "gathered":
            pass

    def wait_for(self, names):
        """Returns when all of these names are in the answer."""
        missing = set(names)
        while missing:
            reply = self.connection.receive()
            missing -= {item["name"] for item in (reply.get("added") or []) + (reply.get("changed") or [])}


class Machine:
    """A gatherd, a Syncthing and a helper with the containers of one machine."""

    def __init__(self, name, directory, arguments, bell):
        self.name, self.directory = name, os.path.join(directory, name)
        self.containers = {kind: os.path.join(self.directory, kind) for kind in arguments.kinds}
        os.makedirs(self.directory)
        for path in self.containers.values():
            os.makedirs(path)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("GATHER", "XDG_", "ST"))}
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.syncthing = Syncthing(arguments.syncthing, os.path.join(self.directory, "syncthing"), name, self.run, bell, self.address)
        self.daemon = self.helper = None

    def start(self, arguments, bell):
        """Starts the programs, and returns when they answer."""
        self.syncthing.start()
        daemon = os.path.join(self.directory, "daemon")
        drop_ins = os.path.join(daemon, "containers.d")
        os.makedirs(drop_ins)
        config = os.path.join(daemon, "gatherd.toml")
        with open(config, "w", encoding="utf-8"):
            pass
        for kind, path in self.containers.items():
            with open(os.path.join(drop_ins, f"{kind}.toml"), "w", encoding="utf-8") as file:
                file.write(f'path = "{path}"\n' + 'sync = "syncthing"\n' * (kind == WITH))
        self.daemon = Daemon(f"{arguments.programs}/gatherd", daemon, {}, config=config)
        self.daemon.wait_until_live()
        bell.until("Syncthing answers", self.syncthing.answers)
        if WITH in arguments.kinds:
            self.environment.update({"GATHER_SOCKET": self.daemon.socket_path,
                                     "GATHER_SYNC_SOCKET": os.path.join(self.directory, "io.gatherd.Sharing")})
            process = self.run([f"{arguments.programs}/gather-syncd", "--config", self.syncthing.config], "helper", {})
            self.helper = MeasuredProcess(process, open(os.devnull, "wb"))

    def run(self, command, log, variables):
        with open(os.path.join(self.directory, f"{log}.log"), "wb") as file:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                    env={**self.environment, "HOME": self.directory, **variables})

    def stop(self):
        self.syncthing.ended = True
        for program in (self.helper, self.daemon):
            if program:
                program.stop()
        if self.syncthing.process:
            self.syncthing.process.kill()
            self.syncthing.process.wait()


def save(container, name):
    """Saves a file as an editor does, and returns the time of the rename."""
    aside = os.path.join(container, f".syncthing.{name}.tmp")
    with open(aside, "w", encoding="utf-8") as file:
        file.write(name)
    now = time.monotonic()
    os.rename(aside, os.path.join(container, name))
    return now


def connect(machines, arguments, bell):
    """Shares the containers, and waits until both machines have all."""
    here, there = machines
    here.syncthing.add_device(there.syncthing.device, there.name, there.address)
    there.syncthing.add_device(here.syncthing.device, here.name, None)
    devices = [machine.syncthing.device for machine in machines]
    for machine in machines:
        machine.syncthing.follow()
        for kind, path in machine.containers.items():
            machine.syncthing.add_folder(f"gather-{kind}", path, devices, own_watcher=kind == ALONE)

    def missing():
        for kind in arguments.kinds:
            # remoteneed is right also before the first index of the other machine has come, completion is not.
            status = there.syncthing.ask("GET", "db/status", folder=f"gather-{kind}")
            if status["state"] != "idle" or status["localFiles"] < arguments.files or status["needTotalItems"]:
                return f"{kind}: {status['localFiles']} files, {status['state']}"
            if needed := here.syncthing.needed_by(f"gather-{kind}", there.syncthing.device):
                return f"{kind}: {len(needed)} are missing"
        return None
    bell.until("both machines have all files", missing, PATIENCE)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", help="the directory of the optimized programs")
    parser.add_argument("--files", type=int, default=20_000, help="files in each container (20,000)")
    parser.add_argument("--saves", type=int, default=200, help="saves one by one in each container (200)")
    parser.add_argument("--burst", type=int, default=200, help="files at once (200)")
    parser.add_argument("--syncthing", default="/usr/bin/syncthing", help="another Syncthing than Debian's")
    parser.add_argument("--idle", type=int, default=30, help="seconds of the idle time that is measured (30)")
    parser.add_argument("--without-helper", action="store_true", help="only Syncthing with its own watcher")
    arguments = command.parse(parser, files=200, saves=2, burst=10, idle=2)
    command.need_program(arguments.syncthing, "syncthing")
    arguments.programs = os.path.realpath(arguments.programs)
    arguments.kinds = [ALONE, FLOOR] if arguments.without_helper else [WITH, ALONE, FLOOR]
    bell = Bell()
    machines = []
    times = {kind: [] for kind in arguments.kinds}
    bursts = {}
    with children.scratch_directory(prefix="gather-sync-", dir="/dev/shm") as directory:
        try:
            for name in NAMES:
                say(f"starting the programs of the machine '{name}'")
                machines.append(Machine(name, directory, arguments, bell))
                machines[-1].start(arguments, bell)
            here, there = machines
            for kind, container in here.containers.items():
                say(f"making {arguments.files} files in the container '{kind}'")
                for number in range(arguments.files):
                    folder = os.path.join(container, f"{number // DIRECTORY_FILES:04}")
                    if number % DIRECTORY_FILES == 0:
                        os.mkdir(folder)
                    with open(os.path.join(folder, f"{number:06}.txt"), "w", encoding="utf-8") as file:
                        file.write(str(number))
            say("waiting until the machine 'there' has all files")
            connect(machines, arguments, bell)
            watches = {kind: Watch(there.daemon, kind) for kind in arguments.kinds}
            for number in range(arguments.saves):
                if number % SAVES_TOLD == 0:
                    say(f"save {number + 1} of {arguments.saves} in each container")
                for kind in arguments.kinds:
                    start = save(here.containers[kind], f"save-{number:06}")
                    if kind == FLOOR:
                        here.syncthing.ask("POST", "db/scan", folder=f"gather-{kind}", sub=f"save-{number:06}")
                    watches[kind].wait_for([f"save-{number:06}"])
                    times[kind].append(time.monotonic() - start)
                    time.sleep(PAUSE)
            helpers = [machine.helper for machine in machines if machine.helper]
            before = [helper.processor_seconds() for helper in helpers]
            say(f"idle for {arguments.idle} s")
            time.sleep(arguments.idle)
            idle = [helper.processor_seconds() - seconds for helper, seconds in zip(helpers, before)]
            memory = [helper.proportional_bytes() for helper in helpers]
            before = [helper.processor_seconds() for helper in helpers]
            for kind in arguments.kinds:
                say(f"{arguments.burst} files at once, with the {kind}")
                names = [f"save-burst-{number:06}" for number in range(arguments.burst)]
                start = time.monotonic()
                for name in names:
                    save(here.containers[kind], name)
                if kind == FLOOR:
                    here.syncthing.ask("POST", "db/scan", folder=f"gather-{kind}", sub=names)
                watches[kind].wait_for(names)
                bursts[kind] = time.monotonic() - start
            # What follows the last file of a burst belongs to it.
            time.sleep(arguments.idle / 10)
            burst = [helper.processor_seconds() - seconds for helper, seconds in zip(helpers, before)]
            version = here.syncthing.version()
        finally:
            for machine in machines:
                machine.stop()
    print(f"Syncthing {version}, {arguments.files} files, {arguments.saves} saves")
    for kind in arguments.kinds:
        values = sorted(value * 1e3 for value in times[kind])
        print(f"save to live, with the {kind}: p50 {statistics.median(values):.1f} ms, p99 {values[int(0.99 * len(values))]:.1f} ms; "
              f"{arguments.burst} at once {bursts[kind]:.2f} s")
    if WITH in arguments.kinds:
        median = {kind: statistics.median(values) for kind, values in times.items()}
        print(f"with the helper it takes {median[WITH] / median[FLOOR]:.1f} × as long as the floor, and with the watcher "
              f"{median[ALONE] / median[WITH]:.0f} × as long as with the helper (p50)")
        for place, seconds, bytes_, burst_seconds in zip(NAMES, idle, memory, burst):
            print(f"helper {place}: {bytes_ / 2**20:.1f} MiB, idle {seconds / arguments.idle * 100:.3f} % of a processor, "
                  f"{burst_seconds * 1e3:.0f} ms of processor time for the burst")


if __name__ == "__main__":
    children.program(main)

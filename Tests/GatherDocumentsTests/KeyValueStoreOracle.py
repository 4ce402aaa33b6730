#!/usr/bin/env python3
# An independent model of the key-value store, for random trials of KeyValueStoreRandomTests.
# SPDX-License-Identifier: Apache-2.0

"""Reads a trace from standard input, one operation a line, and checks each `expect` line against the model.

    trial SEED                        a new world
    machine M DEVICE                  a machine with its directory
    open P M                          a process opens a store
    set P KEY VALUE NOW               a value, or - for a removal; the wall clock in milliseconds
    sync P | close P | kill P         synchronize, close, or the end without either
    fold P DEVICE                     folds a device in
    copy M FILE OP TARGET NAME        replication: the file as it was after operation OP; NAME differs for conflict versions
    damage M FILE | remove M FILE     a file is cut off, or removed by replication
    expect P KEY=VALUE,...            the dictionary, by keys

Prints the number of checked expectations, or the first difference. Exit status 1 if there is one.
"""

import sys

LEAD = 3_600_000
SLOTS = 256


class File:
    """The contents of a file: entries (time, counter, device, value), and its clock. Damaged if it has no entries at all."""

    def __init__(self, entries, clock, holder=None):
        self.entries, self.clock, self.holder = entries, clock, holder


class Machine:
    def __init__(self, device):
        self.device, self.files, self.history = device, {}, {}

    def note(self, operation):
        for name, file in self.files.items():
            past = self.history.setdefault(name, [])
            if not past or past[-1][1] is not file:
                past.append((operation, file))

    def at(self, name, operation):
        return [file for when, file in self.history[name] if when <= operation][-1]


class Process:
    def __init__(self, machine):
        self.machine, self.seen, self.own = machine, {}, {}
        self.clock, self.slot, self.dirty = (0, 0), None, False
        self.read()

    def hear(self, reading):
        self.clock = max(self.clock, reading)

    def learn(self, key, entry):
        if entry > self.seen.get(key, ()):
            self.seen[key] = entry
            self.hear(entry[:2])

    def read(self):
        files = [file for file in self.machine.files.values() if file.entries is not None]
        for file in files:
            self.hear(file.clock)
        for key, entry in union(files).items():
            self.learn(key, entry)

    def set(self, key, value, now):
        old = self.seen.get(key)
        if value == "-" and (old is None or old[3] == ""):
            return
        now = max(now, 0)
        if self.clock[0] > now + LEAD:
            self.clock = (now + LEAD, 0)
        self.clock = (now, 0) if now > self.clock[0] else (self.clock[0], self.clock[1] + 1)
        stamp = self.clock
        if old is not None and old[:2] >= stamp:
            stamp = (old[0], old[1] + 1)
        entry = (*stamp, self.machine.device, "" if value == "-" else f'"{value}"')
        assert old is None or entry > old, "a change lost against a value that was seen"
        self.seen[key] = self.own[key] = entry
        self.dirty = True

    def adopt(self, key, entry):
        if entry > self.own.get(key, ()):
            self.own[key] = entry
            self.seen[key] = max(entry, self.seen.get(key, ()))
            self.dirty = True

    def save(self):
        if not self.dirty:
            return
        self.own = {key: max(entry, self.seen[key]) for key, entry in self.own.items()}
        entries, clock, files = dict(self.own), self.clock, self.machine.files
        if self.slot is None or files.get(self.slot[0]) is not self.slot[1]:
            self.slot = None
            for number in range(SLOTS):
                name = f"{self.machine.device}-{number}.keyvalues"
                file = files.get(name)
                if file is not None and (file.holder is not None or file.entries is None):
                    continue
                if file is not None:
                    for key, entry in file.entries.items():
                        entries[key] = max(entry, entries.get(key, ()))
                    clock = max(clock, file.clock)
                self.slot = (name, file)
                break
        name = self.slot[0]
        files[name] = File(entries, clock, self)
        self.slot = (name, files[name])
        self.dirty = False
        for key, entry in entries.items():
            self.own[key] = max(entry, self.own.get(key, ()))
        self.hear(clock)
        for key, entry in entries.items():
            self.learn(key, entry)

    def sync(self):
        self.save()
        self.read()
        files = self.machine.files
        if self.slot is not None and files.get(self.slot[0]) is not self.slot[1] and self.own:
            self.dirty = True
        conflicts = [name for name in files if ".sync-conflict-" in name]
        regular = union(file for name, file in files.items() if name not in conflicts and file.entries is not None)
        for name in conflicts:
            for key, entry in files[name].entries.items():
                if entry > regular.get(key, ()):
                    self.adopt(key, entry)
        self.save()
        for name in conflicts:
            del files[name]

    def fold(self, device):
        self.read()
        leaving = [name for name in self.machine.files if name.startswith(device + "-") and ".sync-conflict-" not in name]
        if any(self.machine.files[name].entries is None for name in leaving):
            return
        for name in leaving:
            for key in self.machine.files[name].entries:
                self.adopt(key, self.seen[key])
        self.save()
        for name in leaving:
            del self.machine.files[name]

    def end(self):
        if self.slot is not None and self.slot[1].holder is self:
            self.slot[1].holder = None

    def view(self):
        return ",".join(f"{key}={entry[3][1:-1]}" for key, entry in sorted(self.seen.items()) if entry[3])


def union(files):
    best = {}
    for file in files:
        for key, entry in file.entries.items():
            best[key] = max(entry, best.get(key, ()))
    return best


def main():
    checked, machines, processes, seed = 0, {}, {}, None
    for operation, line in enumerate(sys.stdin):
        word, *arguments = line.rstrip("\n").split(" ")
        if word == "trial":
            machines, processes, seed = {}, {}, arguments[0]
        elif word == "machine":
            machines[arguments[0]] = Machine(arguments[1])
        elif word == "open":
            processes[arguments[0]] = Process(machines[arguments[1]])
        elif word == "set":
            processes[arguments[0]].set(arguments[1], arguments[2], int(arguments[3]))
        elif word == "sync":
            processes[arguments[0]].sync()
        elif word == "close":
            processes[arguments[0]].save()
            processes[arguments[0]].end()
        elif word == "kill":
            processes[arguments[0]].end()
        elif word == "fold":
            processes[arguments[0]].fold(arguments[1])
        elif word == "copy":
            source, name, when, target, new = arguments
            file = machines[source].at(name, int(when))
            machines[target].files[new] = File(file.entries, file.clock)
        elif word == "damage":
            machines[arguments[0]].files[arguments[1]] = File(None, (0, 0))
        elif word == "remove":
            machines[arguments[0]].files.pop(arguments[1], None)
        elif word == "expect":
            view = processes[arguments[0]].view()
            if view != arguments[1]:
                print(f"seed {seed}, line {operation + 1}: process {arguments[0]} has {arguments[1]}, the model {view}")
                return 1
            checked += 1
        else:
            raise ValueError(line)
        for machine in machines.values():
            machine.note(operation)
    print(checked)
    return 0


sys.exit(main())

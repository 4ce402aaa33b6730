# One day of a household: its beginning, what happens in it, and the checks of its evening.
# SPDX-License-Identifier: Apache-2.0

"""Plays one day at random on three machines that share one container."""

import os
import random
import shutil
import time

import checks
import remote
from machine import CONTAINER, Machine
from network import Network
from oracle import Oracle
from people import People
from waiting import Bell

NAMES = ("attic", "cellar", "porch")
SCRATCH = "/run/several-machines"
HOUR = 3600 * 10**9
# A connection that is not there after so many seconds is made at once.
REDIAL_SECONDS = 3
ABSENT = "downloadingStatus == 'notDownloaded'"
# A wait of so many seconds is told.
LONG_WAIT = 8


class Day:
    """One day with a seed, on machines of its own."""

    def __init__(self, seed, options):
        self.options = options
        self.chance = random.Random(seed)
        self.scratch = os.path.join(SCRATCH, str(seed))
        self.bell = Bell()
        self.oracle = Oracle()
        self.people = People(self.chance, self.oracle)
        self.network = Network()
        by_commands = options.helper and not options.rest
        self.machines = [Machine(name, self.network.add(name), options, self.scratch, self.bell, by_commands)
                         for name in NAMES]
        self.remote = remote.Remote(self.machines, self.scratch) if remote.is_possible() else None
        self.started = time.monotonic()

    def step(self, text):
        print(f"{time.monotonic() - self.started:7.1f} s  {text}", flush=True)
        self.people.trace.append(f"--- {text}")

    def until(self, what, difference):
        """Waits for a state, and fails where a program has ended by itself."""
        def wrong():
            for machine in self.machines:
                if crash := machine.crashed():
                    raise AssertionError(crash)
            return difference()
        seconds, last = self.bell.until(what, wrong)
        if seconds > LONG_WAIT:
            self.step(f"waited {seconds:.1f} s until {what}; at last {last}")

    # MARK: The beginning and the end of a day

    def begin(self):
        for machine in self.machines:
            machine.gatherd.start()
            machine.syncthing.start()
        for machine in self.machines:
            self.until("gatherd answers", machine.gatherd.answers)
            self.until("Syncthing answers", machine.syncthing.answers)
            machine.gatherd.follow()
            machine.syncthing.follow()
            if machine.helper:
                machine.helper.start()
                self.until("the helper answers", machine.helper.answers)
        if self.options.rest or not self.options.helper:
            self.share_by_interface()
        else:
            self.share_by_commands()
        self.has_states = set(checks.SYNC_ATTRIBUTES) <= self.machines[0].gatherd.attributes()
        if self.options.helper and not self.has_states:
            raise AssertionError("gatherd does not know the attributes of sharing")
        self.in_step()

    def share_by_interface(self):
        """Makes the folders as `gather share` does, through Syncthing's interface."""
        devices = [machine.syncthing.device for machine in self.machines]
        # The side that waits is first: a refused connection is tried again after a while only.
        for machine in reversed(self.machines):
            for other in self.machines:
                if other is not machine:
                    # Two that connect to each other at one moment refuse each other, and try again after 20 s.
                    address = f"tcp://{other.address}:22000" if machine.name < other.name else None
                    machine.syncthing.add_device(other.syncthing.device, other.name, address)
            own_watcher = not self.options.helper
            machine.syncthing.add_folder(f"gather-{CONTAINER}", machine.container, devices, own_watcher, ["/Documents"])
            machine.syncthing.add_folder(f"gather-{CONTAINER}-documents", machine.documents, devices, own_watcher)

    def share_by_commands(self):
        """The first machine shares the container, and the others join it."""
        first, *others = self.machines
        os.makedirs(first.documents)
        first.output("gather", "container", "add", CONTAINER, first.container)
        first.output("gather", "share", CONTAINER,
                     *(word for other in others for word in ("--with", other.syncthing.device)))
        for other in others:
            other.output("gather", "join", first.syncthing.device, CONTAINER, "--path", other.container, "--name", first.name,
                         "--address", f"tcp://{first.address}:22000")
        for one in others:
            for other in others:
                if one is not other:
                    one.output("gather", "share", CONTAINER, "--with", other.syncthing.device)
                    if one.name < other.name:
                        one.syncthing.set_address(other.syncthing.device, f"tcp://{other.address}:22000")
        for machine in self.machines:
            for identifier in machine.syncthing.folders():
                machine.syncthing.be_patient(identifier)

    def end(self):
        for machine in self.machines:
            if machine.gatherd.view:
                machine.gatherd.view.ended = True
            machine.syncthing.ended = True
            for program in machine.programs():
                if program.process and program.process.poll() is None:
                    machine.kill(program)
            machine.remove_disk()
        if self.remote:
            self.remote.end()
        self.network.remove()
        shutil.rmtree(self.scratch)

    def connect(self, machines):
        """Connects machines that Syncthing would connect later."""
        seconds, _ = self.bell.until("all are connected", lambda: checks.not_connected(machines), REDIAL_SECONDS, raises=False)
        if seconds >= REDIAL_SECONDS:
            for machine in machines:
                for other in machines:
                    if machine.name < other.name and checks.not_connected([machine, other]):
                        machine.syncthing.redial(other.syncthing.device)

    def in_step(self):
        self.connect(self.machines)
        self.until("all is in step", lambda: checks.not_in_step(self.machines))
        self.until("all containers are equal", lambda: checks.unequal(self.machines))

    def evening(self):
        """Waits until all is quiet, and checks everything."""
        self.in_step()
        self.step("all is in step, and the containers are equal")
        for machine in self.machines:
            self.until("queries equal a walk", lambda machine=machine: checks.wrong_queries(machine))
        self.right_states(self.machines)
        if self.has_states:
            for machine in self.machines:
                self.until("all attributes of sharing are right", lambda machine=machine: checks.wrong_quiet_states(machine))
        self.until("the lists are equal", lambda: checks.unlike_lists(self.machines))
        self.one_command(self.chance.choice(self.machines))
        lost, known = self.oracle.lost(self.machines[0].container)
        if lost:
            raise AssertionError("lost: " + "\n".join(self.oracle.story(word) for word in lost))
        self.in_step()
        files = len(checks.walk(self.machines[0].container))
        self.step(f"{files} items; {len(self.oracle.place)} versions were saved, {len(self.oracle.replaced)} replaced; "
                  f"{len(known)} were lost by Syncthing as it is known to; {self.people.refused} commands failed")
        return len(known)

    def right_states(self, machines):
        if self.has_states:
            for machine in machines:
                self.until("states equal Syncthing's", lambda machine=machine: checks.wrong_states(machine))

    def one_command(self, asker, away=None):
        """Asks all machines with one command, which one of them may not hear."""
        if self.remote:
            self.until("one command asks all machines", lambda: self.remote.wrong_answers(asker, away))

    # MARK: What happens in a day

    def awake(self):
        return [machine for machine in self.machines if not machine.is_frozen]

    def ordinary(self):
        """People do this and that on all machines."""
        for _ in range(self.chance.randrange(self.options.acts // 2, self.options.acts + 1)):
            self.people.act(self.chance.choice(self.awake()))

    def offline(self):
        """Two people edit the same item and the same note while the cable of one machine is out."""
        self.in_step()
        away, home = self.chance.sample(self.machines, 2)
        self.network.cut(away.name)
        self.step(f"offline: {away.name}; {home.name} edits the same")
        self.one_command(home, away)
        for edit, found in ((self.people.edit_item, self.people.items), (self.people.edit_note, self.people.notes),
                            (self.people.rename_item, self.people.items)):
            both = [name for name in found(away) if name in found(home)]
            if both:
                name = self.chance.choice(both)
                # The third machine gets both versions, and does not edit.
                for machine in self.chance.sample((away, home), 2):
                    edit(machine, name)
        self.network.mend(away.name)
        self.in_step()

    def away(self):
        """A machine is suspended while the others go on, and is back later."""
        away = self.chance.choice(self.machines)
        at_home = [machine for machine in self.machines if machine is not away]
        self.network.cut(away.name)
        away.freeze()
        # A download from a machine that does not answer would last until the connection is given up, some minutes.
        for machine in at_home:
            machine.syncthing.redial(away.syncthing.device)
        self.step(f"away: {away.name}")
        self.ordinary()
        if self.has_states:
            self.connect(at_home)
            self.until("those at home are idle", lambda: self.at_work(at_home))
            self.right_states(at_home)
        away.freeze(False)
        self.network.mend(away.name)

    @staticmethod
    def at_work(machines):
        """Whether one of two machines has still to fetch something from the other."""
        for identifier in machines[0].syncthing.folders():
            needs = {machine.name: machine.syncthing.needed_here(identifier) for machine in machines}
            for machine, other in (machines, reversed(machines)):
                missing_there = machine.syncthing.needed_by(identifier, other.syncthing.device)
                # One of the two may have heard of a version, or a deletion, that only the machine away can tell the other.
                if found := needs[machine.name] - missing_there:
                    return f"{machine.name} needs {sorted(found)}, which {other.name} has"
                found = [path for path in missing_there - needs[machine.name] - needs[other.name]
                         if machine.syncthing.has_newest(identifier, path)]
                if found:
                    return f"{machine.name} has {found}, and {other.name} has not heard of it"
        return None

    def evicted(self):
        """One machine frees its copies of some files and brings them back, while people go on."""
        self.in_step()
        machine = self.chance.choice(self.machines)
        paths = self.people.some_files(machine)
        if not paths or not self.has_states:
            return
        self.step(f"evicted: {len(paths)} files of {machine.name}")
        machine.output("gather", "evict", *paths)
        if left := [path for path in paths if os.path.exists(path)]:
            raise AssertionError(f"evicted, and still here: {left}")
        self.until("evicted files are known", lambda: checks.difference(
            dict.fromkeys(paths, True), dict.fromkeys(machine.gatherd.find(ABSENT, []), True), ("evicted", "a query has")))
        self.ordinary()
        self.connect(self.machines)
        machine.output("gather", "download", machine.container)
        self.until("nothing is evicted", lambda: machine.gatherd.find(ABSENT, []))

    def full_disk(self):
        """The disk of one machine gets full, while others save pictures."""
        full = self.chance.choice(self.machines)
        full.fill_disk()
        self.step(f"full disk: {full.name}")
        for machine in self.machines:
            if machine is not full:
                self.people.take_picture(machine)
        self.ordinary()
        full.free_disk()
        # Syncthing pauses for longer after each failure, and a new version in a folder ends the pause.
        home = self.chance.choice([machine for machine in self.machines if machine is not full])
        self.people.save_data(home)
        self.people.write_note(home)

    def killed(self):
        """Each kind of program is killed on some machine, and started again."""
        for kind in range(len(self.machines[0].programs())):
            machine = self.chance.choice(self.machines)
            program = machine.programs()[kind]
            self.step(f"killed: {type(program).__name__} of {machine.name}")
            machine.kill(program)
            # Without gatherd, commands on this machine fail; files are saved meanwhile.
            for _ in range(2):
                self.people.edit_note(machine)
            self.people.act(self.chance.choice([other for other in self.machines if other is not machine]))
            program.start()
            self.until("it answers again", program.answers)
            self.ordinary()

    def wrong_clock(self):
        """The clock of one machine is hours ahead or behind."""
        wrong = self.chance.choice(self.machines)
        hours = self.chance.choice((-30, -2, 1, 26))
        wrong.clock_error = hours * HOUR
        self.step(f"wrong clock: {wrong.name} by {hours} h")
        for _ in range(3):
            self.people.edit_item(wrong)
            self.people.edit_note(wrong)
        self.people.write_note(wrong)
        self.ordinary()
        wrong.clock_error = 0

    def play(self):
        self.begin()
        machine = self.machines[0]
        self.step(f"Syncthing {machine.syncthing.version()} on {len(self.machines)} machines, "
                  f"{'with' if self.options.helper else 'without'} the helper; "
                  f"{'states are checked' if self.has_states else 'no states'}")
        for _ in range(3):
            self.people.add(machine)
            self.people.write_note(machine)
        self.ordinary()
        happenings = [self.offline, self.away, self.evicted, self.full_disk, self.killed, self.wrong_clock] * self.options.times
        self.chance.shuffle(happenings)
        for happening in happenings:
            happening()
            self.ordinary()
        return self.evening()

    def keep_logs(self, seed, shown):
        """Keeps the logs and the trace of a day, and shows so many lines of their ends."""
        kept = os.path.join(self.options.keep, str(seed))
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(os.path.join(self.scratch, "logs"), kept)
        with open(os.path.join(kept, "trace"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.people.trace) + "\n")
        for machine in self.machines:
            with open(os.path.join(kept, f"tree-{machine.name}"), "w", encoding="utf-8") as file:
                for path, status in sorted(checks.walk(machine.container, own_names=True).items()):
                    file.write(f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {path}\n")
        for name in sorted(os.listdir(kept)):
            if shown and (name.endswith(".log") or name == "trace"):
                with open(os.path.join(kept, name), encoding="utf-8", errors="replace") as file:
                    lines = file.readlines()[-shown:]
                print(f"--- the end of {name}", *(f"    {line.rstrip()}" for line in lines), sep="\n")
        print(f"The logs are in {kept}.")

# Three machines edit one file offline, and meet again.
# SPDX-License-Identifier: Apache-2.0

"""Counts the trials in which a version is lost: first as Syncthing works by itself, and then with fresh copies claimed."""

import os

import checks
from household import Day
from oracle import words_in, words_of

# As many wrong authors as a failure shows.
SHOWN = 6


class Trials:
    """A household that does nothing else."""

    def __init__(self, seed, options):
        self.day = Day(seed, options)
        self.machines, self.people = self.day.machines, self.day.people

    def present(self):
        """The words in all files of the first machine."""
        return set().union(*(words_in(path) for path in checks.walk(self.machines[0].documents)))

    def trial(self, claims=False):
        """Returns whether a version was lost. With claimed copies, the story of it is told."""
        machine = self.machines[0]
        self.people.write_note(machine)
        self.day.in_step()
        name = self.people.notes(machine)[-1]
        for other in self.machines:
            self.day.network.cut(other.name)
        before = set(self.day.oracle.place)
        for other in self.machines:
            self.people.edit_note(other, name)
        for other in self.machines:
            self.day.network.mend(other.name)
        self.day.in_step()
        words = set(self.day.oracle.place) - before
        if len(words) != len(self.machines):
            raise AssertionError(f"{len(words)} edits of {len(self.machines)}")
        lost = sorted(words - self.present())
        if claims:
            for word in lost:
                print("several-machines: lost: " + self.day.oracle.story(word), flush=True)
        return bool(lost)

    def run(self, count):
        """Returns in how many trials of so many a version was lost: without a claim, and with it."""
        for machine in self.machines:
            machine.helper.arguments = ["--no-claims"]
        self.day.begin()
        lost = [sum(self.trial() for _ in range(count))]
        for machine in self.machines:
            machine.kill(machine.helper)
            machine.helper.arguments = []
            machine.helper.start()
            self.day.until("the helper answers", machine.helper.answers)
        self.day.in_step()
        lost.append(sum(self.trial(claims=True) for _ in range(count)))
        self.day.until("all authors are right", self.wrong_authors)
        return lost

    def wrong_authors(self):
        """The versions in conflict whose author is unknown or another machine than the one that saved the word in the first line."""
        devices = {machine.name[0]: machine.syncthing.device[:7] for machine in self.machines}
        wrong = []
        for machine in self.machines:
            for path in filter(checks.CONFLICT.search, checks.walk(machine.documents)):
                with open(path, "rb") as file:
                    words = words_of(file.readline())
                try:
                    author = os.getxattr(path, "user.gather.device").decode().split()[0]
                except OSError:
                    author = None
                if author not in {devices[word[-1]] for word in words}:
                    wrong.append(f"{path}: {author}, {sorted(words)}")
        return wrong[:SHOWN]

    def end(self):
        self.day.end()

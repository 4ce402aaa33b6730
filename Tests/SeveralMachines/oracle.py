# What was saved, and by whom it was replaced.
# SPDX-License-Identifier: Apache-2.0

"""Each save writes a word that occurs nowhere else. A word may be gone in the end only if a person replaced it who had it.

Syncthing is known to lose versions by itself where more than two machines edited one file at once: a conflict of a conflict copy
is not copied, and two conflicts in one second have one name. Lost words of such files are counted apart."""

import collections
import os
import re

WORD = re.compile(rb"\bw\d{5}[a-z]\b")
# The word of a picture is at its beginning.
LOOKED_AT = 4096
# With so many versions of a file at once, Syncthing loses some.
MANY_VERSIONS = 3

Save = collections.namedtuple("Save", "word seen machine")


def words_of(data):
    """The words in some bytes."""
    return {match.decode() for match in WORD.findall(data)}


def words_in(path):
    """The words in a file, of which none is there if the file is not."""
    try:
        with open(path, "rb") as file:
            return words_of(file.read(LOOKED_AT))
    except (FileNotFoundError, IsADirectoryError):
        return set()


class Oracle:
    """The words that were saved, by the file or item that they belong to."""

    def __init__(self):
        self.count = 0
        self.saves = collections.defaultdict(list)
        self.replaced = set()
        self.place = {}

    def new_word(self, machine):
        self.count += 1
        return f"w{self.count:05}{machine.name[0]}"

    def saved(self, place, word, seen, machine, replaced=()):
        """Notes that a person saved a word into an item who had seen these words of it, and replaced some of them."""
        self.saves[place].append(Save(word, frozenset(seen) | {word}, machine.name))
        self.place[word] = place
        self.replaced.update(replaced)

    def removed(self, words):
        """Notes that a person removed a file with these words."""
        self.replaced.update(words)

    def current(self, place):
        """The words of an item that nobody has replaced."""
        return {save.word for save in self.saves[place]} - self.replaced

    def versions(self, place):
        """How many versions of an item no later save has seen."""
        saves = self.saves[place]
        return sum(1 for save in saves if not any(save.word in other.seen for other in saves if other is not save))

    def lost(self, container):
        """The words that are nowhere in a container although nobody replaced them: those that must not be lost, and those
        that Syncthing is known to lose."""
        present = set()
        for directory, _, names in os.walk(container):
            for name in names:
                present |= words_in(os.path.join(directory, name)) | words_of(os.fsencode(name))
        missing = sorted(set(self.place) - self.replaced - present)
        known = [word for word in missing if self.versions(self.place[word]) >= MANY_VERSIONS]
        return [word for word in missing if word not in known], known

    def story(self, word):
        """What was saved into the item of a word, for a failure."""
        place = self.place[word]
        saves = "; ".join(f"{save.word} on {save.machine} having seen {sorted(save.seen - {save.word})}" for save in self.saves[place])
        return f"{word} of {place}: {saves}"

# The people of the household: what they do with the list and with files.
# SPDX-License-Identifier: Apache-2.0

"""Actions at random on one machine. Each save is told to the oracle with the words that the person had before."""

import ctypes
import os

from oracle import WORD, words_in, words_of

# renameat2(2).
AT_FDCWD = -100
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2
LIBRARY = ctypes.CDLL(None, use_errno=True)
FOODS = ("Milk", "Bread", "Rye flour", "Äpfel", "Cheese", "Tea", "Jam", "Oats", "Figs", "Salt")
MEGABYTE = 1 << 20
MOST_EVICTED = 4


def rename(old, new, flags):
    """Renames with flags; raises OSError."""
    if LIBRARY.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), new)


class People:
    """Acts on machines with one source of chance, and keeps a trace."""

    def __init__(self, chance, oracle):
        self.chance, self.oracle = chance, oracle
        self.trace = []
        self.refused = 0
        self.actions = {
            self.add: 6, self.tick: 4, self.rename_item: 4, self.tag_item: 3, self.remove_item: 1, self.edit_item: 4,
            self.write_note: 4, self.edit_note: 5, self.move_note: 2, self.delete_note: 1, self.take_picture: 2,
            self.item_picture: 1, self.tag_file: 2, self.save_data: 2, self.resolve: 1, self.rush: 1,
        }

    def act(self, machine):
        """Does one thing at random on a machine."""
        action, = self.chance.choices(list(self.actions), weights=self.actions.values())
        try:
            action(machine)
        except OSError as error:
            # A full disk, or a file that another machine has just taken away.
            self.note(machine, f"{action.__name__} failed: {error}")
            self.refused += 1

    def note(self, machine, text):
        self.trace.append(f"{machine.name}: {text}")

    def grocery(self, machine, *arguments):
        """Runs `grocery`, and returns whether it succeeded."""
        result = machine.command("grocery", *arguments)
        self.note(machine, f"grocery {' '.join(arguments)}" + (f" failed: {result.stderr.strip()}" if result.returncode else ""))
        self.refused += result.returncode != 0
        return result.returncode == 0

    # MARK: The list

    @staticmethod
    def item_path(machine, identifier):
        return os.path.join(machine.documents, f"Item_{identifier}")

    def items(self, machine, calm=True):
        """The identifiers of the items that are on a machine. Calm ones have all words here that anybody saved into them."""
        found = []
        for place in sorted(place for place in self.oracle.saves if place.startswith("item ")):
            path = self.item_path(machine, place.removeprefix("item "))
            if os.path.exists(path) and (not calm or self.oracle.current(place) <= words_in(path)):
                found.append(place.removeprefix("item "))
        return found

    def an_item(self, machine, calm=True):
        items = self.items(machine, calm)
        return self.chance.choice(items) if items else None

    def add(self, machine):
        word = self.oracle.new_word(machine)
        name = f"{self.chance.choice(FOODS)} {word}"
        if not self.grocery(machine, "add", "--plain", name):
            return
        for file in os.listdir(machine.documents):
            if file.startswith("Item_") and ".sync-conflict-" not in file and word in words_in(os.path.join(machine.documents, file)):
                self.oracle.saved(f"item {file.removeprefix('Item_')}", word, (), machine)

    def tick(self, machine):
        if identifier := self.an_item(machine):
            self.grocery(machine, self.chance.choice(("buy", "unbuy")), identifier)

    def rename_item(self, machine, identifier=None):
        if identifier := identifier or self.an_item(machine):
            seen = words_in(self.item_path(machine, identifier))
            name = self.first_line_words(machine, identifier)
            word = self.oracle.new_word(machine)
            if self.grocery(machine, "rename", identifier, f"{self.chance.choice(FOODS)} {word}"):
                self.oracle.saved(f"item {identifier}", word, seen, machine, name)

    def first_line_words(self, machine, identifier):
        with open(self.item_path(machine, identifier), "rb") as file:
            return words_of(file.readline())

    def tag_item(self, machine):
        if identifier := self.an_item(machine):
            seen = words_in(self.item_path(machine, identifier))
            word = self.oracle.new_word(machine)
            if self.grocery(machine, "tag", identifier, word):
                self.oracle.saved(f"item {identifier}", word, seen, machine)

    def remove_item(self, machine):
        if identifier := self.an_item(machine):
            self.grocery(machine, "remove", identifier)

    def edit_item(self, machine, identifier=None):
        """Edits the file of an item with an editor that knows nothing of Gather."""
        if identifier := identifier or self.an_item(machine):
            self.edit(machine, self.item_path(machine, identifier), f"item {identifier}")

    def item_picture(self, machine):
        if identifier := self.an_item(machine):
            seen = words_in(self.item_path(machine, identifier))
            word = self.oracle.new_word(machine)
            picture = os.path.join(machine.directory, "picture.jpg")
            with open(picture, "wb") as file:
                file.write(self.picture(word, MEGABYTE // 4))
            if self.grocery(machine, "image", identifier, picture):
                self.oracle.saved(f"picture of {identifier} {word}", word, seen, machine)

    def resolve(self, machine):
        """Ends a conflict of an item, all versions of which are here."""
        for identifier in self.items(machine, calm=False):
            versions = [file for file in os.listdir(machine.documents) if file.startswith(f"Item_{identifier}")]
            before = set().union(*(words_in(os.path.join(machine.documents, file)) for file in versions))
            if len(versions) > 1 and self.oracle.current(f"item {identifier}") <= before:
                if self.grocery(machine, "resolve", identifier, "--keep", self.chance.choice(("merged", "newest", "both"))):
                    self.oracle.removed(before - self.words_anywhere(machine))
                return

    @staticmethod
    def words_anywhere(machine):
        return set().union(*(words_in(os.path.join(directory, name))
                             for directory, _, names in os.walk(machine.container) for name in names))

    def rush(self, machine):
        """Edits an item without a look at what others have saved."""
        if identifier := self.an_item(machine, calm=False):
            for _ in range(self.chance.randrange(2, 5)):
                self.edit_item(machine, identifier)

    # MARK: Files

    def notes(self, machine, calm=True):
        """The paths of notes on a machine, in the container."""
        found = []
        for name in sorted(os.listdir(machine.documents)):
            place = f"note {name}"
            if name.startswith("note") and ".sync-conflict-" not in name:
                words = words_in(os.path.join(machine.documents, name))
                if words and (not calm or all(self.oracle.current(self.oracle.place[word]) <= words for word in words)):
                    found.append(place.removeprefix("note "))
        return found

    def write_note(self, machine):
        word = self.oracle.new_word(machine)
        self.save(machine, os.path.join(machine.documents, f"note-{word[1:]}.txt"), f"{word}\n".encode())
        self.oracle.saved(f"note {word}", word, (), machine)

    def edit_note(self, machine, name=None):
        notes = [name] if name else self.notes(machine)
        if notes:
            path = os.path.join(machine.documents, self.chance.choice(notes))
            words = words_in(path)
            if words:
                self.edit(machine, path, self.oracle.place[min(words)])

    def move_note(self, machine):
        if notes := self.notes(machine):
            name = self.chance.choice(notes)
            new = f"note-{self.chance.randrange(10**6)}.txt"
            rename(os.path.join(machine.documents, name), os.path.join(machine.documents, new), RENAME_NOREPLACE)
            self.note(machine, f"move {name} to {new}")

    def delete_note(self, machine):
        if notes := self.notes(machine):
            name = self.chance.choice(notes)
            aside = self.aside(machine.documents)
            rename(os.path.join(machine.documents, name), aside, RENAME_NOREPLACE)
            self.oracle.removed(words_in(aside))
            os.unlink(aside)
            self.note(machine, f"delete {name}")

    def take_picture(self, machine):
        word = self.oracle.new_word(machine)
        directory = os.path.join(machine.documents, "Pictures")
        os.makedirs(directory, exist_ok=True)
        size = self.chance.randrange(MEGABYTE // 2, 3 * MEGABYTE)
        self.save(machine, os.path.join(directory, f"{word}.jpg"), self.picture(word, size))
        self.oracle.saved(f"picture {word}", word, (), machine)

    def picture(self, word, size):
        # A scan of a JPEG, without a marker. Grocery drops what is no part of the picture.
        scan = word.encode() + b" " + self.chance.randbytes(size).replace(b"\xff", b"")
        return b"\xff\xd8\xff\xda\0\2 " + scan + b"\xff\xd9"

    def save_data(self, machine):
        """Writes a file outside of the documents."""
        word = self.oracle.new_word(machine)
        directory = os.path.join(machine.container, "Archive")
        os.makedirs(directory, exist_ok=True)
        self.save(machine, os.path.join(directory, f"{word}.bin"), self.picture(word, self.chance.randrange(MEGABYTE // 4)))
        self.oracle.saved(f"data {word}", word, (), machine)

    def tag_file(self, machine):
        """Sets an extended attribute, which this version of Syncthing may or may not carry."""
        if notes := self.notes(machine, calm=False):
            name = self.chance.choice(notes)
            os.setxattr(os.path.join(machine.documents, name), "user.xdg.tags", b"home")
            self.note(machine, f"set tags of {name}")

    def some_files(self, machine):
        """Some notes, items and pictures of a machine."""
        found = []
        for directory, directories, names in os.walk(machine.documents):
            directories[:] = [name for name in directories if not name.startswith(".")]
            found += [os.path.join(directory, name) for name in names
                      if not name.startswith(".") and ".sync-conflict-" not in name]
        return self.chance.sample(sorted(found), min(len(found), MOST_EVICTED))

    # MARK: An editor

    def aside(self, directory):
        """A name that Syncthing never sends."""
        return os.path.join(directory, f".syncthing.gather-{self.chance.randrange(10**9)}.tmp")

    def save(self, machine, path, data):
        """Saves a new file under its name when it is whole."""
        aside = self.aside(os.path.dirname(path))
        try:
            with open(aside, "wb") as file:
                file.write(data)
            self.set_clock(machine, aside)
            rename(aside, path, RENAME_NOREPLACE)
        except OSError:
            if os.path.exists(aside):
                os.unlink(aside)
            raise
        self.note(machine, f"save {os.path.relpath(path, machine.container)}")

    def edit(self, machine, path, place):
        """Replaces the first word of a file. A version that came meanwhile is kept as a conflict version."""
        with open(path, "rb") as file:
            loaded = file.read()
        seen = words_of(loaded)
        word = self.oracle.new_word(machine)
        first, end, rest = loaded.partition(b"\n")
        data = WORD.sub(word.encode(), first, 1) + end + rest
        if data == loaded:
            return
        aside = self.aside(os.path.dirname(path))
        try:
            with open(aside, "wb") as file:
                file.write(data)
            self.set_clock(machine, aside)
            rename(aside, path, RENAME_EXCHANGE)
        except OSError:
            if os.path.exists(aside):
                os.unlink(aside)
            raise
        with open(aside, "rb") as file:
            was = file.read()
        self.oracle.saved(place, word, seen, machine, words_of(loaded) - words_of(data))
        self.note(machine, f"edit {os.path.relpath(path, machine.container)}: {word} having seen {sorted(seen)}")
        if was == loaded:
            os.unlink(aside)
        else:
            stem, dot, extension = os.path.basename(path).rpartition(".")
            copy = f"{stem or extension}.sync-conflict-20200101-{self.chance.randrange(10**6):06}-GATHERX{dot}{extension if dot else ''}"
            rename(aside, os.path.join(os.path.dirname(path), copy), RENAME_NOREPLACE)

    def set_clock(self, machine, path):
        """Gives a file the time of this machine's clock, which may be wrong."""
        if machine.clock_error:
            status = os.stat(path)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + machine.clock_error))

# The tree that is measured on: the same for the same number of files and seed, made once and kept.
# SPDX-License-Identifier: Apache-2.0

"""Twenty files a directory, nested up to twelve deep; mixed names; 1 in 50 named Item_<UUID>; 1 in 10 with contents."""

import os
import random
import shutil
import uuid

SEED = 7
FILES_IN_A_DIRECTORY = 20
DEEPEST = 12
ITEM_EVERY = 50
CONTENTS_EVERY = 10
CONTENTS = b"x" * 200
# Directories are made below one of the youngest, so that the tree grows deep as well as wide.
YOUNGEST = 400

WORDS = """account agenda album archive backup bill book calendar card chapter chart config contract core diary draft
essay export figure final garden guide history holiday house image import index invoice journal kitchen lecture letter
library license list log main map market meeting memo menu minutes model module music notes order outline paper photo
picture plan policy poster project query readme receipt recipe record report result review sample scan schedule script
server session shopping sketch song source summary survey table task template test text theme thesis ticket tool track
travel update user video visit voice weekly worksheet""".split()
EXTENSIONS = "txt md swift c h py js json jpg png pdf docx mp3 csv log gro xml html o".split()


class Corpus:
    """A tree of `files` files under `cache`, made if it is not there whole."""

    def __init__(self, cache, files, say):
        self.files = files
        self.items = len(range(0, files, ITEM_EVERY))
        self.directories = max(1, files // FILES_IN_A_DIRECTORY)
        self.path = os.path.join(cache, f"corpus-{files}-{SEED}")
        # Beside the tree and written last: a tree without it was not finished.
        mark = self.path + ".complete"
        if not os.path.exists(mark):
            say(f"making {files:,} files in {self.path}")
            shutil.rmtree(self.path, ignore_errors=True)
            self._make()
            with open(mark, "w", encoding="ascii"):
                pass

    def _make(self):
        choose = random.Random(SEED)
        os.makedirs(self.path)
        directories, open_ones = [(self.path, 0)], [(self.path, 0)]
        while len(directories) < self.directories:
            parent, depth = open_ones[choose.randrange(max(0, len(open_ones) - YOUNGEST), len(open_ones))]
            path = os.path.join(parent, f"{choose.choice(WORDS)}{len(directories)}")
            os.mkdir(path)
            directories.append((path, depth + 1))
            if depth + 1 < DEEPEST:
                open_ones.append((path, depth + 1))
        for number in range(self.files):
            if number % ITEM_EVERY == 0:
                name = "Item_" + str(uuid.UUID(int=choose.getrandbits(128), version=4)).upper()
            else:
                name = f"{choose.choice(WORDS)}-{choose.choice(WORDS)}{number}.{choose.choice(EXTENSIONS)}"
            path = os.path.join(directories[number % len(directories)][0], name)
            descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o644)
            if number % CONTENTS_EVERY == 0:
                os.write(descriptor, CONTENTS)
            os.close(descriptor)

# Makes, writes, renames and removes files and directories below a directory until SIGTERM; then nothing is half done that
# would matter to a comparison. Prints "begun" after the first change. Paced, so that the changes during a restart fit into
# the kernel's queue.
# SPDX-License-Identifier: Apache-2.0
import os
import random
import signal
import sys
import time

root, seed = sys.argv[1], int(sys.argv[2])
choose = random.Random(seed)
ended = False


def end(*_):
    global ended
    ended = True


signal.signal(signal.SIGTERM, end)
files, directories, number = [], [root], 0
while not ended:
    number += 1
    what = choose.random()
    if what < 0.5 or len(files) < 10:
        path = f"{choose.choice(directories)}/f{number}"
        with open(path, "w", encoding="utf-8") as file:
            file.write("x" * choose.randrange(100))
        files.append(path)
        if number == 1:
            print("begun", flush=True)
    elif what < 0.6:
        path = f"{choose.choice(directories)}/d{number}"
        os.mkdir(path)
        directories.append(path)
    elif what < 0.8:
        index = choose.randrange(len(files))
        path = f"{choose.choice(directories)}/r{number}"
        os.rename(files[index], path)
        files[index] = path
    elif what < 0.82 and len(directories) > 1:
        # A directory with all that is in it; not into itself.
        old = choose.choice(directories[1:])
        new = f"{root}/m{number}"
        os.rename(old, new)
        moved = lambda path: new + path[len(old):] if path == old or path.startswith(old + "/") else path
        files = [moved(path) for path in files]
        directories = [moved(path) for path in directories]
    else:
        os.remove(files.pop(choose.randrange(len(files))))
    time.sleep(0.001)

# A daemon with a container of its own, the programs on it, and its files.
# SPDX-License-Identifier: Apache-2.0

"""The parts of a household: the daemon, `grocery` and `grocery serve`, a network that can be cut, and the files of the
container, which are the oracle for what was saved."""

import os
import re
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException

# The limit for each step, in seconds: that of the tests.
PATIENCE = 120 * int(os.environ.get("GATHER_TEST_PATIENCE", "1"))


def until(what, test, patience=PATIENCE):
    """Waits until test() returns a true value, and returns it."""
    end = time.monotonic() + patience
    last = None
    while time.monotonic() < end:
        try:
            last = test()
            if last:
                return last
        except (ElementClickInterceptedException, StaleElementReferenceException, OSError) as error:
            last = error
        time.sleep(0.05)
    raise AssertionError(f"never: {what} (last {last!r})")


class Daemon:
    """`gatherd` with one container."""

    def __init__(self, programs, scratch):
        self.container = os.path.join(scratch, "household")
        self.socket = os.path.join(scratch, "io.gatherd")
        self.log = os.path.join(scratch, "gatherd.log")
        self.command = [os.path.join(programs, "gatherd"), "--socket", self.socket, "--state-directory",
                        os.path.join(scratch, "state"), "--container", f"household={self.container}"]
        os.makedirs(self.container, exist_ok=True)
        self.process = None
        self.start()

    def start(self):
        """Starts it, and returns when it answers."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

        def answers():
            assert self.process.poll() is None, "gatherd ended"
            with socket.socket(socket.AF_UNIX) as end:
                end.connect(self.socket)
            return True
        until("a daemon", answers)

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)

    def tell(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            sys.stderr.writelines(log.readlines()[-20:])


class Household:
    """A daemon with its container, and `grocery` on it."""

    def __init__(self, programs, scratch):
        os.makedirs(scratch, exist_ok=True)
        self.scratch = scratch
        # The end of this process is the end of those that it started.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        self.daemon = Daemon(programs, scratch)
        self.grocery = os.path.join(programs, "grocery")
        self.files = Files(self.daemon.container)
        os.environ.update({"GATHER_SOCKET": self.daemon.socket, "GROCERY_CONTAINER": "household", "HOME": scratch,
                           "XDG_STATE_HOME": os.path.join(scratch, "user-state")})

    def leave(self):
        """Takes the directory of the list away, as a disk that is pulled out."""
        os.rename(self.daemon.container, self.daemon.container + ".away")

    def come_back(self):
        os.rename(self.daemon.container + ".away", self.daemon.container)

    def attempt(self, *arguments):
        """Runs `grocery`, and returns what came of it."""
        return subprocess.run([self.grocery, *arguments], capture_output=True, text=True, timeout=PATIENCE)

    def command(self, *arguments):
        """Runs `grocery`, and returns its output."""
        result = self.attempt(*arguments)
        assert result.returncode == 0, f"grocery {arguments}: {result.stderr}"
        return result.stdout


class Proxy(threading.Thread):
    """A relay of TCP in front of the server. `cut` is a dead network, `lose` a network that loses answers to changes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = None
        self.is_cut = False
        self.loses = False
        self.open = set()
        self.lock = threading.Lock()
        self.start()

    def run(self):
        while True:
            near, _ = self.listener.accept()
            if self.is_cut:
                self.reset(near)
            else:
                threading.Thread(target=self.relay, args=(near,), daemon=True).start()

    @staticmethod
    def reset(end):
        try:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()
        except OSError:
            pass

    def relay(self, near):
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return self.reset(near)
        with self.lock:
            self.open.update((near, far))
        selector = selectors.DefaultSelector()
        selector.register(near, selectors.EVENT_READ, far)
        selector.register(far, selectors.EVENT_READ, near)
        is_lost = False
        try:
            while True:
                for key, _ in selector.select():
                    data = key.fileobj.recv(65536)
                    if not data:
                        return
                    if key.fileobj is near and self.loses and re.match(rb"(POST|PUT|DELETE) /api/", data):
                        is_lost = True
                    if key.fileobj is far and is_lost:
                        return
                    key.data.sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            selector.close()
            with self.lock:
                self.open.difference_update((near, far))
            self.reset(near)
            self.reset(far)

    def cut(self):
        self.is_cut = True
        with self.lock:
            for end in self.open:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def mend(self):
        self.is_cut = self.loses = False


class Server:
    """`grocery serve` on a free port."""

    def __init__(self, grocery, *options):
        self.process = subprocess.Popen(
            [grocery, "serve", "--port", "0", *options], stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
        lines = []
        while not lines or not re.search(r"http://\S+:\d+/", lines[-1]):
            line = self.process.stdout.readline()
            assert line, f"grocery serve ended: {lines}"
            lines.append(line)
        self.links = re.findall(r"http://\S+", lines[-1])
        self.port = int(re.search(r":(\d+)/", self.links[0]).group(1))
        self.token = re.search(r"#token=(\S+)", self.links[0]).group(1)
        self.reader = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.reader.start()

    def link(self, network):
        """The link through a network."""
        return f"http://127.0.0.1:{network.port}/#token={self.token}"

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE)
        assert status == 0, f"grocery serve ended with status {status}"


class Files:
    """The items of a container, read from their files."""

    def __init__(self, container):
        self.container = container

    def all(self):
        found = []
        for folder, _, names in os.walk(self.container):
            for name in names:
                if name.startswith("Item_") and "/.gather/trash" not in folder:
                    found.append(os.path.join(folder, name))
        return found

    def current(self):
        return [path for path in self.all() if re.fullmatch(r"Item_[0-9A-F-]{36}", os.path.basename(path))]

    def everywhere(self):
        """The items with their conflict versions and those in the trash."""
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.container) for name in names if "Item_" in name]

    def first_lines(self, paths):
        lines = []
        for path in paths:
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    lines.append(file.readline().rstrip("\n"))
            except FileNotFoundError:
                pass
        return lines

    def named(self, name):
        return [path for path in self.current() if self.first_lines([path]) == [name]]

    def pictures(self):
        return [path for path in self.all() if re.search(r"\.(jpe?g|png)$", path)]

    def disagree(self, name, other):
        """Leaves another version of an item beside it, as a change on another device does."""
        path = self.named(name)[0]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path + ".sync-conflict-20261125-003609-KIHKRYN", "w", encoding="utf-8") as file:
            file.write(text.replace(name, other, 1))

    def conflicts(self):
        return [path for path in self.all() if ".sync-conflict-" in path]

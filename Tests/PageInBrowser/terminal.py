# The full-screen view of grocery, in a terminal of its own.
# SPDX-License-Identifier: Apache-2.0

"""`grocery` on a terminal of tmux(1), which keys are sent to and whose screen is read."""

import re
import subprocess
import time

from household import PATIENCE, until

# The wait for a question, in seconds. None is asked if no item is selected.
QUESTION_PATIENCE = 5
ROW = re.compile(r"^(?P<cursor>[> ])(?P<light>\S) \[(?P<bought>[x ])\] (?P<name>[^,│]*?)(?:, [^│]*?)?(?:  #[^│]*)? *│")


class Terminal:
    """The view of a household on 120 columns and 70 lines, so that all items fit."""

    def __init__(self, household):
        self.server = ["tmux", "-S", f"{household.scratch}/tmux", "-f", "/dev/null"]
        self.tmux("new-session", "-d", "-x", "120", "-y", "70", "-e", "LC_ALL=C.UTF-8", household.grocery)
        until("the view", lambda: "q Quit" in self.text())

    def tmux(self, *arguments):
        return subprocess.run([*self.server, *arguments], check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def text(self):
        return self.tmux("capture-pane", "-p")

    def press(self, *keys):
        """Presses keys by their names, such as Enter."""
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def rows(self):
        """The rows as (name, whether bought, whether selected)."""
        return [(match["name"].rstrip(), match["bought"] == "x", match["cursor"] == ">")
                for match in map(ROW.match, self.text().splitlines()) if match]

    def select(self, name):
        """Selects the item with this name. False if it is not there, or if the list changed meanwhile."""
        for _ in range(3):
            rows = self.rows()
            here = next((index for index, row in enumerate(rows) if row[2]), None)
            there = next((index for index, row in enumerate(rows) if row[0] == name), None)
            if here is None or there is None:
                return False
            if here == there:
                return True
            self.press("-N", str(abs(there - here)), "Down" if there > here else "Up")
            end = time.monotonic() + 2
            while time.monotonic() < end and (name, True) not in [(row[0], row[2]) for row in self.rows()]:
                time.sleep(0.02)
        return False

    def prompt(self, key, text):
        """Answers a question of the view, and returns the text that it began with. None if nothing was asked."""
        self.press(key)
        try:
            # A name is there to be changed. The screen may be read while it is drawn.
            asked = until("a question", lambda: (match := self.question()) and (key != "r" or match["text"].strip()) and match,
                          QUESTION_PATIENCE)
        except AssertionError:
            return None
        self.press("C-u")
        self.type(text)
        self.press("Enter")
        return asked["text"].strip()

    def question(self):
        """The question in the line above the keys."""
        lines = self.text().rstrip("\n").splitlines()
        is_asked = "Esc Cancel" in lines[-1] or "Esc End" in lines[-1]
        return is_asked and re.match(r"[^:]+:(?P<text>.*)", lines[-2])

    def is_given_back(self, text):
        """Whether the view asks again with a text that could not be saved. The reason is in the line above the question."""
        question = self.question()
        lines = self.text().rstrip("\n").splitlines()
        return question and text in question["text"] and lines[-3].strip() and "│" not in lines[-3]

    def end(self):
        self.press("Escape")
        until("the list", lambda: "q Quit" in self.text())
        self.press("q")
        self.wait()

    def wait(self):
        def is_gone():
            return subprocess.run([*self.server, "has-session"], capture_output=True, check=False).returncode != 0
        until("the end of the view", is_gone)

    def kill(self):
        subprocess.run([*self.server, "kill-server"], capture_output=True, check=False)

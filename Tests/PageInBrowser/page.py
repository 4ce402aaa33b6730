# A page in a browser of its own.
# SPDX-License-Identifier: Apache-2.0

"""A page of `grocery serve` in a browser without a window, and pictures for it."""

import os
import struct
import zlib

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from household import PATIENCE, until


class Page:
    """A browser of its own with the page, in the size of a phone."""

    def __init__(self, address, screenshots=None, dark=False, width=390, height=844):
        self.screenshots = screenshots
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         "--disable-dev-shm-usage", "--lang=en-GB"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.size(width, height)
        self.scheme("dark" if dark else "light")
        self.driver.get(address)

    def size(self, width, height=844):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2, "mobile": width < 800})

    def scheme(self, name):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return until(selector, lambda: next((e for e in self.find(selector) if e.is_displayed()), None))

    def click(self, selector):
        self.one(selector).click()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def rows(self):
        """The rows as (name, whether bought, state)."""
        return [tuple(row) for row in self.run("""
            return [...document.querySelectorAll('.row')].map(row => [
              row.querySelector('.name').textContent, row.querySelector('.tick input').checked,
              row.querySelector('.light')?.className.replace('light ', '') ?? ''])""")]

    def names(self):
        return [row[0] for row in self.rows()]

    def row(self, name, patience=PATIENCE):
        return until(f"row {name}", lambda: next(
            (row for row in self.find(".row") if row.find_element(By.CSS_SELECTOR, ".name").text == name), None), patience)

    def shows(self, name, bought=None, state=None):
        until(f"{name} with {bought} {state}; rows are {self.rows()}", lambda: any(
            row[0] == name and bought in (None, row[1]) and state in (None, row[2]) for row in self.rows()))

    def lacks(self, name):
        until(f"no {name}", lambda: name not in self.names())

    def press(self, name, selector, patience):
        """Clicks a part of a row. The page may move it between the scroll and the click, under a heading that stays."""
        def pressed():
            element = self.row(name, patience).find_element(By.CSS_SELECTOR, selector)
            self.run("arguments[0].scrollIntoView({block: 'center'})", element)
            element.click()
            return True
        until(f"a click on {selector} of {name}", pressed, patience)

    def tick(self, name, patience=PATIENCE):
        self.press(name, ".tick", patience)

    def open(self, name, patience=PATIENCE):
        self.press(name, ".open", patience)
        self.one("#item[open]")

    def add(self, line):
        self.one("#field").send_keys(line, Keys.ENTER)

    def fill(self, selector, text):
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def waiting(self):
        """The number of changes that wait in the browser."""
        return self.run(
            "return Object.keys(localStorage).filter(key => key.startsWith('grocery.change.')).length")

    def refused(self):
        """The changes that the server refused, with the reasons."""
        return self.run("""
            return Object.keys(localStorage).filter(key => key.startsWith('grocery.change.'))
              .map(key => localStorage[key]).filter(text => text.includes('"problem"'))""")

    def answers_questions(self):
        """Has each item come back that others removed while it was edited here."""
        self.run("changes().forEach(change => { if (change.isRemoved) bringBack(change); })")
        return True

    def state(self):
        return self.run("return document.querySelector('#status').dataset.state")

    def is_in_state(self, *states):
        until(f"state {states}", lambda: self.state() in states)

    def shot(self, name):
        if self.screenshots:
            os.makedirs(self.screenshots, exist_ok=True)
            self.driver.save_screenshot(os.path.join(self.screenshots, name + ".png"))

    def errors(self):
        """The errors of scripts and of the security policy. Lost connections are expected."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "net::ERR" not in entry["message"]
                and "status of 4" not in entry["message"] and "status of 503" not in entry["message"]]

    def end(self):
        errors = self.errors()
        self.driver.quit()
        assert not errors, errors


def picture(path, blue=120):
    """Writes a picture of 64 by 64 pixels (PNG), another one for each value of `blue`."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(value for x in range(64) for value in (x * 4, y * 4, blue)) for y in range(64))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

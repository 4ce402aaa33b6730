# A Syncthing of one machine, and its REST interface on a Unix socket.
# SPDX-License-Identifier: Apache-2.0

"""Starts Debian's Syncthing with a configuration of its own, and asks its interface. The key is in the configuration only."""

import datetime
import http.client
import json
import os
import re
import socket
import subprocess
import threading
import urllib.parse
import xml.etree.ElementTree as xml

from waiting import PATIENCE

# Names that Syncthing makes for itself and never sends, at the top of a folder or anywhere.
OWN_NAMES = re.compile(r"^(\.stfolder|\.stignore|\.stversions|\.syncthing\..*|~syncthing~.*)$")
# The directory of the helpers at the top of a folder. It is sent, and is no item.
HELPERS_NAME = ".gather-sync"
# How long Syncthing's own watcher gathers changes, in seconds. 1.19 takes whole numbers only.
WATCHER_DELAY = 1
# A wait for events ends after so many seconds, and is begun again.
EVENT_SECONDS = 20
EVENTS = ",".join((
    "DeviceConnected", "DeviceDisconnected", "FolderCompletion", "FolderErrors", "FolderSummary", "ItemFinished",
    "LocalIndexUpdated", "RemoteIndexUpdated", "StateChanged", "ConfigSaved", "FolderScanProgress"))


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class RefusedRequest(Exception):
    """An answer of the interface that is no success."""


class Syncthing:
    """Syncthing's process and its interface. `bell` rings at each of its events."""

    def __init__(self, program, home, name, run, bell, listen="tcp://0.0.0.0:22000"):
        self.program, self.home, self.name, self.run, self.bell, self.listen = program, home, name, run, bell, listen
        self.socket = os.path.join(home, "gui.sock")
        self.config = os.path.join(home, "config.xml")
        self.process = None
        self.ended = False
        self.configure()

    def configure(self):
        """Generates the keys, and sets what a network without a router takes."""
        os.makedirs(self.home)
        subprocess.run([self.program, "generate", f"--home={self.home}", "--no-default-folder"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tree = xml.parse(self.config)
        root = tree.getroot()
        root.find("device").set("name", self.name)
        self.device = root.find("device").get("id")
        gui = root.find("gui")
        gui.find("address").text = self.socket
        xml.SubElement(gui, "unixSocketPermissions").text = "0600"
        self.key = gui.find("apikey").text
        options = root.find("options")
        for option, value in {
                "listenAddress": self.listen, "globalAnnounceEnabled": "false", "localAnnounceEnabled": "false",
                "relaysEnabled": "false", "natEnabled": "false", "reconnectionIntervalS": "1", "urAccepted": "-1",
                "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0", "startBrowser": "false",
                "progressUpdateIntervalS": "1", "setLowPriority": "false", "minHomeDiskFree": "0"}.items():
            found = options.find(option)
            if found is None:
                found = xml.SubElement(options, option)
            found.text = value
        tree.write(self.config)

    def start(self):
        """Starts the process without its monitor (STMONITORED); `answers` tells when it can be asked."""
        # The socket of a killed process stays, and the next one could not listen.
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.process = self.run([self.program, "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-upgrade"],
                                f"syncthing-{self.name}",
                                {"STNODEFAULTFOLDER": "1", "STNOUPGRADE": "1", "STMONITORED": "1"})

    def follow(self):
        """Rings the bell at each event from now on, also of later processes."""
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self):
        last = 0
        while not self.ended:
            try:
                events = self.ask("GET", "events", timeout=EVENT_SECONDS, events=EVENTS, since=last, limit=100)
                last = events[-1]["id"] if events else last
                self.bell.ring()
            except RefusedRequest:
                last = 0
            except (OSError, http.client.HTTPException, ValueError):
                # The process was ended, and its successor begins to count anew. It cannot say when it listens.
                last = 0
                threading.Event().wait(0.1)

    def answers(self):
        """Returns why the interface cannot be asked; nothing if it can."""
        try:
            self.ask("GET", "system/ping")
        except (OSError, http.client.HTTPException, RefusedRequest) as error:
            return f"Syncthing of {self.name} does not answer: {error!r}"
        return None

    def ask(self, verb, path, body=None, **query):
        """Sends one request, and returns the JSON of its answer."""
        connection = UnixConnection(self.socket, PATIENCE)
        try:
            text = f"/rest/{path}" + (f"?{urllib.parse.urlencode(query, doseq=True)}" if query else "")
            connection.request(verb, text, None if body is None else json.dumps(body),
                               {"X-API-Key": self.key, "Content-Type": "application/json"})
            answer = connection.getresponse()
            data = answer.read()
            if answer.status != 200:
                raise RefusedRequest(f"{verb} /rest/{path} of {self.name}: {answer.status} {data[:200]!r}")
            return json.loads(data) if data.strip() else None
        finally:
            connection.close()

    def version(self):
        return self.ask("GET", "system/version")["version"]

    def add_device(self, device, name, address):
        """Adds a device. Without an address it has to connect by itself."""
        self.ask("PUT", f"config/devices/{device}",
                 {"deviceID": device, "name": name, "addresses": [address or "dynamic"]})

    def redial(self, device):
        """Connects to a device at once. After three connections in two minutes, Syncthing takes its time by itself."""
        for paused in (True, False):
            self.ask("PATCH", f"config/devices/{device}", {"paused": paused})

    def add_folder(self, identifier, path, devices, own_watcher, ignored=()):
        """Shares a directory with the settings that Gather gives to a folder."""
        os.makedirs(path, exist_ok=True)
        self.ask("PUT", f"config/folders/{identifier}", {
            "id": identifier, "label": identifier, "path": path, "type": "sendreceive", "rescanIntervalS": 86400,
            "devices": [{"deviceID": device} for device in devices], "fsWatcherEnabled": own_watcher,
            "fsWatcherDelayS": WATCHER_DELAY, "caseSensitiveFS": True, "maxConflicts": -1, **PATIENT})
        if ignored:
            self.ask("POST", "db/ignores", {"ignore": list(ignored)}, folder=identifier)

    def set_address(self, device, address):
        self.ask("PATCH", f"config/devices/{device}", {"addresses": [address]})

    def be_patient(self, folder):
        """Gives a folder the settings for a small disk."""
        self.ask("PATCH", f"config/folders/{folder}", PATIENT)

    def folders(self):
        """The folders by identifier, as they are configured."""
        return {folder["id"]: folder for folder in self.ask("GET", "config/folders")}

    def remote_devices(self):
        """The names of the other devices, by their identifiers."""
        return {device["deviceID"]: device["name"] for device in self.ask("GET", "config/devices")
                if device["deviceID"] != self.device}

    def needed_here(self, folder):
        """The paths of a folder that are not here in their newest version."""
        answer = self.ask("GET", "db/need", folder=folder, perpage=100000)
        return {item["name"] for part in ("progress", "queued", "rest") for item in answer[part] or ()}

    def needed_by(self, folder, device):
        """The paths of a folder that another device does not have in their newest version."""
        answer = self.ask("GET", "db/remoteneed", folder=folder, device=device, perpage=100000)
        return {item["name"] for item in answer["files"] or ()}

    def has_newest(self, folder, path):
        """Whether the newest version of a file that is known is the one here. A deletion is a version, too."""
        answer = self.ask("GET", "db/file", folder=folder, file=path)
        return answer["local"].get("version") == answer["global"].get("version")

    def known(self, folder):
        """All that Syncthing knows of a folder: path to type, size and time of change."""
        found = {}

        def add(above, entries):
            for entry in entries or ():
                path = os.path.join(above, entry["name"])
                kind = entry["type"].removeprefix("FILE_INFO_TYPE_")
                is_file = kind == "FILE"
                found[path] = (kind, entry["size"] if is_file else 0, nanoseconds(entry["modTime"]) if is_file else 0)
                add(path, entry.get("children"))
        add("", self.ask("GET", "db/browse", folder=folder))
        return found


# For tests on a small disk: the share that stays free, and the pause before a failed download is tried again.
PATIENT = {"minDiskFree": {"value": 0, "unit": "%"}, "pullerPauseS": 1}


def nanoseconds(text):
    """A time of RFC 3339 as nanoseconds since 1970."""
    match = re.fullmatch(r"(\d+-\d+-\d+T\d+:\d+:\d+)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", text)
    moment = datetime.datetime.fromisoformat(match[1] + match[3].replace("Z", "+00:00"))
    return int(moment.timestamp()) * 10**9 + int((match[2] or "0").ljust(9, "0"))

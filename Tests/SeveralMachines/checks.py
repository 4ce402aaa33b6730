# What has to be so when everything is quiet.
# SPDX-License-Identifier: Apache-2.0

"""Each function returns what is wrong, or nothing. The oracles are walks of the trees and Syncthing's own interface."""

import hashlib
import http.client
import json
import os
import re
import stat

from machine import CONTAINER
from syncthing import HELPERS_NAME, OWN_NAMES, RefusedRequest, nanoseconds

CONFLICT = re.compile(r"\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}(?=\.[^.]*$|$)")
# Items below these are in the answers that name the place.
ARCHIVED = re.compile(r"/(\.gather|\.stversions)/")
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink"}
# As much of a difference as a failure shows.
SHOWN = 6
SYNC_ATTRIBUTES = ("isUploaded", "uploadedTo", "downloadingStatus")
# The attributes of an item on which nothing is at work, beside those.
QUIET = {"isUbiquitous": True, "isUploading": False, "percentUploaded": 100, "uploadingError": None, "isDownloading": False,
         "percentDownloaded": 100, "downloadingError": None}


def walk(top, own_names=False, helpers_names=False):
    """All entries below a directory: path to what lstat(2) says. Without those that are Syncthing's or the helper's own."""
    found = {}
    for directory, directories, names in os.walk(top):
        if not own_names and not helpers_names:
            directories[:] = [name for name in directories if name != HELPERS_NAME]
        if not own_names:
            directories[:] = [name for name in directories if not OWN_NAMES.match(name)]
            names = [name for name in names if not OWN_NAMES.match(name)]
        for name in directories + names:
            path = os.path.join(directory, name)
            try:
                found[path] = os.lstat(path)
            except FileNotFoundError:
                pass
    return found


def difference(one, other, names):
    """A few of the keys in which two dictionaries differ."""
    keys = [key for key in sorted(one.keys() | other.keys(), key=str) if one.get(key) != other.get(key)]
    lines = [f"{key}: {names[0]} {one.get(key)!r}, {names[1]} {other.get(key)!r}" for key in keys[:SHOWN]]
    return f"{len(keys)} differ: " + "; ".join(lines) if keys else None


def not_connected(machines):
    """Whether a machine is not connected to another."""
    try:
        for machine in machines:
            connections = machine.syncthing.ask("GET", "system/connections")["connections"]
            for other in machines:
                if other is not machine and not connections.get(other.syncthing.device, {}).get("connected"):
                    return f"{machine.name} is not connected to {other.name}"
    except (OSError, http.client.HTTPException, RefusedRequest) as error:
        return repr(error)
    return None


def not_in_step(machines):
    """Whether Syncthing of each machine is idle, has all, knows just what is on the disk, and knows that the others have it."""
    if found := not_connected(machines):
        return found
    try:
        for machine in machines:
            syncthing = machine.syncthing
            others = {other.syncthing.device: other.name for other in machines if other is not machine}
            for identifier, folder in syncthing.folders().items():
                status = syncthing.ask("GET", "db/status", folder=identifier)
                if status["state"] != "idle" or status["needTotalItems"] or status["errors"]:
                    return f"folder {identifier} of {machine.name} is {status['state']}, needs {status['needTotalItems']}, " \
                           f"has {status['errors']} errors"
                for device, name in others.items():
                    if missing := syncthing.needed_by(identifier, device):
                        return f"{machine.name} knows that {name} needs {sorted(missing)[:SHOWN]}"
                if found := difference(syncthing.known(identifier), on_disk(machine, folder), ("Syncthing knows", "the disk has")):
                    return f"folder {identifier} of {machine.name}: {found}"
    except (OSError, http.client.HTTPException, RefusedRequest) as error:
        return repr(error)
    return None


def on_disk(machine, folder):
    """The entries of a folder as Syncthing would list them, without those of a folder inside."""
    top = folder["path"].rstrip("/")
    inner = [path for path in places(machine).values() if path.startswith(top + "/")]
    found = {}
    for path, status in walk(top, helpers_names=True).items():
        if not any((path + "/").startswith(other + "/") for other in inner):
            kind = {"file": "FILE", "directory": "DIRECTORY", "symlink": "SYMLINK"}[KINDS[stat.S_IFMT(status.st_mode)]]
            is_file = kind == "FILE"
            found[os.path.relpath(path, top)] = (kind, status.st_size if is_file else 0, status.st_mtime_ns if is_file else 0)
    return found


def places(machine):
    """The directories of the folders, by identifier."""
    return {identifier: folder["path"].rstrip("/") for identifier, folder in machine.syncthing.folders().items()}


def contents(machine):
    """Each path of a container with what is there; conflict copies of one file are one entry, since their names may differ."""
    found = {}
    for path, status in walk(machine.container).items():
        name = os.path.relpath(path, machine.container)
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                value = hashlib.sha256(file.read()).hexdigest()[:16]
        else:
            value = KINDS[stat.S_IFMT(status.st_mode)]
        plain = CONFLICT.sub("", name)
        if plain != name:
            found.setdefault(f"copies of {plain}", []).append(value)
            found[f"copies of {plain}"].sort()
        else:
            found[name] = value
    return found


def unequal(machines):
    """Whether the containers of all machines have the same contents."""
    first = contents(machines[0])
    for machine in machines[1:]:
        if found := difference(first, contents(machine), (machines[0].name, machine.name)):
            return found
    return None


def described(path, status):
    """An entry as a query describes it."""
    kind = KINDS[stat.S_IFMT(status.st_mode)]
    return kind, status.st_size if kind == "file" else None, status.st_mtime_ns


def from_item(item):
    return item["kind"], item["size"] if item["kind"] == "file" else None, nanoseconds(item["modified"])


PREDICATES = {
    "": lambda path, status: True,
    "kind == 'file'": lambda path, status: stat.S_ISREG(status.st_mode),
    "kind == 'directory'": lambda path, status: stat.S_ISDIR(status.st_mode),
    "name LIKE 'Item_*'": lambda path, status: os.path.basename(path).startswith("Item_"),
    "kind == 'file' AND size > 1000000": lambda path, status: stat.S_ISREG(status.st_mode) and status.st_size > 1000000,
    "isConflictVersion == TRUE": lambda path, status: bool(CONFLICT.search(os.path.basename(path))),
    "path CONTAINS '/.gather/'": lambda path, status: "/.gather/" in path,
    "name ENDSWITH '.jpg' AND path CONTAINS '/Documents/'":
        lambda path, status: path.endswith(".jpg") and "/Documents/" in path,
}


def wrong_queries(machine):
    """Whether each query, and the live one, equals a walk."""
    # Without the key `sync`, Syncthing's own names are items as all others are.
    everything = walk(machine.container, own_names=machine.gatherd.container(CONTAINER).get("sync") != "syncthing")
    ordinary = {path: status for path, status in everything.items() if not ARCHIVED.search(path)}
    for predicate, matches in PREDICATES.items():
        items = machine.gatherd.find(predicate, ["kind", "size", "modified"])
        found = {path: from_item(item) for path, item in items.items()}
        searched = everything if ARCHIVED.search(predicate) else ordinary
        walked = {path: described(path, status) for path, status in searched.items() if matches(path, status)}
        if wrong := difference(found, walked, ("the query has", "a walk finds")):
            return f"{predicate!r} on {machine.name}: {wrong}"
    if machine.gatherd.view.failure:
        return f"the live query of {machine.name} ended with {machine.gatherd.view.failure}"
    found = {path: from_item(item) for path, item in machine.gatherd.view.items().items()}
    walked = {path: described(path, status) for path, status in ordinary.items()}
    if wrong := difference(found, walked, ("the live query has", "a walk finds")):
        return f"the live query of {machine.name}: {wrong}"
    return None


def wrong_states(machine):
    """Whether the state of each item is the one that Syncthing's interface tells."""
    try:
        before = states(machine)
        items = machine.gatherd.everything(SYNC_ATTRIBUTES)
        # Syncthing went on meanwhile: what was compared is of two moments.
        if states(machine) != before:
            return f"Syncthing of {machine.name} is at work"
    except (OSError, http.client.HTTPException, RefusedRequest) as error:
        return repr(error)
    found = {path: (item.get("isUploaded"), sorted(item.get("uploadedTo") or ()), item.get("downloadingStatus"))
             for path, item in items.items() if path in before}
    return difference(found, before, ("gatherd has", "Syncthing says"))


def wrong_quiet_states(machine):
    """Whether an attribute of sharing differs from what it has to be when all is in step."""
    try:
        syncthing = machine.syncthing
        names = {device[:7]: name for device, name in syncthing.remote_devices().items() if name}
        names[syncthing.device[:7]] = machine.name
        items = machine.gatherd.everything([*QUIET, "savingDevice"])
        for identifier, folder in syncthing.folders().items():
            for path, full in shared_items(machine, folder):
                item = items.get(full, {})
                if wrong := difference({key: item.get(key) for key in QUIET}, QUIET, ("gatherd has", "it is")):
                    return f"{full} on {machine.name}: {wrong}"
                # A helper that was started again knows the devices of later changes only.
                if saver := item.get("savingDevice"):
                    author = syncthing.ask("GET", "db/file", folder=identifier, file=path)["global"]["modifiedBy"]
                    if saver != names.get(author, saver):
                        return f"{full} on {machine.name}: gatherd says that {saver} saved it, Syncthing {names[author]}"
    except (OSError, http.client.HTTPException, RefusedRequest) as error:
        return repr(error)
    return None


def shared_items(machine, folder):
    """The items of a folder: the path below it, and the whole path. The top of a folder is no item of Syncthing's, and the files of
    the helpers are none of gatherd's."""
    top, tops = folder["path"].rstrip("/"), set(places(machine).values())
    return [(path, full) for path in on_disk(machine, folder)
            if (full := os.path.join(top, path)) not in tops and path.split("/")[0] != HELPERS_NAME]


def states(machine):
    """The states that Syncthing tells, by path."""
    syncthing = machine.syncthing
    folders = syncthing.folders()
    found = {}
    for identifier, folder in folders.items():
        # A device whose name Syncthing does not know yet goes by the beginning of its identifier.
        remote = syncthing.remote_devices()
        names = {device["deviceID"]: remote[device["deviceID"]] or device["deviceID"][:7] for device in folder["devices"]
                 if device["deviceID"] in remote}
        missing = {name: syncthing.needed_by(identifier, device) for device, name in names.items()}
        needed = syncthing.needed_here(identifier)
        for path, full in shared_items(machine, folder):
            having = sorted(name for name in names.values() if path not in missing[name])
            found[full] = (bool(having), having, "downloaded" if path in needed else "current")
    return found


def unlike_lists(machines):
    """Whether the list of Grocery, and its conflicts, are the same on all machines, and have a name for each file."""
    for arguments in (("list", "--json"), ("conflicts",)):
        texts = {machine.name: machine.output("grocery", *arguments) for machine in machines}
        if len(set(texts.values())) > 1:
            return f"grocery {' '.join(arguments)} differs: {texts}"
        if arguments[0] == "list":
            listed = {item["id"]: item["name"] for item in json.loads(texts[machines[0].name])}
            files = {}
            for file in os.listdir(machines[0].documents):
                if match := re.fullmatch(r"Item_([0-9A-F-]{36})", file):
                    with open(os.path.join(machines[0].documents, file), encoding="utf-8") as text:
                        files[match[1]] = text.readline().rstrip("\n")
            if wrong := difference(listed, files, ("grocery lists", "the file has")):
                return wrong
    return None

#!/usr/bin/env python3
# gather -H over three machines beside one, and beside ssh alone.
# SPDX-License-Identifier: Apache-2.0

"""Prints medians and ratios. PROGRAMS is the directory of the optimized programs. Each machine is Debian's sshd on a pipe, with a
daemon of its own. All run here, as root, so that three logins share the processors: the floor is ssh alone, one or three at
once. The commands take turns."""

import argparse
import os
import statistics
import subprocess
import time

import children
import command
from gatherd import Daemon

NAMES = ("attic", "cellar", "porch")


def seconds(*line, variables, lines=None):
    start = time.monotonic()
    output = subprocess.run(line, check=True, stdout=subprocess.PIPE, env=variables).stdout
    taken = time.monotonic() - start
    assert lines is None or output.count(b"\n") == lines, output[-200:]
    return taken


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", help="the directory of the optimized programs")
    parser.add_argument("--files", type=int, default=10_000, help="files on each machine")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = command.parse(parser, files=100, rounds=1)
    command.need_root("since it logs in as root")
    command.need_program("sshd", "openssh-server")
    command.need_program("ssh", "openssh-client")
    programs = os.path.realpath(arguments.programs)
    gather = f"{programs}/gather"
    os.makedirs("/run/sshd", exist_ok=True)
    daemons = []
    with children.scratch_directory(prefix="gather-hosts-") as directory:
        try:
            for key in ("host", "user"):
                subprocess.run(
                    ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{directory}/{key}"], check=True)
            config = (
                f"Host *\n  User root\n  IdentityFile {directory}/user\n  IdentitiesOnly yes\n"
                f"  UserKnownHostsFile {directory}/known\n  StrictHostKeyChecking no\n"
                "  LogLevel ERROR\n")
            for name in NAMES:
                command.say(f"{name}: making {arguments.files} files")
                box = f"{directory}/{name}/box"
                os.makedirs(box)
                for number in range(arguments.files):
                    write(f"{box}/{number:06}.txt", "")
                daemon = Daemon(f"{programs}/gatherd", f"{directory}/{name}/daemon", {"box": box})
                daemons.append(daemon)
                daemon.wait_until_live()
                write(
                    f"{directory}/{name}.conf",
                    f"HostKey {directory}/host\nAuthorizedKeysFile {directory}/user.pub\nPidFile none\nStrictModes no\n"
                    "UsePAM yes\nPermitRootLogin prohibit-password\n"
                    f"SetEnv GATHER_SOCKET={daemon.socket_path} PATH={programs}:/usr/bin:/bin\n")
                config += f"Host {name}\n  ProxyCommand /usr/sbin/sshd -i -f {directory}/{name}.conf\n"
            write(f"{directory}/config", config)
            variables = {**os.environ, "GATHER_SSH": f"ssh -F {directory}/config"}
            hosts = [word for name in NAMES for word in ("-H", name)]
            commands = {
                "ssh, 1": ("ssh", "-F", f"{directory}/config", "attic", "true"),
                "ssh, 3": ("sh", "-c", " & ".join(f"ssh -F {directory}/config {name} true" for name in NAMES) + " & wait"),
                "count, 1": (gather, "-H", "attic", "count", ""),
                "count, 3": (gather, *hosts, "count", ""),
                "find --sort, 1": (gather, "-H", "attic", "find", "", "--sort", "name"),
                "find --sort, 3": (gather, *hosts, "find", "", "--sort", "name"),
            }
            lines = {"find --sort, 1": arguments.files, "find --sort, 3": 3 * arguments.files}
            times = {name: [] for name in commands}
            for _ in command.rounds(arguments.rounds, "ssh, count and find"):
                for name, line in commands.items():
                    times[name].append(seconds(*line, variables=variables, lines=lines.get(name)))
        finally:
            for daemon in daemons:
                daemon.stop()
    median = {name: statistics.median(values) * 1e3 for name, values in times.items()}
    for name in ("ssh", "count", "find --sort"):
        one, three = median[f"{name}, 1"], median[f"{name}, 3"]
        beside = "" if name == "ssh" else f", {one / median['ssh, 1']:.2f} and {three / median['ssh, 3']:.2f} × ssh alone"
        print(f"{name}: one machine {one:.0f} ms, three {three:.0f} ms ({three / one:.2f} ×){beside}")


if __name__ == "__main__":
    children.program(main)

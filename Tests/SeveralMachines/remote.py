# One command for all machines: Debian's sshd on each of them.
# SPDX-License-Identifier: Apache-2.0

"""Starts sshd in the namespaces, and asks all machines with `gather -H` over the network between them."""

import json
import os
import subprocess

SERVER = "/usr/sbin/sshd"
# The limit for a connection to a machine that does not answer, in seconds.
CONNECT_SECONDS = 2
# The exit status of a command for several machines of which one did not answer.
AWAY_STATUS = 69


def is_possible():
    return os.access(SERVER, os.X_OK)


class Remote:
    """The servers of all machines, and the keys for them."""

    def __init__(self, machines, scratch):
        self.machines = machines
        self.directory = os.path.join(scratch, "ssh")
        os.makedirs(self.directory, 0o700)
        # sshd ends without its empty directory.
        os.makedirs("/run/sshd", 0o755, exist_ok=True)
        for key in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)], check=True)
        with open(self.path("config"), "w", encoding="utf-8") as file:
            for machine in machines:
                file.write(f"Host {machine.name}\n  HostName {machine.address}\n")
            file.write(f"Host *\n  User root\n  IdentityFile {self.path('user')}\n  IdentitiesOnly yes\n"
                       f"  UserKnownHostsFile {self.path('known')}\n  StrictHostKeyChecking no\n")
        self.servers = [self.start(machine) for machine in machines]

    def path(self, name):
        return os.path.join(self.directory, name)

    def start(self, machine):
        config = self.path(f"{machine.name}.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"ListenAddress {machine.address}\nHostKey {self.path('host')}\nAuthorizedKeysFile {self.path('user')}.pub\n"
                       "PidFile none\nStrictModes no\nUsePAM yes\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
                       f"SetEnv GATHER_SOCKET={machine.gatherd.socket} PATH={machine.options.programs}:/usr/bin:/bin\n")
        return machine.run([SERVER, "-D", "-e", "-f", config], f"sshd-{machine.name}", {})

    def end(self):
        for server in self.servers:
            server.kill()
            server.wait()

    def ask(self, asker, *arguments):
        """Runs `gather` for all machines on one of them, and returns what came of it."""
        hosts = [word for machine in self.machines for word in ("-H", machine.name)]
        return asker.command("gather", *hosts, *arguments, variables={
            "GATHER_SSH": f"ssh -F {self.path('config')} -o ConnectTimeout={CONNECT_SECONDS}"})

    def wrong_answers(self, asker, away=None):
        """Whether an answer of all machines differs from what each of them answers to its own people."""
        result = self.ask(asker, "find", "kind == 'file'", "--json", "--attributes", "path")
        expected = sorted((machine.name, path) for machine in self.machines if machine is not away
                          for path in machine.gatherd.find("kind == 'file'", []))
        found = sorted((item["host"], item["path"]) for item in map(json.loads, result.stdout.splitlines()))
        if found != expected:
            return f"gather -H on {asker.name} found {len(found)} files of {len(expected)}: {result.stderr}"
        named = f"gather: {away.name}: " in result.stderr if away else not result.stderr
        if result.returncode != (AWAY_STATUS if away else 0) or not named:
            return f"gather -H on {asker.name} ended with {result.returncode}: {result.stderr}"
        return None

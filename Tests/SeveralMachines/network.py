# Machines as network namespaces on one bridge.
# SPDX-License-Identifier: Apache-2.0

"""The bridge has a namespace of its own, so the network of this machine is never touched. The kernel removes all of it with the
last process inside and with the mount namespace that names it."""

import subprocess

BRIDGE = "house"
SUBNET = "10.77.0"


def ip(*arguments):
    """Runs ip(8)."""
    subprocess.run(["ip", *arguments], check=True, stdout=subprocess.DEVNULL)


class Network:
    """A bridge, and the cables of the machines on it."""

    def __init__(self):
        ip("netns", "add", BRIDGE)
        ip("-n", BRIDGE, "link", "add", "br0", "type", "bridge")
        ip("-n", BRIDGE, "link", "set", "br0", "up")
        self.addresses = {}

    def add(self, name):
        """Makes the namespace of a machine with a cable to the bridge, and returns its address."""
        address = f"{SUBNET}.{len(self.addresses) + 1}"
        ip("netns", "add", name)
        ip("-n", BRIDGE, "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("-n", BRIDGE, "link", "set", name, "master", "br0", "up")
        ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        ip("-n", name, "link", "set", "lo", "up")
        self.addresses[name] = address
        return address

    def cut(self, name):
        """Pulls the cable of a machine."""
        ip("-n", BRIDGE, "link", "set", name, "down")

    def mend(self, name):
        """Plugs the cable in again."""
        ip("-n", BRIDGE, "link", "set", name, "up")

    def remove(self):
        """Removes all namespaces, whose processes have ended."""
        for name in (*self.addresses, BRIDGE):
            ip("netns", "del", name)

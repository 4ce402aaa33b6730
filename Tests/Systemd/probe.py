# Tries what gatherd's sandbox forbids, and what it must leave, and prints how each attempt ended: "ok", or the name of the
# error. It takes the place of the daemon in its unit; outside of the sandbox it shows that an attempt would succeed.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import errno
import mmap
import os
import socket
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
tree, state = sys.argv[1], sys.argv[2]


def call(function, *arguments):
    if getattr(libc, function)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), function)


def system_call(number, *arguments):
    if libc.syscall(number, *arguments) == -1:
        raise OSError(ctypes.get_errno(), str(number))


def attempt(name, action, *arguments, **named):
    # In a process of its own: what one attempt gains is none of the next one's.
    sys.stdout.flush()
    if child := os.fork():
        os.waitpid(child, 0)
        return
    try:
        action(*arguments, **named)
        print(name, "ok")
    except OSError as error:
        print(name, errno.errorcode.get(error.errno, error.errno))
    sys.stdout.flush()
    os._exit(0)


def write(path):
    with open(path, "a", encoding="utf-8") as file:
        file.write("x")


def read(path):
    with open(path, "rb") as file:
        file.read(1)


def capabilities(bit):
    # capset(2) with a header of version 3: to have this one capability in force.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(1 << bit, 1 << bit, 0, 0, 0, 0)
    call("capset", header, data)


def become_root():
    # A copy of id(1) that belongs to root and is set-user-ID.
    if b"euid=0(root)" not in subprocess.run([f"{tree}/setuid-id"], capture_output=True, check=False).stdout:
        raise OSError(errno.EPERM, "not root")


# Writing: modes allow all of it to everybody.
attempt("create", write, f"{tree}/new")
attempt("write", write, f"{tree}/everybodys")
attempt("chmod", os.chmod, f"{tree}/own", 0o600)
attempt("setxattr", os.setxattr, f"{tree}/own", "user.probe", b"x")
attempt("utime", os.utime, f"{tree}/own")
attempt("rename", os.rename, f"{tree}/own", f"{tree}/own")
attempt("unlink", os.unlink, f"{tree}/victim")
attempt("mkdir", os.mkdir, f"{tree}/directory")
attempt("tmp", write, "/tmp/probe")
attempt("var-tmp", write, "/var/tmp/probe")
attempt("shm", write, "/dev/shm/probe")
attempt("home", write, "/home/alice/everybodys")
attempt("state", write, f"{state}/probe")

# The network.
for name in ("INET", "INET6", "NETLINK", "PACKET", "VSOCK", "UNIX"):
    kind = socket.SOCK_RAW if name in ("NETLINK", "PACKET") else socket.SOCK_STREAM
    attempt(f"socket-{name.lower()}", socket.socket, getattr(socket, f"AF_{name}"), kind)

# Privileges.
attempt("setuid-program", become_root)
attempt("setuid", os.setresuid, os.getuid(), 0, 0)
attempt("setgid", os.setresgid, os.getgid(), 0, 0)
attempt("setgroups", os.setgroups, [0])
attempt("capset", capabilities, 1)
attempt("unshare-user", call, "unshare", 0x10000000)
attempt("unshare-mount", call, "unshare", 0x00020000)
attempt("mount", call, "mount", b"tmpfs", b"/mnt", b"tmpfs", 0, None)
attempt("chroot", os.chroot, "/usr")
attempt("mknod", os.mknod, f"{state}/device", 0o20600, os.makedev(1, 3))
attempt("personality", call, "personality", 0x0040000)
attempt("ptrace", call, "ptrace", 16, os.getppid(), 0, 0)
attempt("add-key", system_call, 248, b"user", b"probe", b"x", 1, -5)
attempt("perf", system_call, 298, (ctypes.c_char * 128)(), 0, -1, -1, 0)
attempt("bpf", system_call, 321, 0, (ctypes.c_char * 128)(), 128)
attempt("handle", system_call, 304, os.open("/", os.O_RDONLY), (ctypes.c_char * 128)(), 0)
attempt("nice", os.setpriority, os.PRIO_PROCESS, 0, -20)
attempt("writable-code", mmap.mmap, -1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
attempt("sysctl", write, "/proc/sys/kernel/domainname")

# Reading.
attempt("list", os.listdir, tree)
attempt("read", read, f"{tree}/everybodys")
attempt("list-of-others", os.listdir, f"{tree}/of-root")
attempt("list-home", os.listdir, "/home/alice")
attempt("limits", read, "/proc/sys/fs/inotify/max_user_watches")
attempt("processes", read, "/proc/1/comm")
attempt("memory", read, "/dev/mem")
with open("/proc/self/status", encoding="ascii") as status:
    for line in status:
        if line.startswith(("Cap", "NoNewPrivs", "Seccomp:")):
            print(*line.split())

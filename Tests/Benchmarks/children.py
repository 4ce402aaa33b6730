# The processes that a measuring program starts. It ends all of them, however it ends itself.
# SPDX-License-Identifier: Apache-2.0

"""Two processes run each program: one measures, and its parent supervises it. A signal that ends a process reaches the measuring
one as SystemExit, so that its `finally` blocks stop daemons and remove files. Then both end the processes that are left. Either of
them does so where the other is killed."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time

# How long a daemon may take for anything, in seconds, before the run fails.
PATIENCE = 600
# How long the measuring process may take to end after a signal, in seconds, before it is killed. It removes large trees.
GRACE = 60
# The same for the processes that it leaves, and once more after they were killed.
LEFT_GRACE = 10
# The pause between two looks at them, and before a lost exception is raised again, in seconds.
LOOK = 0.01

# From linux/prctl.h.
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

# The signals that end a program.
ENDINGS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# The one that ended this program.
received = []
# All scratch directories, also those that were removed.
scratch = []


def program(main):
    """Calls `main` in a process of its own. This process ends with the status of that one, when no process below it is left."""
    endings = set(ENDINGS)
    # Where nohup(1) has it ignored, the program goes on without its terminal.
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        endings.remove(signal.SIGHUP)
    # Blocked before the fork, so that none is lost. They wait for sigwaitinfo(2).
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, endings | {signal.SIGCHLD})
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    supervisor = os.getpid()
    measuring = os.fork()
    if measuring != 0:
        os._exit(supervise(measuring, endings))
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    end_with_supervisor()
    for number in endings:
        signal.signal(number, leave)
    sys.unraisablehook = raise_again
    signal.pthread_sigmask(signal.SIG_SETMASK, mask - endings)
    try:
        # It may have been killed before prctl.
        if os.getppid() == supervisor:
            main()
    except BaseException:
        # A Ctrl-C also ends the programs that `main` waits for.
        if not received:
            raise
    finally:
        end_descendants()
        # The signal may have come while a block removed its own, and a process may have made it again.
        for path in filter(os.path.lexists, scratch):
            remove(path)
    if received:
        sys.exit(128 + received[0])


def end_with_supervisor():
    """Has the kernel send SIGTERM when the supervisor ends. A change of the effective user takes that back (prctl(2))."""
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def prctl(option, value):
    if ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def leave(number, _):
    """Ends the measuring process by an exception. A second signal must not interrupt its `finally` blocks."""
    for each in ENDINGS:
        # Unlike SIG_IGN, a handler is not inherited by the programs that those blocks run.
        signal.signal(each, lambda *_: None)
    received.append(number)
    sys.exit(128 + number)


def raise_again(lost):
    """Ends the measuring process once more if the interpreter dropped the exception, since a callback of its own was running."""
    if lost.exc_type is SystemExit:
        signal.signal(signal.SIGALRM, leave)
        signal.setitimer(signal.ITIMER_REAL, LOOK)
    else:
        sys.__unraisablehook__(lost)


def supervise(measuring, endings):
    """Passes signals on to the measuring process. Returns its status as a shell has it, when no process below is left."""
    deadline = None
    while True:
        if deadline is None:
            received = signal.sigwaitinfo(endings | {signal.SIGCHLD})
        else:
            received = signal.sigtimedwait(endings | {signal.SIGCHLD}, max(0, deadline - time.monotonic()))
        if received is None:
            os.kill(measuring, signal.SIGKILL)
            deadline = None
        elif received.si_signo != signal.SIGCHLD:
            # A terminal and timeout(1) send theirs to both processes.
            if deadline is None:
                os.kill(measuring, received.si_signo)
                deadline = time.monotonic() + GRACE
        else:
            # One SIGCHLD may stand for several processes.
            while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
                if ended[0] == measuring:
                    end_descendants()
                    status = os.waitstatus_to_exitcode(ended[1])
                    return status if status >= 0 else 128 - status


def end_descendants():
    """Ends all processes below this one. As a subreaper (PR_SET_CHILD_SUBREAPER) it becomes the parent of those whose parent
    ends."""
    asked, deadline = set(), time.monotonic() + LEFT_GRACE
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return
        late = time.monotonic() - deadline
        left = living_children()
        if late > LEFT_GRACE:
            print(f"processes {', '.join(map(str, left))} do not end", file=sys.stderr, flush=True)
            return
        for child in left if late > 0 else left - asked:
            # It may have ended, or belong to root (sudo).
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL if late > 0 else signal.SIGTERM)
        asked |= left
        time.sleep(LOOK)


def living_children():
    """The processes whose parent is this one."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # The name of a program may have blanks and parentheses. Its state and its parent follow.
                if int(file.read().rpartition(")")[2].split()[1]) == os.getpid():
                    found.add(int(name))
    return found


def end(process):
    """Ends a process that may have ended before, and closes its pipes."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
        # What was written last may not have been taken.
        with contextlib.suppress(BrokenPipeError):
            pipe.close()


@contextlib.contextmanager
def running(command, **options):
    """A process that is ended with the block."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        end(process)


def run(command, **options):
    """Runs a command to its end, and returns its output if it is a pipe. Unlike subprocess.run, it ends the command by SIGTERM, so that
    builds and apt-get can end in order."""
    with running(command, text=True, **options) as process:
        output, _ = process.communicate()
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return output


@contextlib.contextmanager
def scratch_directory(**options):
    """A directory that is removed with the block, or with the program. The options are those of tempfile.mkdtemp."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        path = tempfile.mkdtemp(**options)
        scratch.append(path)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        yield path
    finally:
        # If it fails, the program tries again at its end.
        remove(path, stderr=subprocess.DEVNULL)


def remove(path, **options):
    """Removes a scratch directory, whose tree may be too deep for shutil.rmtree."""
    subprocess.run(["rm", "-rf", "--", path], check=False, **options)

// The handling of signals, and the exit statuses.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

enum Signals {
    /// A signal that came while a command was started.
    private static let pending = Atomic<Int32>(0)

    /// Ends the process on Ctrl-C with the status of a shell, even in the middle of work, since lines are written as
    /// soon as they are known. A closed pipe is an EPIPE of write(2) instead of a signal.
    static func install() {
        // Made here, because a signal handler may not allocate.
        Progress.isOnScreen.store(false, ordering: .relaxed)
        ChildCommand.running.store(0, ordering: .relaxed)
        ChildCommand.leadsGroup.store(false, ordering: .relaxed)
        pending.store(0, ordering: .relaxed)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { Signals.end($0) }
    }

    /// Ends the process on SIGTERM and SIGHUP together with the command that it runs and all that it has started.
    static func installForCommands() {
        for number in [SIGTERM, SIGHUP] { signal(number) { Signals.end($0) } }
    }

    /// Ends the process if a signal came while a command was started.
    static func endIfPending() {
        let number = pending.load(ordering: .sequentiallyConsistent)
        if number != 0 { end(number) }
    }

    /// Ends the process from a signal handler, with the calls of signal-safety(7) only.
    private static func end(_ number: Int32) {
        if Progress.isOnScreen.load(ordering: .relaxed) { Progress.eraseLine() }
        pending.store(number, ordering: .sequentiallyConsistent)
        let child = ChildCommand.running.load(ordering: .sequentiallyConsistent)
        // The thread that starts it checks for the signal next.
        if child == ChildCommand.starting { return }
        if child > 0 {
            if ChildCommand.leadsGroup.load(ordering: .sequentiallyConsistent) {
                kill(-child, number)
            } else if getpgrp() == getpid() {
                // A shell has made this process group for the pipeline. It holds all that the program has started.
                signal(number, SIG_IGN)
                kill(0, number)
            } else {
                kill(child, number)
            }
        }
        _exit(128 + number)
    }
}

/// The statuses that the command ends with.
enum ExitStatus {
    /// Nothing matched with `--quiet`, or a failure without a status of its own.
    static let failure: Int32 = 1
    /// The predicate is wrong, or an object could not be tested.
    static let predicate: Int32 = 2
    /// `--require-exact`, and the answer may be wrong.
    static let inexact: Int32 = 3
    /// `changes`, and the history does not reach back to the clock.
    static let forgotten: Int32 = 4
    /// EX_USAGE of sysexits(3).
    static let usage: Int32 = 64
    /// EX_UNAVAILABLE of sysexits(3).
    static let unreachable: Int32 = 69
    /// EX_TEMPFAIL of sysexits(3): the daemon or its helper is there and does not answer.
    static let notAnswering: Int32 = 75
    /// EX_PROTOCOL of sysexits(3): the answer is none of gatherd.
    static let wrongAnswer: Int32 = 76
    /// `--once`, and the time of `--timeout` was over before a change: the status of timeout(1).
    static let timeout: Int32 = 124
    /// 128 and the number of SIGINT.
    static let interrupted: Int32 = 130
    /// The command of `--exec` may not be executed, or does not exist: the statuses of a shell.
    static let notExecutable: Int32 = 126
    static let notFound: Int32 = 127
}

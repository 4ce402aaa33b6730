// How the process takes signals.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

enum Signals {
    /// Ctrl-C ends with the status that a shell gives to it, whatever is under way: everything that was to be told has
    /// been written line by line. A pipe that closes shows as an error of the write, and ends the command quietly there.
    static func install() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { _ in _exit(ExitStatus.interrupted) }
    }
}

/// The statuses that the command ends with.
enum ExitStatus {
    /// `--quiet`, and nothing matched; also what the daemon refused for another reason than those below.
    static let failure: Int32 = 1
    /// A predicate that is wrong, or an object that it could not be applied to.
    static let predicate: Int32 = 2
    /// EX_USAGE of sysexits(3).
    static let usage: Int32 = 64
    /// EX_UNAVAILABLE of sysexits(3).
    static let unreachable: Int32 = 69
    /// 128 and the number of SIGINT.
    static let interrupted: Int32 = 130
}

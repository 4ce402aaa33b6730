// The program itself, and starting others.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// This program and others.
package enum Program {
    /// Begins this program: ``checkOutputAtExit()``, and a look at the system calls that everything needs. A filter (seccomp(2))
    /// may refuse them. The process then says so, and ends with EX_OSERR. Costs about 50 µs.
    package static func begin() {
        checkOutputAtExit()
        clinux_check_calls()
    }

    /// Makes output that `print` could not write an error: the process then says so and ends with status 1, whatever its own status
    /// would be. A closed pipe is no error, since its reader needs no more.
    private static func checkOutputAtExit() { _ = clinux_check_output_at_exit() }

    /// Prints a message to standard error, safe on a terminal, and ends the process.
    package static func end(status: CInt, message: String) -> Never {
        let bytes = Array((TerminalText.shown(message) + "\n").utf8)
        var rest = bytes[...]
        while !message.isEmpty, !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if written > 0 { rest = rest.dropFirst(written) } else if errno != EINTR { break }
        }
        exit(status)
    }

    /// A descriptor of this process that the program gets under a number of its own.
    package struct Inherited {
        let own: CInt
        let number: CInt

        /// Makes a pair of numbers.
        package init(_ own: CInt, as number: CInt) {
            self.own = own
            self.number = number
        }
    }

    /// Starts a program, which is looked up in `PATH` (posix_spawnp(3)). No signal is blocked in it, and SIGPIPE has its default
    /// effect. The caller waits for its end (``waitForEnd(of:)``).
    ///
    /// - Parameters:
    ///   - arguments: The arguments. The first is the program.
    ///   - environment: The environment as `NAME=VALUE`.
    ///   - descriptors: The descriptors that it gets beside those without FD_CLOEXEC.
    ///   - signals: The signals that have their default effect in it although this process ignores them, beside SIGPIPE.
    ///   - leadsGroup: Whether it leads a new process group, which kill(2) can signal as a whole. Such a program may not read from
    ///     the terminal.
    package static func start(
        _ arguments: [[UInt8]], environment: [[UInt8]] = Program.environment, descriptors: [Inherited] = [],
        signals: [CInt] = [], leadsGroup: Bool = false
    ) throws(SystemError) -> CInt {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process may ignore SIGPIPE, which a program started by it must not.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in signals + [SIGPIPE] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Threads of tasks block most signals, and a new process inherits that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // The group has the number of the new process (POSIX_SPAWN_SETPGROUP with 0).
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)))

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A number that the program gets may be that of another descriptor here, if this process has closed its standard input.
        var copies: [CInt] = []
        defer { for copy in copies { close(copy) } }
        let least = (descriptors.map(\.number).max() ?? 0) + 1
        for descriptor in descriptors {
            let copy = fcntl(descriptor.own, F_DUPFD_CLOEXEC, least)
            guard copy >= 0 else { throw SystemError(code: errno) }
            copies.append(copy)
            posix_spawn_file_actions_adddup2(&actions, copy, descriptor.number)
        }
        var child: CInt = 0
        let code = withPointers(arguments) { arguments in
            withPointers(environment) { environment -> CInt in
                guard let program = arguments[0] else { return EINVAL }
                return posix_spawnp(&child, program, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError(code: code) }
        return child
    }

    /// Returns a descriptor that poll(2) finds readable when a process of this one has ended (pidfd_open(2)).
    package static func end(of process: CInt) throws(SystemError) -> Descriptor {
        Descriptor(owning: CInt(try systemCall { clinux_pidfd_open(process) }))
    }

    /// The environment of this process, as `NAME=VALUE`.
    package static var environment: [[UInt8]] {
        var entries: [[UInt8]] = []
        var place = environ
        while let entry = place.pointee {
            entries.append(UnsafeBufferPointer(start: entry, count: strlen(entry)).map { UInt8(bitPattern: $0) })
            place += 1
        }
        return entries
    }

    /// Calls `body` with the strings as the system calls take them: NUL at the end of each, and nil at the end of all.
    private static func withPointers<Result>(
        _ strings: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        for string in strings {
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
            for (offset, byte) in string.enumerated() { copy[offset] = CChar(bitPattern: byte) }
            copy[string.count] = 0
            pointers.append(copy)
        }
        pointers.append(nil)
        defer { for pointer in pointers { pointer?.deallocate() } }
        return body(pointers)
    }
}

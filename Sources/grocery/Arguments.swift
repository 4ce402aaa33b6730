// The arguments of this process, as the kernel has them.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The arguments of this process after its name. Swift's `CommandLine` finds them beside the environment in memory, and
/// finds none after a preloaded library has changed the environment (setenv(3) moves it).
enum Arguments {
    /// In their own bytes (`/proc/self/cmdline`, proc_pid_cmdline(5)); without `/proc` those of `CommandLine`.
    static let bytes: [[UInt8]] = read() ?? CommandLine.arguments.dropFirst().map { Array($0.utf8) }

    static var texts: [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }

    private static func read() -> [[UInt8]]? {
        let file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            all += buffer[..<count]
        }
        // Each argument ends with a NUL.
        guard all.last == 0 else { return nil }
        return all.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst().map { Array($0) }
    }
}

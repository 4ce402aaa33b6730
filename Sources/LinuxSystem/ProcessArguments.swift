// The arguments of this process, as the kernel has them.
// SPDX-License-Identifier: Apache-2.0

/// The arguments of this process. Swift's `CommandLine` finds them beside the environment in memory, and finds none after
/// a preloaded library has changed the environment (setenv(3) moves it).
package enum ProcessArguments {
    /// Room for one read(2).
    private static let chunk = 65_536

    /// The arguments in their own bytes, the name of the program first (`/proc/self/cmdline`, proc_pid_cmdline(5)). Without
    /// `/proc` they are those of `CommandLine`, in UTF-8.
    package static let bytes: [[UInt8]] = read() ?? CommandLine.arguments.map { Array($0.utf8) }

    /// The arguments as text, with replacement characters for bytes that are not UTF-8.
    package static var texts: [String] { bytes.map { String(decoding: $0, as: UTF8.self) } }

    private static func read() -> [[UInt8]]? {
        guard let file = try? Entry.openForReading("/proc/self/cmdline") else { return nil }
        var all: [UInt8] = []
        let isComplete = withUnsafeTemporaryAllocation(byteCount: chunk, alignment: 1) { buffer in
            while let count = try? file.read(into: buffer) {
                if count == 0 { return true }
                all += buffer[..<count]
            }
            return false
        }
        // Each argument ends with a NUL.
        guard isComplete, all.last == 0 else { return nil }
        return all.dropLast().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    }
}

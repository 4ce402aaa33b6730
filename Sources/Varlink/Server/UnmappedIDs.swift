// Users and groups that the daemon's user namespace does not map.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The numbers that the kernel reports for all users and groups that this user namespace does not map
/// (`user_namespaces(7)`, /proc/sys/kernel/overflowuid and overflowgid). Different users can have the same number.
///
/// If every number is mapped, as on the host, the overflow user and group are ordinary ones, mostly `nobody`.
package struct UnmappedIDs: Sendable, Hashable {
    /// The number for no user and no group, as in chown(2). No file and no mapped process has it.
    package static let none = UInt32.max

    /// The overflow user; nil if every user is mapped.
    private let overflowUser: UInt32?
    /// The overflow group; nil if every group is mapped.
    private let overflowGroup: UInt32?

    /// Makes the numbers from the contents of `uid_map`, `gid_map`, `overflowuid` and `overflowgid`. Nil for a file
    /// that cannot be read: a map then counts as incomplete, and an overflow number as the kernel's default.
    package init(userMap: String?, groupMap: String?, overflowUser: String?, overflowGroup: String?) {
        func overflow(_ map: String?, _ number: String?) -> UInt32? {
            if let map, UnmappedIDs.isComplete(map) { return nil }
            return number.flatMap { UInt32($0.prefix { !$0.isNewline }) } ?? 65_534
        }
        self.overflowUser = overflow(userMap, overflowUser)
        self.overflowGroup = overflow(groupMap, overflowGroup)
    }

    /// The numbers for this process, read once. A map is written once, before the daemon starts.
    package static let ofThisProcess = UnmappedIDs(
        userMap: contents("/proc/self/uid_map"), groupMap: contents("/proc/self/gid_map"),
        overflowUser: contents("/proc/sys/kernel/overflowuid"), overflowGroup: contents("/proc/sys/kernel/overflowgid"))

    /// Returns the user, or ``none`` for the overflow user.
    package func user(_ number: UInt32) -> UInt32 { number == overflowUser ? UnmappedIDs.none : number }

    /// Returns the group, or ``none`` for the overflow group.
    package func group(_ number: UInt32) -> UInt32 { number == overflowGroup ? UnmappedIDs.none : number }

    /// Whether a map has every number but the last, which is never valid. The lines of a map do not overlap.
    private static func isComplete(_ map: String) -> Bool {
        let counts = map.split(whereSeparator: \.isNewline).map { line in
            line.split(whereSeparator: \.isWhitespace).dropFirst(2).first.flatMap { UInt64($0) } ?? 0
        }
        return counts.reduce(0, { $0.addingReportingOverflow($1).partialValue }) >= UInt64(none)
    }

    /// Returns the contents of a file in /proc; nil if it cannot be read. A map has up to 340 lines.
    private static func contents(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count < 0 { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}

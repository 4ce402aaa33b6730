// The name of a conflict version that follows from its contents.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata

/// The name of a conflict version that follows from its time and its contents. Syncthing names copies by the second and by the
/// device that won, so copies of several conflicts can have one name, and a conflict of a copy loses one. Such a name is the
/// same on each device that makes it, and another for each version.
enum ClaimedName {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Returns the name for the file of a version; nil if the file cannot be read, or if its name is that of no version.
    static func of(_ path: String, named name: String) -> String? {
        ConflictName(name).flatMap { of(path, $0.original) }
    }

    /// Returns the name for a file that is to be a version of another one; nil if the file cannot be read, or if the other one can
    /// have no versions.
    static func of(_ path: String, version original: String) -> String? { of(path, Array(original.utf8)) }

    /// Whether the time in the name of a file's version is that of ``of(_:named:)``. The contents are not read.
    static func isLike(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/"), let name = ConflictName(String(path[slash...].dropFirst())),
            let status = try? ContainerRoots.status(of: path)
        else { return false }
        return name.time == time(Int(status.modified.seconds))
    }

    private static func of(_ path: String, _ original: [UInt8]) -> String? {
        guard let file = try? ContainerRoots.openFile(path) else { return nil }
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let hash = hash(of: file), let time = time(status.st_mtim.tv_sec)
        else { return nil }
        let digits = (0..<ConflictName.deviceLength).map { alphabet[Int(hash >> (5 * UInt64($0)) & 31)] }
        let claimed = ConflictName(
            of: original, time: time, device: String(decoding: digits, as: UTF8.self))
        return claimed.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Returns the date and time of a number of seconds since 1970, in UTC: devices in several time zones make one name.
    private static func time(_ seconds: Int) -> String? {
        var (seconds, parts) = (time_t(seconds), tm())
        guard gmtime_r(&seconds, &parts) != nil else { return nil }
        func digits(_ number: CInt, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "-"
            + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
    }

    /// FNV-1a, of 64 bits.
    private static func hash(of file: borrowing Descriptor) -> UInt64? {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            guard let count = try? file.read(into: buffer) else { return nil }
            if count == 0 { return hash }
            for byte in buffer[..<count] {
                hash ^= UInt64(byte)
                hash &*= 0x100_0000_01b3
            }
        }
    }
}

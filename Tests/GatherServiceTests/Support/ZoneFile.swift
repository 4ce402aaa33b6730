// A file of a time zone database for tests.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

/// A file of a time zone database (RFC 9636) without transitions: one rule holds at all times.
struct ZoneFile {
    let rule: String

    private var bytes: [UInt8] {
        var part = Array("TZif2".utf8)
        part += [UInt8](repeating: 0, count: 15)
        // One type, with four bytes of names.
        for count in [0, 0, 0, 0, 1, 4] as [UInt8] { part += [0, 0, 0, count] }
        part += [UInt8](repeating: 0, count: 6)
        part += Array("UTC\0".utf8)
        return part + part + Array("\n\(rule)\n".utf8)
    }

    /// Replaces a file in one step, as the tools of the system do.
    func write(to path: String) throws {
        let file = try FileDescriptor.open(
            path + ".new", .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead])
        _ = try file.closeAfter { try file.writeAll(bytes) }
        guard rename(path + ".new", path) == 0 else { throw Errno(rawValue: errno) }
    }
}

// Home directories of users.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Home directories of users, for a process without the variable `HOME`.
package enum HomeDirectory {
    private static let mostBytes = 1 << 16

    /// Returns the home directory that the database of accounts has (getpwuid_r(3)); nil if it has none.
    package static func path(of userID: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: mostBytes)
        guard getpwuid_r(userID, &entry, &buffer, buffer.count, &found) == 0, let directory = found?.pointee.pw_dir,
            directory.pointee == CChar(bitPattern: UInt8(ascii: "/"))
        else { return nil }
        return String(cString: directory)
    }
}

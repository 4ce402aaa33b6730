// Numbers of users.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Numbers of users.
package enum AccountNumber {
    private static let mostBytes = 1 << 16

    /// Returns the number of a user in the database of accounts (getpwnam_r(3)), or of a text that is a number itself; nil if
    /// there is no such user.
    package static func ofUser(_ text: String) -> UInt32? {
        // The last number stands for no user, as in chown(2).
        if let number = UInt32(text) { return number == UInt32.max ? nil : number }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: mostBytes)
        guard getpwnam_r(text, &entry, &buffer, buffer.count, &found) == 0 else { return nil }
        return found?.pointee.pw_uid
    }
}

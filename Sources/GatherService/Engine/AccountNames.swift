// The names of users and groups, asked of the system once each.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LiveQueries
import Synchronization

/// The names of users and groups. A number without a name is its own name. Safe from any thread; the answers are kept
/// for good, since asking may mean a question to a directory server, and since a live query needs answers that stay.
final class AccountNames: AccountNaming {
    private struct Tables {
        var users: [UInt32: [UInt8]] = [:]
        var groups: [UInt32: [UInt8]] = [:]
    }

    private let tables = Mutex(Tables())

    /// The name of a user, as bytes of UTF-8.
    func user(_ number: UInt32) -> [UInt8] {
        if let name = tables.withLock({ $0.users[number] }) { return name }
        let name = Self.ask(number) { number, buffer, size in
            var record = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let result = getpwuid_r(number, &record, buffer, size, &found)
            return (result, found.flatMap { $0.pointee.pw_name })
        }
        tables.withLock { $0.users[number] = name }
        return name
    }

    /// The name of a group, as bytes of UTF-8.
    func group(_ number: UInt32) -> [UInt8] {
        if let name = tables.withLock({ $0.groups[number] }) { return name }
        let name = Self.ask(number) { number, buffer, size in
            var record = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            let result = getgrgid_r(number, &record, buffer, size, &found)
            return (result, found.flatMap { $0.pointee.gr_name })
        }
        tables.withLock { $0.groups[number] = name }
        return name
    }

    /// The number of a group of this name, or nil.
    static func groupID(named name: String) -> UInt32? {
        var found: UInt32?
        _ = ask(0) { _, buffer, size in
            var record = Glibc.group()
            var pointer: UnsafeMutablePointer<Glibc.group>?
            let result = getgrnam_r(name, &record, buffer, size, &pointer)
            found = pointer?.pointee.gr_gid
            return (result, nil)
        }
        return found
    }

    /// Calls one of the `get…_r` functions with a buffer that grows while it is too small (getpwuid_r(3)).
    private static func ask(
        _ number: UInt32,
        _ look: (UInt32, UnsafeMutablePointer<CChar>, Int) -> (Int32, UnsafeMutablePointer<CChar>?)
    ) -> [UInt8] {
        var size = 1024
        while size <= 1 << 20 {
            let answer: (retry: Bool, name: [UInt8]?) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) {
                guard let buffer = $0.baseAddress else { return (false, nil) }
                let (result, name) = look(number, buffer, $0.count)
                if result == ERANGE { return (true, nil) }
                return (false, name.map { Array(String(cString: $0).utf8) })
            }
            if !answer.retry { return answer.name ?? Array(String(number).utf8) }
            size *= 4
        }
        return Array(String(number).utf8)
    }
}

// The names of users and groups, asked of the system once each.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import LiveQueries
import SaveFiles
import Synchronization

/// Where the names of users and groups are asked: in the system's databases, where no test plays them.
package struct AccountDirectory: Sendable {
    /// The name of a user, nil where there is none. May take long: it may be a question to a directory server.
    package var user: @Sendable (UInt32) -> [UInt8]?
    /// The same of a group.
    package var group: @Sendable (UInt32) -> [UInt8]?
    /// The files in which most names stand: if their contents are unchanged, the names are those of another run.
    package var userFile = "/etc/passwd"
    package var groupFile = "/etc/group"

    package init(user: @escaping @Sendable (UInt32) -> [UInt8]?, group: @escaping @Sendable (UInt32) -> [UInt8]?) {
        self.user = user
        self.group = group
    }

    /// The system's databases (`nsswitch.conf(5)`).
    package static let system = AccountDirectory(
        user: { number in
            AccountNames.ask(number) { number, buffer, size in
                var record = passwd()
                var found: UnsafeMutablePointer<passwd>?
                let result = getpwuid_r(number, &record, buffer, size, &found)
                return (result, found.flatMap { $0.pointee.pw_name })
            }
        },
        group: { number in
            AccountNames.ask(number) { number, buffer, size in
                var record = Glibc.group()
                var found: UnsafeMutablePointer<Glibc.group>?
                let result = getgrgid_r(number, &record, buffer, size, &found)
                return (result, found.flatMap { $0.pointee.gr_name })
            }
        })
}

/// Numbers of users and groups.
struct AccountNumbers: Sendable, Hashable {
    var users: Set<UInt32> = []
    var groups: Set<UInt32> = []

    var isEmpty: Bool { users.isEmpty && groups.isEmpty }
}

/// The names of users and groups. A number without a name is its own name. Safe from any thread; the answers are kept
/// for good, since asking may mean a question to a directory server, and since a live query needs answers that stay.
///
/// Unknown names are asked for on threads of their own (``Workload/Lane/naming``): a server that hangs must not hold
/// the event loop, nor callers who do not ask for names.
final class AccountNames: AccountNaming {
    private struct Tables {
        var users: [UInt32: [UInt8]] = [:]
        var groups: [UInt32: [UInt8]] = [:]
        /// Whether a name, or that there is none, is not from the files of accounts: it may have changed unnoticed.
        var hasOthers = false
        /// Whether one is another than these files have.
        var isOverridden = false

        mutating func note(_ name: [UInt8]?, besides listed: [UInt8]?) {
            if name == nil || name != listed { hasOthers = true }
            if listed != nil, name != listed { isOverridden = true }
        }
    }

    private let tables = Mutex(Tables())
    private let directory: AccountDirectory
    private let userFile: AccountFile
    private let groupFile: AccountFile
    private let versions: [FileStamp?]
    /// Stands for these answers in clocks, and for no others.
    let number = UInt64.random(in: 1 ... .max)

    init(_ directory: AccountDirectory = .system) {
        self.directory = directory
        userFile = AccountFile(directory.userFile)
        groupFile = AccountFile(directory.groupFile)
        versions = [directory.userFile, directory.groupFile].map { FileStamp(following: $0) }
    }

    /// The files in which most names stand.
    var files: [String] { [directory.userFile, directory.groupFile] }

    /// Whether these files are those that they were when the first name was asked for.
    var areCurrent: Bool { files.map { FileStamp(following: $0) } == versions }

    /// The same directory, with nothing known.
    func forgotten() -> AccountNames { AccountNames(directory) }

    /// The name of a user, as bytes of UTF-8.
    func user(_ number: UInt32) -> [UInt8] {
        if let name = tables.withLock({ $0.users[number] }) { return name }
        return ask(number, \.users, listedIn: userFile, directory.user)
    }

    /// The name of a group, as bytes of UTF-8.
    func group(_ number: UInt32) -> [UInt8] {
        if let name = tables.withLock({ $0.groups[number] }) { return name }
        return ask(number, \.groups, listedIn: groupFile, directory.group)
    }

    /// Asks for a name that is not known, and keeps it.
    private func ask(
        _ number: UInt32, _ names: WritableKeyPath<Tables, [UInt32: [UInt8]]>, listedIn file: AccountFile,
        _ directory: (UInt32) -> [UInt8]?
    ) -> [UInt8] {
        // Before it is asked: should the file change in between, the name is another's.
        let listed = file.name(of: number)
        let found = directory(number)
        let name = found ?? Array(String(number).utf8)
        // Two callers that ask at once get the same name.
        return tables.withLock { tables in
            if let known = tables[keyPath: names][number] { return known }
            tables[keyPath: names][number] = name
            tables.note(found, besides: listed)
            return name
        }
    }

    /// Whether a name is known without asking.
    func knows(user number: UInt32) -> Bool { tables.withLock { $0.users[number] != nil } }

    /// Whether a name is known without asking.
    func knows(group number: UInt32) -> Bool { tables.withLock { $0.groups[number] != nil } }

    /// The number in a clock for the names by which an answer was made until now: that of the files of accounts, so
    /// that a restart does not count, unless a name came from elsewhere.
    var fingerprint: UInt64 { tables.withLock { $0.hasOthers } ? number : filesFingerprint }

    /// Whether an answer whose clock has this fingerprint went by the names that there are here.
    func isFingerprint(_ isSame: (UInt64) -> Bool) -> Bool {
        isSame(number) || !tables.withLock { $0.isOverridden } && isSame(filesFingerprint)
    }

    private var filesFingerprint: UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.combine("\(userFile.fingerprint) \(groupFile.fingerprint)")
        return fingerprint.value
    }

    func agrees(with other: any AccountNaming) -> Bool {
        let (users, groups) = tables.withLock { ($0.users, $0.groups) }
        return users.allSatisfy { other.user($0.key) == $0.value }
            && groups.allSatisfy { other.group($0.key) == $0.value }
    }

    /// Asks for names, which may take long.
    func learn(_ numbers: AccountNumbers) {
        for number in numbers.users { _ = user(number) }
        for number in numbers.groups { _ = group(number) }
    }

    /// Returns the number of a user; nil if there is none of that name.
    static func userID(named name: String) -> UInt32? {
        var found: UInt32?
        _ = ask(0) { _, buffer, size in
            var record = Glibc.passwd()
            var pointer: UnsafeMutablePointer<Glibc.passwd>?
            let result = getpwnam_r(name, &record, buffer, size, &pointer)
            found = pointer?.pointee.pw_uid
            return (result, nil)
        }
        return found
    }

    /// Returns the number of a group; nil if there is none of that name.
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
    fileprivate static func ask(
        _ number: UInt32,
        _ look: (UInt32, UnsafeMutablePointer<CChar>, Int) -> (Int32, UnsafeMutablePointer<CChar>?)
    ) -> [UInt8]? {
        var size = 1024
        while size <= 1 << 20 {
            let answer: (retry: Bool, name: [UInt8]?) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) {
                guard let buffer = $0.baseAddress else { return (false, nil) }
                let (result, name) = look(number, buffer, $0.count)
                if result == ERANGE { return (true, nil) }
                return (false, name.map { Array(String(cString: $0).utf8) })
            }
            if !answer.retry { return answer.name }
            size *= 4
        }
        return nil
    }
}

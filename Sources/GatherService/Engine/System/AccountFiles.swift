// The names of users and groups from /etc/passwd and /etc/group alone.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import SaveFiles
import Synchronization

extension AccountDirectory {
    /// The files `/etc/passwd` and `/etc/group` (passwd(5), group(5)), read when a name is asked for, and again after a change.
    /// For programs that are linked as a whole: the C library would load modules for other databases, and those want the very C
    /// library of the build.
    package static let files: AccountDirectory = {
        let users = AccountFile("/etc/passwd", isFollowed: true)
        let groups = AccountFile("/etc/group", isFollowed: true)
        return AccountDirectory(user: { users.name(of: $0) }, group: { groups.name(of: $0) })
    }()
}

/// A file of lines `NAME:…:NUMBER:…`.
final class AccountFile: Sendable {
    /// No file of accounts has this size; one that is larger has no names.
    static let largestFile = 16 << 20

    private let path: String
    /// Whether a change of the file counts. Else its names are those of one moment.
    private let isFollowed: Bool
    private struct Contents {
        var version: FileStamp?
        var names: [UInt32: [UInt8]] = [:]
        var fingerprint = Fingerprint()
    }

    /// Nil until it is read.
    private let contents = Mutex<Contents?>(nil)

    init(_ path: String, isFollowed: Bool = false) {
        self.path = path
        self.isFollowed = isFollowed
    }

    func name(of number: UInt32) -> [UInt8]? { read().names[number] }

    /// Stands for the names and numbers in it.
    var fingerprint: UInt64 { read().fingerprint.value }

    private func read() -> Contents {
        contents.withLock { contents in
            if let contents, !isFollowed || contents.version == FileStamp(following: path) { return contents }
            // Looked at before the file is read: if it changes in between, it is read once more.
            let version = FileStamp(following: path)
            var read = AccountFile.read(path)
            read.version = version
            contents = read
            return read
        }
    }

    private static func read(_ path: String) -> Contents {
        guard let file = try? Entry.openForReading(path), let size = try? file.size(), size <= largestFile else {
            return Contents()
        }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }) ?? 0
        return parse(bytes.prefix(count))
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) -> Contents {
        var contents = Contents()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count >= 3, !fields[0].isEmpty,
                let number = UInt32(String(decoding: fields[2], as: UTF8.self)), contents.names[number] == nil
            else { continue }
            contents.names[number] = Array(fields[0])
            contents.fingerprint.combine("\(number) \(String(decoding: fields[0], as: UTF8.self))")
        }
        return contents
    }
}

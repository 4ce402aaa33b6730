// A folder of a test's own.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A fresh folder, removed with everything in it at the end. It lies in memory where that is possible: fsync(2) is free there.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(base)/gather-saves-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func read(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }

    /// Writes a file, with a time of its contents in seconds since 1970 if one is given.
    func write(_ text: String, _ name: String, modified: Int? = nil) throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        guard let modified else { return }
        var times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, path + "/" + name, &times, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    /// The names of all entries, hidden ones too, in order.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// The contents of all files, by their names.
    var contents: [String: String] {
        get throws {
            try Dictionary(uniqueKeysWithValues: names.map { ($0, try read($0)) })
        }
    }
}

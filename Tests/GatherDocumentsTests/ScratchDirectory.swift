// A directory of a test's own, gone when the test is, and work on several threads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A fresh directory, removed with everything in it at the end. It lies in memory where that is possible: fsync(2) is free there.
final class ScratchDirectory: Sendable {
    let path: String

    init() throws {
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(base)/gather-documents-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path + "/" + name))) }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + name))
    }

    /// Replaces a file by renaming, as Syncthing does.
    func replace(_ name: String, with bytes: [UInt8]) throws {
        try write(bytes, to: ".syncthing.\(name).tmp")
        guard rename(path + "/.syncthing.\(name).tmp", path + "/" + name) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    /// The names of all entries, hidden ones too, in order.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }
}

extension Range<Int> {
    /// Calls `body` with each number on several threads, and returns the results in no order.
    func concurrently<Result: Sendable>(_ body: @Sendable (Int) throws -> Result) throws -> [Result] {
        let results = Mutex<[Swift.Result<Result, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: count) { number in
            let result = Swift.Result { try body(lowerBound + number) }
            results.withLock { $0.append(result) }
        }
        return try results.withLock { try $0.map { try $0.get() } }
    }
}

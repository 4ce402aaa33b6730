// A directory for one test.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// A temporary directory, removed at the end, and open.
final class Scratch {
    let path: String
    private let descriptor: Descriptor
    var number: CInt { descriptor.number }

    init() throws {
        var template = Array("/tmp/gather-system-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        descriptor = try Directory.open(path, access: .reading)
    }

    deinit {
        var child = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("rm"), strdup("-rf"), strdup(path), nil]
        defer { for word in words { free(word) } }
        if posix_spawnp(&child, "rm", nil, nil, &words, environ) == 0 { waitpid(child, nil, 0) }
    }

    func write(_ name: String, _ text: String) throws {
        let file = try Entry.openForWriting(name, in: number, mode: 0o640, truncate: true)
        _ = try Array(text.utf8).withUnsafeBytes { try file.write($0) }
    }
}

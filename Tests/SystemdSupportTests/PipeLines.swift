// Lines that come out of a pipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Reads lines, and waits for each.
struct PipeLines {
    let descriptor: CInt
    private var bytes: [UInt8] = []

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Returns the next line, without its end.
    mutating func next() throws -> String {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &piece, piece.count)
            try #require(count > 0, "the pipe has ended")
            bytes += piece[..<count]
        }
    }
}

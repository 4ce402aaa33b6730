// Lines that come out of a pipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

/// Reads lines, and waits for each.
struct PipeLines {
    let descriptor: CInt
    private var bytes: [UInt8] = []
    /// There is no end of a line before.
    private var searched = 0

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Returns the next line, without its end.
    mutating func next() throws -> String {
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (bytes, searched) = (Array(bytes[(end + 1)...]), 0) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            searched = bytes.count
            var end = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
            try #require(poll(&end, 1, Patience.milliseconds) > 0, "no line comes")
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &piece, piece.count)
            try #require(count > 0, "the pipe has ended")
            bytes += piece[..<count]
        }
    }
}

// One event of the list, in the form of server-sent events.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Varlink

/// One event of the list, encoded once for all pages.
struct PageEvent: Sendable {
    /// Grows with each change. A whole list has the number of the last change in it.
    let number: UInt64
    let bytes: ByteBuffer
    let isHeartbeat: Bool

    init(_ name: String, number: UInt64, _ data: JSONBytes) {
        self.number = number
        isHeartbeat = false
        var bytes = ByteBuffer(string: "event: \(name)\ndata: ")
        var data = data.buffer
        // The writer of JSON escapes line ends, which would end the data.
        bytes.writeBuffer(&data)
        bytes.writeStaticString("\n\n")
        self.bytes = bytes
    }

    private init(heartbeat: Void) {
        number = 0
        isHeartbeat = true
        bytes = ByteBuffer(string: "event: beat\ndata: {}\n\n")
    }

    /// An event without news. The page takes the connection for lost if none comes.
    static let heartbeat = PageEvent(heartbeat: ())
}

// The answer to one request.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// A status of HTTP and the body.
struct HTTPAnswer: Sendable {
    var status: Int
    var body: ByteBuffer
}

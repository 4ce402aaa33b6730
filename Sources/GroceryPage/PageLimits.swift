// The limits of the page's server.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// The limits of the page's server. Tests lower them.
package struct PageLimits: Sendable {
    /// The longest request target, in bytes (414).
    package var requestTargetBytes = 2 << 10
    /// The longest name or value of a header field, in bytes (431).
    package var headerFieldBytes = 8 << 10
    /// The longest header, in bytes (431).
    package var headerBytes = 32 << 10
    /// The most header fields of a request (431).
    package var headerFields = 64
    /// The longest body with JSON, in bytes (413).
    package var jsonBytes = 256 << 10
    /// The largest picture, in bytes (413).
    package var pictureBytes = 8 << 20
    /// The longest body of a request without the secret, in bytes (413).
    package var sessionBytes = 4 << 10
    /// The most bytes of all bodies in memory (503). One body has to fit.
    package var bodyBytesInAll = 32 << 20
    /// The most connections that have not shown the secret. Beyond it the oldest of them is closed.
    package var unauthenticatedConnections = 256
    /// The most connections that have shown the secret (503).
    package var connections = 512
    /// The most event streams (503).
    package var eventStreams = 128
    /// The pause after a connection that could not be accepted, such as without free descriptors.
    package var acceptPause = TimeAmount.milliseconds(200)
    /// The time for the header of the next request, from the connection or from the last answer.
    package var idleTime = TimeAmount.seconds(60)
    /// The time for the body of a request, from its header (408).
    package var bodyTime = TimeAmount.seconds(120)
    /// The time for an answer, from the end of the request until the client has it.
    package var answerTime = TimeAmount.seconds(120)
    /// The time until a client that got an error and still sends is disconnected.
    package var lingerTime = TimeAmount.seconds(2)
    /// The pause between two heartbeats of an event stream.
    package var heartbeat = Duration.seconds(15)
    /// The bytes that wait in memory for a client. A client that is slower gets the whole list when it has read them.
    package var waitingBytes = 256 << 10
    /// The time that an event stream may be stopped by a slow client.
    package var stallTime = TimeAmount.seconds(60)
    /// The time until the kernel closes a connection whose other end does not acknowledge (TCP_USER_TIMEOUT, tcp(7)).
    package var acknowledgementTime = TimeAmount.seconds(45)
    /// The pause between two lines that say why connections ended.
    package var problemPause = Duration.seconds(60)
    /// The bytes for changes whose repetition is noticed: 4,096 of the page's.
    package var rememberedBytes = 512 << 10
    /// The most items in an answer with all contents.
    package var allContents = 2_000
    /// The most items of one removal.
    package var removals = 1_000
    /// The time that running requests get when the server ends.
    package var endTime = Duration.seconds(5)

    /// Makes the limits of the product.
    package init() {}

    /// Lowers the limits of connections, so that a part of the process's descriptors is left for files.
    ///
    /// - Parameter descriptors: The most open descriptors of the process (RLIMIT_NOFILE, getrlimit(2)).
    mutating func fit(descriptors: Int) {
        unauthenticatedConnections = min(unauthenticatedConnections, max(descriptors / 4, 1))
        connections = min(connections, max(descriptors / 2, 1))
    }
}

// The errors of the exchange with Syncthing.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Varlink

/// The reason why Syncthing has no answer. No description contains the API key.
package enum SyncthingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The configuration file cannot be used.
    case configuration(file: String, message: String)
    /// No process listens at the address, or it may not be opened.
    case unreachable(address: String, errno: CInt)
    /// A program of a user that may not have the API key listens at the address.
    case stranger(address: String, user: UInt32)
    /// The user of the program that listens at the address is not known.
    case unknownPeer(address: String, message: String)
    /// Syncthing does not accept the API key.
    case keyRefused
    /// There is no such folder, device or file.
    case notFound(request: String, message: String)
    /// Syncthing answered with another status of HTTP.
    case failed(request: String, status: Int, message: String)
    /// The connection ended before the answer.
    case closed(request: String)
    /// The answer took too long.
    case timedOut(request: String, seconds: Int64)
    /// The answer has more bytes than allowed.
    case tooLarge(request: String, limit: Int)
    /// The answer is not what the interface describes.
    case malformed(request: String, JSONError)
    /// The task was cancelled.
    case cancelled

    /// Whether Syncthing as a whole does not answer, so that other requests would fail too.
    package var isOutage: Bool {
        switch self {
        case .configuration, .unreachable, .stranger, .unknownPeer, .keyRefused, .closed, .timedOut: true
        case .notFound, .failed, .tooLarge, .malformed, .cancelled: false
        }
    }

    /// Whether it is not known that Syncthing is at the other end.
    package var isOfPeer: Bool {
        switch self {
        case .stranger, .unknownPeer: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .configuration(let file, let message): "\(file): \(message)"
        case .unreachable(let address, let code):
            "Syncthing cannot be reached at \(address): \(String(cString: strerror(code)))"
        case .stranger(let address, let user):
            "a program of user \(user), who is not the user of Syncthing, listens at \(address); the API key was not sent to it"
        case .unknownPeer(let address, let message):
            "the user of the program that listens at \(address) is unknown: \(message); the API key was not sent to it"
        case .keyRefused: "Syncthing refuses the API key of its configuration file"
        case .notFound(let request, let message): "Syncthing has no answer to \(request): \(message)"
        case .failed(let request, let status, let message):
            "Syncthing answered \(request) with status \(status): \(message)"
        case .closed(let request): "Syncthing closed the connection during \(request)"
        case .timedOut(let request, let seconds): "Syncthing did not answer \(request) within \(seconds) s"
        case .tooLarge(let request, let limit): "The answer of Syncthing to \(request) exceeds \(limit) bytes"
        case .malformed(let request, let error): "The answer of Syncthing to \(request) is not as expected: \(error)"
        case .cancelled: "cancelled"
        }
    }
}

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
        case .configuration, .unreachable, .keyRefused, .closed, .timedOut: true
        case .notFound, .failed, .tooLarge, .malformed, .cancelled: false
        }
    }

    package var description: String {
        switch self {
        case .configuration(let file, let message): "\(file): \(message)"
        case .unreachable(let address, let code):
            "Syncthing cannot be reached at \(address): \(String(cString: strerror(code)))"
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

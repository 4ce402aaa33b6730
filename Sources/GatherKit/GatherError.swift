// Errors of requests to the daemon and to the sharing helper.
// SPDX-License-Identifier: Apache-2.0

/// A failed request to the daemon or to the sharing helper.
///
/// ``code`` is for the program, ``message`` for its user. The message is a sentence without a full stop, with the
/// remedy if it is known.
public struct GatherError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Codes may be added; treat an unknown one as a general failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No daemon or helper listens on the socket, or this user may not connect.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The daemon or helper has the connection and does not answer: it is stopped or overloaded.
        public static let notAnswering = Code(rawValue: "notAnswering")
        /// The connection ended before the answer was complete.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The predicate cannot be parsed. ``GatherError/position`` is the place.
        public static let invalidPredicate = Code(rawValue: "invalidPredicate")
        /// An attribute does not exist.
        public static let unknownAttribute = Code(rawValue: "unknownAttribute")
        /// A scope is neither a container nor a directory inside one.
        public static let unknownScope = Code(rawValue: "unknownScope")
        /// The daemon does not know the time zone of a question with local times.
        public static let unknownTimeZone = Code(rawValue: "unknownTimeZone")
        /// The predicate failed during its evaluation.
        public static let evaluationFailed = Code(rawValue: "evaluationFailed")
        /// A limit of the daemon was reached.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// The containers were not exact in time.
        public static let syncTimeout = Code(rawValue: "syncTimeout")
        /// No container has this identifier.
        public static let noSuchContainer = Code(rawValue: "noSuchContainer")
        /// A container has this identifier already.
        public static let containerExists = Code(rawValue: "containerExists")
        /// The description of a container is invalid.
        public static let invalidContainer = Code(rawValue: "invalidContainer")
        /// A directory of the container is missing, cannot be made or read, or is on another machine.
        public static let containerUnavailable = Code(rawValue: "containerUnavailable")
        /// A configuration file is wrong.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// This user may not make the call.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The daemon does not implement this call.
        public static let notImplemented = Code(rawValue: "notImplemented")
        /// A message on the connection violates the interface.
        public static let protocolViolation = Code(rawValue: "protocolViolation")
        /// The waiting task was cancelled, or the query was stopped.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The sharing helper runs, and Syncthing does not answer it.
        public static let syncNotRunning = Code(rawValue: "syncNotRunning")
        /// The container is not shared.
        public static let notShared = Code(rawValue: "notShared")
        /// No device has this identifier.
        public static let noSuchDevice = Code(rawValue: "noSuchDevice")
        /// The identifier of a device has a mistake.
        public static let invalidDevice = Code(rawValue: "invalidDevice")
        /// No other device is known to have the present version of an item.
        public static let notUploaded = Code(rawValue: "notUploaded")
        /// No shared container has an item at the path.
        public static let noSuchItem = Code(rawValue: "noSuchItem")
        /// An error that this version does not know.
        public static let other = Code(rawValue: "other")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence for a person, without a full stop.
    public let message: String
    /// The subject of the error, if any: a container, an attribute, a scope, a device, or a path.
    public let subject: String?
    /// For ``Code/unknownScope`` of a directory: some of the containers that lie below it.
    public internal(set) var containers: [ContainerIdentifier] = []
    /// The place in the predicate, in bytes from its start, for ``Code/invalidPredicate``.
    public let position: Int?

    /// Makes an error from its parts.
    public init(code: Code, message: String, subject: String? = nil, position: Int? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.position = position
    }

    /// The message.
    public var description: String { message }

    /// Whether there was no answer, so that the same call may succeed later: ``Code/unreachable``, ``Code/notAnswering`` or
    /// ``Code/connectionLost``. The daemon or helper may start, or answer again. It may have carried the call out before the
    /// connection was lost.
    ///
    /// A program that tries again needs pauses and an end: a user who may not connect gets ``Code/unreachable`` each time. A
    /// started ``MetadataQuery`` tries again by itself.
    public var isTransient: Bool { code == .unreachable || code == .connectionLost || code == .notAnswering }
}

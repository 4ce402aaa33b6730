// What can go wrong between a program and the daemon, in words for a person.
// SPDX-License-Identifier: Apache-2.0

/// Why something that was asked of the daemon could not be done.
///
/// ``code`` is for the program, ``message`` for the person before it: a sentence without a full stop that says what is
/// wrong and, where that is known, what to do about it.
public struct GatherError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of error it is. Codes may be added; take one that you do not know for a general failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String

        /// A code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody listens on the socket, or this user may not open it.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The connection ended before the answer was complete.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The predicate could not be understood; ``GatherError/position`` says where.
        public static let invalidPredicate = Code(rawValue: "invalidPredicate")
        /// An attribute that does not exist.
        public static let unknownAttribute = Code(rawValue: "unknownAttribute")
        /// A scope that is no container, or a directory outside all of them.
        public static let unknownScope = Code(rawValue: "unknownScope")
        /// The predicate failed while it was evaluated.
        public static let evaluationFailed = Code(rawValue: "evaluationFailed")
        /// A limit of the daemon was reached.
        public static let limitExceeded = Code(rawValue: "limitExceeded")
        /// The containers were not exact in time.
        public static let syncTimeout = Code(rawValue: "syncTimeout")
        /// There is no container with this identifier.
        public static let noSuchContainer = Code(rawValue: "noSuchContainer")
        /// There is a container with this identifier already.
        public static let containerExists = Code(rawValue: "containerExists")
        /// What was said of a container cannot be.
        public static let invalidContainer = Code(rawValue: "invalidContainer")
        /// A directory of the container is missing or cannot be made.
        public static let containerUnavailable = Code(rawValue: "containerUnavailable")
        /// A configuration file is wrong.
        public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
        /// This user may not do that.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The daemon does not offer this yet.
        public static let notImplemented = Code(rawValue: "notImplemented")
        /// What came over the connection is not what the interface promises.
        public static let protocolViolation = Code(rawValue: "protocolViolation")
        /// The task that waited was cancelled, or the query stopped.
        public static let cancelled = Code(rawValue: "cancelled")
        /// An error that this version does not know.
        public static let other = Code(rawValue: "other")
    }

    /// What kind of error it is.
    public let code: Code
    /// A sentence for a person, without a full stop.
    public let message: String
    /// What the error is about, where it is about a name: a container, an attribute, a scope, a socket's path.
    public let subject: String?
    /// Where in the predicate, in bytes from its start, for ``Code/invalidPredicate``.
    public let position: Int?

    /// An error from its parts.
    public init(code: Code, message: String, subject: String? = nil, position: Int? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.position = position
    }

    /// The message.
    public var description: String { message }

    /// Whether trying again later, with nothing changed, may help: the daemon is away, not unwilling.
    var isTransient: Bool { code == .unreachable || code == .connectionLost }
}

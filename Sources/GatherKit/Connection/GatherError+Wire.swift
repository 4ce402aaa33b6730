// Converts errors of the connection and of the interfaces to sentences for people.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Glibc
internal import Varlink

extension GatherError {
    /// Converts an error of the connection to `socket`.
    init(_ error: VarlinkClientError, socket: DaemonSocket) {
        switch error {
        case .error(let error): self.init(error)
        case .socket(let error):
            switch error.operation {
            case .connect where error.errno == EAGAIN: self = socket.silent
            case .socket, .path, .connect: self = socket.unreachable(error.errno)
            default: self.init(code: .connectionLost, message: "the connection to gatherd is lost (\(error))")
            }
        case .closed:
            self.init(code: .connectionLost, message: "gatherd closed the connection before it had answered")
        case .silent: self = socket.silent
        case .violation(let violation):
            self.init(
                code: .protocolViolation,
                message: "the program at \(socket.path) does not answer as gatherd does: \(violation)")
        case .cancelled: self.init(code: .cancelled, message: "cancelled")
        }
    }

    /// Makes the error for a reply that violates the interface.
    init(_ error: JSONError) {
        self.init(code: .protocolViolation, message: "gatherd's answer cannot be read: \(error)")
    }

    /// Converts an error reply of the daemon.
    init(_ error: VarlinkError) {
        if let error = QueryError(error) {
            self.init(error)
        } else if let error = ContainerError(error) {
            self.init(error)
        } else if let error = ServiceError(error) {
            self.init(error)
        } else {
            self.init(service: error)
        }
    }

    private init(_ error: QueryError) {
        switch error {
        case .invalidPredicate(let message, let position):
            self.init(code: .invalidPredicate, message: message, position: Int(clamping: position))
        case .unknownAttribute(let name):
            self.init(
                code: .unknownAttribute,
                message: "there is no attribute '\(name)'; 'gather attributes' lists those there are", subject: name)
        case .unknownScope(let scope, let containers):
            self.init(
                code: .unknownScope,
                message: scope.hasPrefix("/") || scope.hasPrefix("file:///")
                    ? "no container holds the directory \(scope)" : "there is no container '\(scope)'",
                subject: scope)
            self.containers = containers.map { ContainerIdentifier($0) }
        case .unknownTimeZone(let zone):
            self.init(
                code: .unknownTimeZone,
                message: """
                    gatherd does not know the time zone '\(zone)'; set TZ to a name such as Europe/Berlin, \
                    or install the package tzdata where gatherd runs
                    """,
                subject: zone)
        case .evaluationFailed(let message): self.init(code: .evaluationFailed, message: message)
        case .limitExceeded(let limit, let value):
            self.init(
                code: .limitExceeded, message: "the limit '\(limit)' of gatherd (\(value)) was reached", subject: limit)
        case .syncTimeout(let containers):
            self.init(
                code: .syncTimeout,
                message: """
                    not read in time: \(containers.joined(separator: ", ")). \
                    Ask again, or take what is known so far with --no-sync
                    """)
        }
    }

    private init(_ error: ContainerError) {
        switch error {
        case .noSuchContainer(let identifier):
            self.init(
                code: .noSuchContainer, message: "there is no container '\(identifier)'", subject: identifier)
        case .containerExists(let identifier):
            self.init(
                code: .containerExists, message: "there is a container '\(identifier)' already", subject: identifier)
        case .invalidContainer(let identifier, let message):
            self.init(code: .invalidContainer, message: message, subject: identifier)
        case .containerUnavailable(let identifier, let message):
            self.init(
                code: .containerUnavailable, message: "container '\(identifier)' is unavailable: \(message)",
                subject: identifier)
        }
    }

    private init(_ error: ServiceError) {
        switch error {
        case .invalidConfiguration(let file, let line, let message):
            // Line 0 stands for the whole file.
            let place = line > 0 ? "\(file):\(line)" : file
            self.init(code: .invalidConfiguration, message: "\(place): \(message)", subject: file)
        }
    }

    private init(service error: VarlinkError) {
        let parameters = error.parameters.text
        switch error.name {
        case "org.varlink.service.PermissionDenied":
            self.init(
                code: .permissionDenied,
                message: "you may not do that: it is for root and for the user that gatherd runs as")
        case "org.varlink.service.MethodNotImplemented", "org.varlink.service.MethodNotFound",
            "org.varlink.service.InterfaceNotFound":
            self.init(code: .notImplemented, message: "this gatherd does not offer that yet \(parameters)")
        case "org.varlink.service.InvalidParameter":
            self.init(code: .other, message: "gatherd does not take this argument: \(parameters)")
        default: self.init(code: .other, message: "gatherd answered with \(error)", subject: error.name)
        }
    }
}

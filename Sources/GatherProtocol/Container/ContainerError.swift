// The errors of io.gatherd.Container as Swift errors.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An error of `io.gatherd.Container`.
package enum ContainerError: Error, Sendable, Hashable {
    /// No container that the caller may read has this identifier.
    case noSuchContainer(identifier: String)
    /// There is a container with this identifier.
    case containerExists(identifier: String)
    /// The container cannot be added, or not be removed, for the reason given.
    case invalidContainer(identifier: String, message: String)
    /// The directory of the container cannot be read, for the reason given.
    case containerUnavailable(identifier: String, message: String)
}

extension ContainerError: InterfaceError {
    package static var interface: String { ContainerInterface.name }

    package init?(name: String, fields: ErrorFields) {
        let identifier = fields.string("identifier")
        switch name {
        case "NoSuchContainer": self = .noSuchContainer(identifier: identifier)
        case "ContainerExists": self = .containerExists(identifier: identifier)
        case "InvalidContainer":
            self = .invalidContainer(identifier: identifier, message: fields.string("message"))
        case "ContainerUnavailable":
            self = .containerUnavailable(identifier: identifier, message: fields.string("message"))
        default: return nil
        }
    }

    package var name: String {
        switch self {
        case .noSuchContainer: "NoSuchContainer"
        case .containerExists: "ContainerExists"
        case .invalidContainer: "InvalidContainer"
        case .containerUnavailable: "ContainerUnavailable"
        }
    }

    package func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .noSuchContainer(let identifier), .containerExists(let identifier):
            writer.field("identifier", identifier)
        case .invalidContainer(let identifier, let message), .containerUnavailable(let identifier, let message):
            writer.field("identifier", identifier)
            writer.field("message", message)
        }
    }
}

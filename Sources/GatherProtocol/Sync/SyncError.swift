// The errors of io.gatherd.Sync as Swift errors.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An error of `io.gatherd.Sync`.
package enum SyncError: Error, Sendable, Hashable {
    /// No container has this identifier.
    case noSuchContainer(identifier: String)
    /// The container is not shared.
    case notShared(identifier: String)
    /// The session has ended, or never was.
    case noSuchSession(session: Int64)
    /// Another helper tells the state of the container now, or the container has gone.
    case superseded(identifier: String)
}

extension SyncError: InterfaceError {
    package static var interface: String { SyncInterface.name }

    package init?(name: String, fields: ErrorFields) {
        let identifier = fields.string("identifier")
        switch name {
        case "NoSuchContainer": self = .noSuchContainer(identifier: identifier)
        case "NotShared": self = .notShared(identifier: identifier)
        case "NoSuchSession": self = .noSuchSession(session: fields.integer("session"))
        case "Superseded": self = .superseded(identifier: identifier)
        default: return nil
        }
    }

    package var name: String {
        switch self {
        case .noSuchContainer: "NoSuchContainer"
        case .notShared: "NotShared"
        case .noSuchSession: "NoSuchSession"
        case .superseded: "Superseded"
        }
    }

    package func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .noSuchContainer(let identifier), .notShared(let identifier), .superseded(let identifier):
            writer.field("identifier", identifier)
        case .noSuchSession(let session): writer.field("session", session)
        }
    }
}

// The errors of io.gatherd.Query as Swift errors.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An error of `io.gatherd.Query`.
package enum QueryError: Error, Sendable, Hashable {
    /// The predicate could not be understood; `position` counts bytes from its start.
    case invalidPredicate(message: String, position: Int64)
    /// A name in `attributes`, `sort` or `attribute` that does not exist.
    case unknownAttribute(String)
    /// A scope that is no container, or a directory outside all of them; `containers` lie below it.
    case unknownScope(String, containers: [String] = [])
    /// A time zone that the daemon does not know, of a predicate with local times.
    case unknownTimeZone(String)
    /// The predicate failed while it was evaluated.
    case evaluationFailed(message: String)
    /// Past a limit, which has this name and value.
    case limitExceeded(limit: String, value: Int64)
    /// These containers were not exact within `timeout`.
    case syncTimeout(containers: [String])
}

extension QueryError: InterfaceError {
    package static var interface: String { QueryInterface.name }

    package init?(name: String, fields: ErrorFields) {
        switch name {
        case "InvalidPredicate":
            self = .invalidPredicate(message: fields.string("message"), position: fields.integer("position"))
        case "UnknownAttribute": self = .unknownAttribute(fields.string("attribute"))
        case "UnknownScope": self = .unknownScope(fields.string("scope"), containers: fields.strings("containers"))
        case "UnknownTimeZone": self = .unknownTimeZone(fields.string("timeZone"))
        case "EvaluationFailed": self = .evaluationFailed(message: fields.string("message"))
        case "LimitExceeded": self = .limitExceeded(limit: fields.string("limit"), value: fields.integer("value"))
        case "SyncTimeout": self = .syncTimeout(containers: fields.strings("containers"))
        default: return nil
        }
    }

    package var name: String {
        switch self {
        case .invalidPredicate: "InvalidPredicate"
        case .unknownAttribute: "UnknownAttribute"
        case .unknownScope: "UnknownScope"
        case .unknownTimeZone: "UnknownTimeZone"
        case .evaluationFailed: "EvaluationFailed"
        case .limitExceeded: "LimitExceeded"
        case .syncTimeout: "SyncTimeout"
        }
    }

    package func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .invalidPredicate(let message, let position):
            writer.field("message", message)
            writer.field("position", position)
        case .unknownAttribute(let attribute): writer.field("attribute", attribute)
        case .unknownScope(let scope, let containers):
            writer.field("scope", scope)
            if !containers.isEmpty { writer.field("containers", containers) }
        case .unknownTimeZone(let zone): writer.field("timeZone", zone)
        case .evaluationFailed(let message): writer.field("message", message)
        case .limitExceeded(let limit, let value):
            writer.field("limit", limit)
            writer.field("value", value)
        case .syncTimeout(let containers): writer.field("containers", containers)
        }
    }
}

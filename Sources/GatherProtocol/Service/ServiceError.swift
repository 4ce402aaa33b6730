// The errors of io.gatherd.Service as Swift errors.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An error of `io.gatherd.Service`.
package enum ServiceError: Error, Sendable, Hashable {
    /// A configuration file is wrong; the running configuration is kept.
    case invalidConfiguration(file: String, line: Int64, message: String)
}

extension ServiceError: InterfaceError {
    package static var interface: String { ServiceInterface.name }

    package init?(name: String, fields: ErrorFields) {
        guard name == "InvalidConfiguration" else { return nil }
        self = .invalidConfiguration(
            file: fields.string("file"), line: fields.integer("line"), message: fields.string("message"))
    }

    package var name: String { "InvalidConfiguration" }

    package func writeFields(to writer: inout JSONWriter) {
        switch self {
        case .invalidConfiguration(let file, let line, let message):
            writer.field("file", file)
            writer.field("line", line)
            writer.field("message", message)
        }
    }
}

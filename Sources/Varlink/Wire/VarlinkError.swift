// Errors as they travel: a qualified name with parameters; and those that every service shares.
// SPDX-License-Identifier: Apache-2.0

/// An error reply: its fully qualified name, such as `io.gatherd.Query.InvalidPredicate`, and its parameters.
package struct VarlinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fully qualified name.
    package var name: String
    /// The parameters, one JSON object.
    package var parameters: JSONBytes

    /// An error from its parts.
    package init(_ name: String, parameters: JSONBytes = .emptyObject) {
        self.name = name
        self.parameters = parameters
    }

    package var description: String { parameters.text == "{}" ? name : "\(name) \(parameters.text)" }
}

// MARK: org.varlink.service

extension VarlinkError {
    private init(service name: StaticString, _ field: StaticString, _ value: String) {
        self.init(
            "org.varlink.service.\(name)",
            parameters: JSONBytes { writer in
                writer.beginObject()
                writer.field(field, value)
                writer.endObject()
            })
    }

    /// No interface has this name here.
    package static func interfaceNotFound(_ interface: String) -> VarlinkError {
        VarlinkError(service: "InterfaceNotFound", "interface", interface)
    }

    /// The interface has no such method; the name is given in full, as sd-varlink gives it.
    package static func methodNotFound(_ method: String) -> VarlinkError {
        VarlinkError(service: "MethodNotFound", "method", method)
    }

    /// The interface declares the method and this service does not have it.
    package static func methodNotImplemented(_ method: String) -> VarlinkError {
        VarlinkError(service: "MethodNotImplemented", "method", method)
    }

    /// A parameter is missing, has the wrong type, or does not belong to the method.
    package static func invalidParameter(_ parameter: String) -> VarlinkError {
        VarlinkError(service: "InvalidParameter", "parameter", parameter)
    }

    /// The caller may not do that.
    package static let permissionDenied = VarlinkError("org.varlink.service.PermissionDenied")

    /// The method must be called with `more`.
    package static let expectedMore = VarlinkError("org.varlink.service.ExpectedMore")
}

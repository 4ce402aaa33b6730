// An interface: its text, and the declarations in it.
// SPDX-License-Identifier: Apache-2.0

/// An interface as its text describes it.
package struct VarlinkInterface: Sendable {
    /// A type that the interface declares.
    package struct TypeDeclaration: Sendable, Hashable {
        package var name: String
        /// `.structure` or `.enumeration`.
        package var type: VarlinkType
        package var documentation: String
    }

    /// A method that the interface declares.
    package struct Method: Sendable, Hashable {
        package var name: String
        package var input: [VarlinkField]
        package var output: [VarlinkField]
        package var documentation: String
    }

    /// An error that the interface declares.
    package struct ErrorDeclaration: Sendable, Hashable {
        package var name: String
        package var parameters: [VarlinkField]
        package var documentation: String
    }

    /// The interface's name, such as `io.gatherd.Query`.
    package let name: String
    /// The comment above `interface`.
    package let documentation: String
    /// The text itself, as it is served.
    package let text: String
    /// The types by name.
    package let types: [String: TypeDeclaration]
    /// The methods by name.
    package let methods: [String: Method]
    /// The errors by name.
    package let errors: [String: ErrorDeclaration]
    /// The names of all members in the order of the text.
    package let memberNames: [String]

    /// Parses interface text.
    package init(parsing text: String) throws(VarlinkInterfaceError) {
        var parser = VarlinkInterfaceParser(text)
        self = try parser.parse()
    }

    init(
        name: String, documentation: String, text: String, types: [String: TypeDeclaration],
        methods: [String: Method], errors: [String: ErrorDeclaration], memberNames: [String]
    ) {
        self.name = name
        self.documentation = documentation
        self.text = text
        self.types = types
        self.methods = methods
        self.errors = errors
        self.memberNames = memberNames
    }
}

/// Why a text is no interface description, and where.
package struct VarlinkInterfaceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, in words.
    package var message: String
    /// Bytes from the start of the text.
    package var position: Int
    /// The line, counted from 1.
    package var line: Int
    /// The byte in the line, counted from 1.
    package var column: Int

    package var description: String { "\(line):\(column): \(message)" }
}

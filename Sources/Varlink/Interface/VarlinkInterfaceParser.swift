// Reads interface text: recursive descent over its bytes, with the position of every error.
// SPDX-License-Identifier: Apache-2.0

/// Parses one interface description (varlink.org, "Interface Definition").
struct VarlinkInterfaceParser {
    /// How deeply types may be nested in one declaration.
    static let maximumDepth = 64

    private let text: String
    private let bytes: [UInt8]
    private var position = 0
    /// The comment lines since the last blank line or token.
    private var comment: [String] = []
    /// Names used as types, and where, to be resolved at the end.
    private var references: [(name: String, position: Int)] = []

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func parse() throws(VarlinkInterfaceError) -> VarlinkInterface {
        var types: [String: VarlinkInterface.TypeDeclaration] = [:]
        var methods: [String: VarlinkInterface.Method] = [:]
        var errors: [String: VarlinkInterface.ErrorDeclaration] = [:]
        var memberNames: [String] = []

        skipBlanks()
        let documentation = takeComment()
        guard word() == "interface" else { throw error("expected 'interface'", at: position) }
        position += "interface".utf8.count
        skipBlanks()
        let name = try interfaceName()
        while true {
            skipBlanks()
            guard position < bytes.count else { break }
            let documentation = takeComment()
            let keywordPosition = position
            let keyword = word()
            guard ["type", "method", "error"].contains(keyword) else {
                throw error("expected 'type', 'method' or 'error'", at: keywordPosition)
            }
            position += keyword.utf8.count
            skipBlanks()
            let namePosition = position
            let member = try memberName()
            guard types[member] == nil, methods[member] == nil, errors[member] == nil else {
                throw error("'\(member)' is declared twice", at: namePosition)
            }
            memberNames.append(member)
            skipBlanks()
            switch keyword {
            case "type":
                types[member] = .init(name: member, type: try aggregate(depth: 0), documentation: documentation)
            case "method":
                let input = try fields()
                skipBlanks()
                try skip("->")
                skipBlanks()
                methods[member] = .init(
                    name: member, input: input, output: try fields(), documentation: documentation)
            default:
                errors[member] = .init(name: member, parameters: try fields(), documentation: documentation)
            }
        }
        for reference in references where types[reference.name] == nil {
            throw error("no type is called '\(reference.name)'", at: reference.position)
        }
        return VarlinkInterface(
            name: name, documentation: documentation, text: text, types: types, methods: methods, errors: errors,
            memberNames: memberNames)
    }

    // MARK: Types

    private mutating func type(depth: Int, mayBeOptional: Bool = true) throws(VarlinkInterfaceError) -> VarlinkType {
        guard depth < VarlinkInterfaceParser.maximumDepth else {
            throw error("nested more than \(VarlinkInterfaceParser.maximumDepth) deep", at: position)
        }
        switch current {
        case UInt8(ascii: "?"):
            guard mayBeOptional else { throw error("'?' twice", at: position) }
            position += 1
            return .optional(try type(depth: depth + 1, mayBeOptional: false))
        case UInt8(ascii: "["):
            position += 1
            if current == UInt8(ascii: "]") {
                position += 1
                return .array(try type(depth: depth + 1))
            }
            try skip("string]")
            return .map(try type(depth: depth + 1))
        case UInt8(ascii: "("):
            return try aggregate(depth: depth)
        default:
            let start = position
            let word = word()
            position += word.utf8.count
            switch word {
            case "bool": return .bool
            case "int": return .int
            case "float": return .float
            case "string": return .string
            case "object": return .object
            default:
                guard let first = word.utf8.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") else {
                    throw error(word.isEmpty ? "expected a type" : "'\(word)' is no type", at: start)
                }
                references.append((word, start))
                return .named(word)
            }
        }
    }

    /// Parses a structure or an enumeration. The token after the first name tells which.
    private mutating func aggregate(depth: Int) throws(VarlinkInterfaceError) -> VarlinkType {
        try skip("(")
        skipBlanks()
        if current == UInt8(ascii: ")") {
            position += 1
            return .structure([])
        }
        var structure: [VarlinkField] = []
        var enumeration: [String] = []
        var names: Set<String> = []
        while true {
            skipBlanks()
            let documentation = takeComment()
            let start = position
            let name = try fieldName()
            guard names.insert(name).inserted else { throw error("'\(name)' is declared twice", at: start) }
            skipBlanks()
            if current == UInt8(ascii: ":") {
                guard enumeration.isEmpty else { throw error("a value of an enumeration has no type", at: position) }
                position += 1
                skipBlanks()
                let type = try type(depth: depth + 1)
                structure.append(VarlinkField(name: name, type: type, documentation: documentation))
            } else {
                guard structure.isEmpty else { throw error("expected ':' and a type", at: position) }
                enumeration.append(name)
            }
            skipBlanks()
            if current == UInt8(ascii: ")") {
                position += 1
                return enumeration.isEmpty ? .structure(structure) : .enumeration(enumeration)
            }
            guard current == UInt8(ascii: ",") else { throw error("expected ',' or ')'", at: position) }
            position += 1
        }
    }

    private mutating func fields() throws(VarlinkInterfaceError) -> [VarlinkField] {
        let start = position
        guard case .structure(let fields) = try aggregate(depth: 0) else {
            throw error("expected fields with types", at: start)
        }
        return fields
    }

    // MARK: Names

    /// `[A-Za-z](-*[A-Za-z0-9])*(\.[A-Za-z0-9](-*[A-Za-z0-9])*)+`
    private mutating func interfaceName() throws(VarlinkInterfaceError) -> String {
        let start = position
        while let byte = current, isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
            position += 1
        }
        let name = string(start..<position)
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areWhole = labels.allSatisfy { label in
            !label.isEmpty && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
        guard labels.count > 1, areWhole, let first = name.utf8.first, isLetter(first) else {
            throw error(
                name.isEmpty
                    ? "expected the interface's name"
                    : "'\(name)' is no interface name: reverse domain form, with a dot",
                at: start)
        }
        return name
    }

    /// `[A-Z][A-Za-z0-9]*`
    private mutating func memberName() throws(VarlinkInterfaceError) -> String {
        let name = word()
        guard let first = name.utf8.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z"),
            name.utf8.allSatisfy(isLetterOrDigit)
        else { throw error("expected a name that begins with a capital", at: position) }
        position += name.utf8.count
        return name
    }

    /// `[A-Za-z](_?[A-Za-z0-9])*`
    private mutating func fieldName() throws(VarlinkInterfaceError) -> String {
        let name = word()
        guard let first = name.utf8.first, isLetter(first), name.utf8.last != UInt8(ascii: "_"),
            !name.contains("__")
        else { throw error("expected a field's name", at: position) }
        position += name.utf8.count
        return name
    }

    // MARK: Bytes

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The letters, digits and underscores that come next; nothing is consumed.
    private func word() -> String {
        var end = position
        while end < bytes.count, isLetterOrDigit(bytes[end]) || bytes[end] == UInt8(ascii: "_") { end += 1 }
        return string(position..<end)
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private mutating func skip(_ token: String) throws(VarlinkInterfaceError) {
        guard bytes[position...].starts(with: token.utf8) else { throw error("expected '\(token)'", at: position) }
        position += token.utf8.count
    }

    /// Skips white space and comments. Keeps a comment that stands directly above the next token.
    private mutating func skipBlanks() {
        var lineIsEmpty = false
        while let byte = current {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "\n"):
                if lineIsEmpty { comment.removeAll() }
                lineIsEmpty = true
                position += 1
            case UInt8(ascii: "#"):
                let start = position + 1
                while let byte = current, byte != UInt8(ascii: "\n") { position += 1 }
                comment.append(string(start..<position))
                if current != nil { position += 1 }
                lineIsEmpty = true
            default:
                return
            }
        }
    }

    private mutating func takeComment() -> String {
        defer { comment.removeAll() }
        return comment.map { $0.hasPrefix(" ") ? String($0.dropFirst()) : $0 }.joined(separator: "\n")
    }

    private func error(_ message: String, at position: Int) -> VarlinkInterfaceError {
        let before = bytes[..<min(position, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return VarlinkInterfaceError(
            message: message, position: position, line: line, column: position - lineStart + 1)
    }
}

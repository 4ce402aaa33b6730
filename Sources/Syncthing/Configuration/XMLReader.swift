// A strict reader of the part of XML that Syncthing writes.
// SPDX-License-Identifier: Apache-2.0

/// Reads elements, attributes and text, one after the other. Comments, processing instructions and the declaration are
/// skipped. A document type is an error, so no entity beyond the five of XML exists.
struct XMLReader {
    /// The next part of the document.
    enum Part: Equatable {
        case start(name: String, attributes: [String: String])
        case end(name: String)
        case text(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var open: [String] = []
    private var pendingEnd: String?
    private var hasRoot = false

    /// Makes a reader of a document.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next part; nil at the end of the document.
    mutating func next() throws(XMLError) -> Part? {
        if let name = pendingEnd.take() {
            open.removeLast()
            return .end(name: name)
        }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                let text = try readText()
                if !open.isEmpty { return .text(text) }
                guard text.utf8.allSatisfy(XMLReader.isSpace) else { throw error("text outside of the root element") }
                continue
            }
            if skip("<!--") {
                try skipPast("-->")
            } else if skip("<![CDATA[") {
                guard !open.isEmpty else { throw error("text outside of the root element") }
                let start = position
                try skipPast("]]>")
                return .text(try string(start..<position - 3))
            } else if skip("<?") {
                try skipPast("?>")
            } else if skip("<!") {
                throw error("a document type is not allowed")
            } else if skip("</") {
                let name = try readName()
                skipSpace()
                guard skip(">") else { throw error("'>' is missing") }
                guard open.last == name else { throw error("</\(name)> closes no such element") }
                open.removeLast()
                return .end(name: name)
            } else {
                return try readStart()
            }
        }
        if let name = open.last { throw error("<\(name)> is not closed") }
        guard hasRoot else { throw error("there is no element") }
        return nil
    }

    private mutating func readStart() throws(XMLError) -> Part {
        position += 1
        let name = try readName()
        if open.isEmpty {
            guard !hasRoot else { throw error("there is a second root element") }
            hasRoot = true
        }
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = skipSpace()
            let isEmpty = skip("/>")
            if isEmpty || skip(">") {
                guard open.count < SyncthingLimits.configurationDepth else { throw error("nested too deeply") }
                open.append(name)
                if isEmpty { pendingEnd = name }
                return .start(name: name, attributes: attributes)
            }
            guard hadSpace else { throw error("a blank is missing in <\(name)>") }
            let key = try readName()
            skipSpace()
            guard skip("=") else { throw error("'=' is missing after \(key)") }
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
            else { throw error("the value of \(key) has no quotation mark") }
            let quote = bytes[position]
            position += 1
            let start = position
            while position < bytes.count, bytes[position] != quote, bytes[position] != UInt8(ascii: "<") {
                position += 1
            }
            guard position < bytes.count, bytes[position] == quote else {
                throw error("the value of \(key) has no end")
            }
            let value = try unescaped(start..<position)
            position += 1
            guard attributes.updateValue(value, forKey: key) == nil else { throw error("\(key) occurs twice") }
        }
    }

    private mutating func readText() throws(XMLError) -> String {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
        return try unescaped(start..<position)
    }

    private mutating func readName() throws(XMLError) -> String {
        let start = position
        while position < bytes.count, !XMLReader.isSpace(bytes[position]),
            !"<>/='\"&".utf8.contains(bytes[position])
        { position += 1 }
        guard position > start else { throw error("a name is missing") }
        return try string(start..<position)
    }

    private func unescaped(_ range: Range<Int>) throws(XMLError) -> String {
        guard bytes[range].contains(UInt8(ascii: "&")) else { return try string(range) }
        var result: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: "&") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            // The longest reference is `&#x10FFFF;`.
            guard let end = bytes[index..<min(index + 10, range.upperBound)].firstIndex(of: UInt8(ascii: ";")) else {
                throw error("a reference has no end")
            }
            let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
            guard let scalar = XMLReader.scalar(name) else { throw error("'&\(name);' is unknown") }
            result.append(contentsOf: Array(String(Character(scalar)).utf8))
            index = end + 1
        }
        guard let text = String(validating: result, as: UTF8.self) else { throw error("the text is not UTF-8") }
        return text
    }

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default:
            if name.hasPrefix("#x") {
                UInt32(name.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
            } else if name.hasPrefix("#") {
                UInt32(name.dropFirst()).flatMap { Unicode.Scalar($0) }
            } else {
                nil
            }
        }
    }

    private func string(_ range: Range<Int>) throws(XMLError) -> String {
        guard let text = String(validating: bytes[range], as: UTF8.self) else { throw error("the text is not UTF-8") }
        return text
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count - position >= length else { return false }
        for offset in 0..<length where bytes[position + offset] != text.utf8Start[offset] { return false }
        position += length
        return true
    }

    private mutating func skipPast(_ text: StaticString) throws(XMLError) {
        while position < bytes.count {
            if skip(text) { return }
            position += 1
        }
        throw error("'\(text)' is missing")
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, XMLReader.isSpace(bytes[position]) { position += 1 }
        return position > start
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private func error(_ message: String) -> XMLError {
        XMLError(message: message, line: 1 + bytes[..<min(position, bytes.count)].count { $0 == 0x0A })
    }
}

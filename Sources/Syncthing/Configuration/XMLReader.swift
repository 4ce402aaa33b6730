// Reads XML documents.
// SPDX-License-Identifier: Apache-2.0

import CExpat

/// Reads an XML document (expat). A document type is an error, so a document has no entity beyond the five of XML.
enum XMLReader {
    /// The next part of a document. A text may come in several.
    enum Part: Equatable {
        case start(name: String, attributes: [String: String])
        case end(name: String)
        case text(String)
    }

    /// Returns the parts of a document in order. Comments and processing instructions are left out.
    static func parts(of bytes: [UInt8]) throws(XMLError) -> [Part] {
        guard let parser = XML_ParserCreate(nil) else { throw XMLError(message: "out of memory", line: 1) }
        defer { XML_ParserFree(parser) }
        let reading = Reading(parser)
        XML_SetUserData(parser, Unmanaged.passUnretained(reading).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in Reading.of(context)?.start(name, attributes) },
            { context, name in Reading.of(context)?.end(name) })
        XML_SetCharacterDataHandler(parser) { context, text, count in Reading.of(context)?.text(text, Int(count)) }
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            Reading.of(context)?.fail("a document type is not allowed")
        }
        let isWhole = bytes.withUnsafeBytes { bytes in
            XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count), 1)
                == XML_STATUS_OK
        }
        guard isWhole else {
            let message = reading.failure ?? XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
            throw XMLError(message: message ?? "no XML", line: Int(XML_GetCurrentLineNumber(parser)))
        }
        return reading.parts
    }

    /// The parts that were read. The parser calls it while it parses, on the same thread.
    private final class Reading {
        private let parser: XML_Parser
        private(set) var parts: [Part] = []
        private(set) var failure: String?
        private var depth = 0

        init(_ parser: XML_Parser) { self.parser = parser }

        static func of(_ context: UnsafeMutableRawPointer?) -> Reading? {
            context.map { Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
        }

        /// `attributes`: names and values by turns, ended by a null pointer.
        func start(
            _ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
        ) {
            guard failure == nil, let name else { return }
            depth += 1
            guard depth <= SyncthingLimits.configurationDepth else { return fail("nested too deeply") }
            var found: [String: String] = [:]
            var next = attributes
            while let pair = next, let key = pair[0], let value = pair[1] {
                found[String(cString: key)] = String(cString: value)
                next = pair + 2
            }
            parts.append(.start(name: String(cString: name), attributes: found))
        }

        func end(_ name: UnsafePointer<XML_Char>?) {
            guard failure == nil, let name else { return }
            depth -= 1
            parts.append(.end(name: String(cString: name)))
        }

        func text(_ text: UnsafePointer<XML_Char>?, _ count: Int) {
            guard failure == nil, let text else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: count)
            parts.append(.text(String(decoding: bytes, as: UTF8.self)))
        }

        func fail(_ message: String) {
            failure = failure ?? message
            XML_StopParser(parser, XML_Bool(XML_FALSE))
        }
    }
}

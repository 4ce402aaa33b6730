// Walking the paths of a Find reply without making an object or a string of any item.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The parts of a Find reply besides its items.
package struct FindReplySummary: Sendable, Hashable {
    /// How many items there were.
    package var count = 0
    /// The containers for which the answer may be wrong.
    package var inexact: [String]?
    /// The clock.
    package var clock = ""

    /// A summary of nothing.
    package init() {}

    /// Gives `body` the path of each item of `reply`, the parameters of one reply of Find, in order: the path's own
    /// bytes, also where they are not UTF-8. The bytes are valid inside `body` only, and lie in the reply itself
    /// unless they had to be unescaped.
    package init(
        walking reply: JSONBytes, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(JSONError) {
        var summary = FindReplySummary()
        var hasItems = false
        var clock: String?
        try reply.read { (reader) throws(JSONError) in
            try reader.beginObject()
            while try reader.nextKey() {
                if reader.keyIs("items") {
                    hasItems = true
                    try reader.beginArray()
                    while try reader.nextElement() {
                        summary.count += 1
                        try FindReplySummary.readPath(&reader, body)
                    }
                } else if reader.keyIs("inexact") {
                    summary.inexact = try reader.readNullIfPresent() ? nil : try reader.readStrings()
                } else if reader.keyIs("clock") {
                    clock = try reader.readString()
                } else {
                    try reader.skipValue()
                }
            }
        }
        guard hasItems else { throw JSONError(.missingField("items"), at: 0) }
        guard let clock else { throw JSONError(.missingField("clock"), at: 0) }
        summary.clock = clock
        self = summary
    }

    private static func readPath(
        _ reader: inout JSONReader, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(JSONError) {
        // The shape of nearly every item in an answer of paths alone.
        if reader.readPlainPair("id", "path", body) { return }
        var path: JSONReader.Text?
        var rawPath: JSONReader.Text?
        let start = reader.position
        try reader.beginObject()
        while try reader.nextKey() {
            if reader.keyIs("path") {
                path = try reader.readText()
            } else if reader.keyIs("rawPath") {
                rawPath = try reader.readText()
            } else {
                try reader.skipValue()
            }
        }
        if let rawPath {
            guard let bytes = reader.withText(rawPath, { Base64.decode($0) }) else {
                throw JSONError(.invalidValue("rawPath"), at: start)
            }
            bytes.withUnsafeBytes(body)
        } else if let path {
            reader.withText(path, body)
        } else {
            throw JSONError(.missingField("path"), at: start)
        }
    }
}

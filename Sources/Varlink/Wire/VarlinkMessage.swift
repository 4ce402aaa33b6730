// The two messages of Varlink, read from bytes and written to bytes: calls and replies.
// SPDX-License-Identifier: Apache-2.0

package import NIOCore

/// A call as it travels.
package struct VarlinkCallMessage: Sendable, Hashable {
    /// The fully qualified method.
    package var method: String
    /// The parameters, one JSON object.
    package var parameters: JSONBytes
    /// Whether the caller takes more than one reply.
    package var more: Bool
    /// Whether the caller wants no reply at all.
    package var oneway: Bool

    /// A call from its parts.
    package init(method: String, parameters: JSONBytes = .emptyObject, more: Bool = false, oneway: Bool = false) {
        self.method = method
        self.parameters = parameters
        self.more = more
        self.oneway = oneway
    }

    /// Why a message is no call: the part that is wrong.
    package struct Malformed: Error, Sendable, Hashable {
        /// `message`, or the key whose value is wrong.
        package var part: String
        /// The JSON error, if the fault is one.
        package var cause: JSONError?
    }

    /// Reads a message without its NUL. Keys that Varlink does not know are skipped, since vendors may add some;
    /// `upgrade`, and `more` together with `oneway`, are refused, as sd-varlink does.
    package init(reading message: ByteBuffer) throws(Malformed) {
        var method: String?
        var parameters: Range<Int>?
        var more = false
        var oneway = false
        var upgrade = false
        var part = "message"
        do {
            try JSONBytes(message).read { (reader) throws(JSONError) in
                try reader.beginObject()
                while try reader.nextKey() {
                    if reader.keyIs("method") {
                        part = "method"
                        method = try reader.readString()
                    } else if reader.keyIs("parameters") {
                        part = "parameters"
                        parameters = try reader.readNullIfPresent() ? nil : try reader.skipObject()
                    } else if reader.keyIs("more") {
                        part = "more"
                        more = try reader.readBool()
                    } else if reader.keyIs("oneway") {
                        part = "oneway"
                        oneway = try reader.readBool()
                    } else if reader.keyIs("upgrade") {
                        part = "upgrade"
                        upgrade = try reader.readBool()
                    } else {
                        try reader.skipValue()
                    }
                    part = "message"
                }
            }
        } catch {
            guard case .typeMismatch = error.reason else { throw Malformed(part: "message", cause: error) }
            throw Malformed(part: part, cause: error)
        }
        guard let method else { throw Malformed(part: "method", cause: nil) }
        guard !upgrade else { throw Malformed(part: "upgrade", cause: nil) }
        guard !(more && oneway) else { throw Malformed(part: "oneway", cause: nil) }
        self.init(method: method, parameters: message.json(parameters), more: more, oneway: oneway)
    }

    /// The bytes to send, NUL included.
    package var frame: ByteBuffer {
        var writer = JSONWriter(capacity: parameters.count + method.utf8.count + 64)
        writer.beginObject()
        writer.field("method", method)
        writer.key("parameters")
        writer.raw(parameters)
        if more { writer.field("more", true) }
        if oneway { writer.field("oneway", true) }
        writer.endObject()
        writer.append(0)
        return writer.takeBytes().buffer
    }
}

/// A reply as it travels.
package struct VarlinkReplyMessage: Sendable, Hashable {
    /// The parameters, one JSON object: of the reply, or of the error.
    package var parameters: JSONBytes
    /// Whether another reply to the same call follows.
    package var continues: Bool
    /// The fully qualified name of the error, if it is one.
    package var error: String?

    /// A reply from its parts.
    package init(parameters: JSONBytes, continues: Bool = false, error: String? = nil) {
        self.parameters = parameters
        self.continues = continues
        self.error = error
    }

    /// Reads a message without its NUL. The parameters are checked for syntax here, in the same pass. Vendors may add other keys, but
    /// a message of such keys alone is no reply.
    package init(reading message: ByteBuffer) throws(JSONError) {
        var parameters: Range<Int>?
        var continues = false
        var error: String?
        var unknown: JSONError?
        var isKnown = false
        try JSONBytes(message).read { (reader) throws(JSONError) in
            try reader.beginObject()
            while try reader.nextKey() {
                if reader.keyIs("parameters") {
                    isKnown = true
                    parameters = try reader.readNullIfPresent() ? nil : try reader.skipObject()
                } else if reader.keyIs("continues") {
                    isKnown = true
                    continues = try reader.readBool()
                } else if reader.keyIs("error") {
                    isKnown = true
                    error = try reader.readNullIfPresent() ? nil : try reader.readString()
                } else {
                    unknown = unknown ?? JSONError(.unknownField(reader.key), at: reader.position)
                    try reader.skipValue()
                }
            }
        }
        if let unknown, !isKnown { throw unknown }
        self.init(parameters: message.json(parameters), continues: continues, error: error)
    }

    /// The bytes of a reply to send, NUL included, in one exact allocation. Nothing but `parameters` and `continues` is
    /// in it: sd-varlink's client takes any other key for a violation.
    static func frame(_ parameters: UnsafeRawBufferPointer, continues: Bool) -> ByteBuffer {
        let start: StaticString = "{\"parameters\":"
        let end: StaticString = continues ? ",\"continues\":true}\0" : "}\0"
        var buffer = ByteBufferAllocator().buffer(
            capacity: start.utf8CodeUnitCount + parameters.count + end.utf8CodeUnitCount)
        buffer.writeStaticString(start)
        buffer.writeBytes(parameters)
        buffer.writeStaticString(end)
        return buffer
    }

    /// The bytes of an error reply to send, NUL included.
    static func frame(_ error: VarlinkError) -> ByteBuffer {
        var writer = JSONWriter(capacity: error.parameters.count + error.name.utf8.count + 64)
        writer.beginObject()
        writer.field("error", error.name)
        writer.key("parameters")
        writer.raw(error.parameters)
        writer.endObject()
        writer.append(0)
        return writer.takeBytes().buffer
    }
}

extension JSONReader {
    /// Checks the object that comes next, steps over it, and tells where it lies.
    mutating func skipObject() throws(JSONError) -> Range<Int> {
        try expect(.object)
        return try skipValue()
    }
}

extension ByteBuffer {
    /// The object at `range` of the readable bytes, or `{}`.
    fileprivate func json(_ range: Range<Int>?) -> JSONBytes {
        guard let range, let slice = getSlice(at: readerIndex + range.lowerBound, length: range.count) else {
            return .emptyObject
        }
        return JSONBytes(slice)
    }
}

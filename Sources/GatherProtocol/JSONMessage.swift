// The common protocol of all messages, and the coding of their fields.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// A value that travels as one JSON object (or, for enumerations, one string). Readers skip fields that they do not
/// know, since interfaces may grow, and take null for absent.
package protocol JSONMessage: Sendable {
    /// Reads the value that comes next.
    init(from reader: inout JSONReader) throws(JSONError)
    /// Writes the value.
    func write(to writer: inout JSONWriter)
}

/// A method of an interface: its full name and its messages.
package protocol VarlinkMethod {
    associatedtype Request: JSONMessage
    associatedtype Reply: JSONMessage
    /// The fully qualified name.
    static var name: String { get }
}

extension JSONBytes {
    /// The bytes of `message`.
    package init(_ message: some JSONMessage) {
        self.init { message.write(to: &$0) }
    }

    /// Reads the bytes as a message.
    package func decode<Message: JSONMessage>(_ type: Message.Type = Message.self) throws(JSONError) -> Message {
        try read { (reader) throws(JSONError) in try Message(from: &reader) }
    }
}

extension JSONReader {
    mutating func readStrings() throws(JSONError) -> [String] {
        try readArray { (reader) throws(JSONError) in try reader.readString() }
    }

    mutating func readIntegers() throws(JSONError) -> [Int64] {
        try readArray { (reader) throws(JSONError) in try reader.readInteger() }
    }

    mutating func readMessages<Message: JSONMessage>() throws(JSONError) -> [Message] {
        try readArray { (reader) throws(JSONError) in try Message(from: &reader) }
    }
}

extension JSONWriter {
    mutating func field(_ name: StaticString, message: some JSONMessage) {
        key(name)
        message.write(to: &self)
    }

    mutating func field(_ name: StaticString, message: (some JSONMessage)?) {
        if let message { field(name, message: message) }
    }

    mutating func field(_ name: StaticString, messages: [some JSONMessage]) {
        key(name)
        beginArray()
        for message in messages { message.write(to: &self) }
        endArray()
    }

    mutating func field(_ name: StaticString, messages: [some JSONMessage]?) {
        if let messages { field(name, messages: messages) }
    }
}

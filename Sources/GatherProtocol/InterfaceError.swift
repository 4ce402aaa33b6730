// Errors of an interface, between their Swift form and the form in which they travel.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The errors of one interface.
package protocol InterfaceError: Error {
    /// The interface that declares them.
    static var interface: String { get }
    /// The error that is called `name`, without the interface, or nil where the interface has none such.
    init?(name: String, fields: ErrorFields)
    /// Its name, without the interface.
    var name: String { get }
    /// Writes its parameters, as fields of an object that is open.
    func writeFields(to writer: inout JSONWriter)
}

extension InterfaceError {
    /// The error of this interface that travelled as `error`, or nil where it is another's.
    package init?(_ error: VarlinkError) {
        let prefix = Self.interface + "."
        guard error.name.hasPrefix(prefix), let fields = ErrorFields(error.parameters) else { return nil }
        self.init(name: String(error.name.dropFirst(prefix.count)), fields: fields)
    }

    /// The form in which it travels.
    package var varlinkError: VarlinkError {
        VarlinkError(
            Self.interface + "." + name,
            parameters: JSONBytes { writer in
                writer.beginObject()
                writeFields(to: &writer)
                writer.endObject()
            })
    }
}

/// The parameters of an error. One that is absent reads as empty or 0: an error is worth telling in any case.
package struct ErrorFields: Sendable {
    private var strings: [String: String] = [:]
    private var integers: [String: Int64] = [:]
    private var arrays: [String: [String]] = [:]

    /// The fields of a JSON object, or nil where it is none.
    package init?(_ parameters: JSONBytes) {
        do {
            try parameters.read { (reader) throws(JSONError) in
                try reader.beginObject()
                while try reader.nextKey() {
                    let key = reader.key
                    switch try reader.peek() {
                    case .string: strings[key] = try reader.readString()
                    case .number where try reader.nextNumberIsInteger(): integers[key] = try reader.readInteger()
                    case .array: arrays[key] = try reader.readStrings()
                    default: try reader.skipValue()
                    }
                }
            }
        } catch {
            return nil
        }
    }

    package func string(_ name: String) -> String { strings[name] ?? "" }
    package func integer(_ name: String) -> Int64 { integers[name] ?? 0 }
    package func strings(_ name: String) -> [String] { arrays[name] ?? [] }
}

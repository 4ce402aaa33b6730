// Which lines of JSON match a predicate.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
import Metadata

/// A predicate over lines of JSON, each of which is an object. It asks for the time once, when it is made.
package struct ObjectFilter: Sendable {
    /// Why there is no answer for a line.
    package enum LineError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line is not a JSON object.
        case notAnObject(ObjectReaderError)
        /// The predicate has no answer for the object.
        case evaluation(EvaluationError)

        package var description: String {
            switch self {
            case .notAnObject(let error): error.description
            case .evaluation(let error): error.message
            }
        }
    }

    package let predicate: Predicate

    /// Reads the predicate, in ``Predicate/Mode/objects``. `types` is asked only by one that compares content types.
    package init(
        parsing text: String, types: @autoclosure () -> ContentTypeDatabase = ContentTypeDatabase()
    ) throws(PredicateError) {
        predicate = try Predicate(parsing: text, types: types()).resolved(at: .now)
    }

    /// Whether the object that a line is matches. A blank line is none and does not; the line's end may be with it.
    package func matches(line: UnsafeRawBufferPointer) throws(LineError) -> Bool {
        guard line.contains(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) else { return false }
        let object: MetadataValue
        do throws(ObjectReaderError) { object = try ObjectReader.value(of: line) } catch { throw .notAnObject(error) }
        guard case .dictionary = object else {
            throw .notAnObject(ObjectReaderError(message: "expected a JSON object", position: 0))
        }
        do throws(EvaluationError) { return try predicate.evaluate(on: object) } catch { throw .evaluation(error) }
    }

    /// Whether the object that a line is matches.
    package func matches(line: [UInt8]) throws(LineError) -> Bool {
        try line.withUnsafeBufferPointer { (bytes) throws(LineError) in
            try matches(line: UnsafeRawBufferPointer(bytes))
        }
    }
}

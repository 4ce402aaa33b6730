// A predicate over lines of JSON.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
import Metadata

/// A predicate over lines of JSON, one object on each. It reads the clock once, when it is made.
package struct ObjectFilter: Sendable {
    /// The reason for which a line has no answer.
    package enum LineError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The line is not a JSON object.
        case notAnObject(ObjectReaderError)
        /// The predicate cannot be evaluated for the object.
        case evaluation(EvaluationError)

        package var description: String {
            switch self {
            case .notAnObject(let error): error.description
            case .evaluation(let error): error.message
            }
        }
    }

    package let predicate: Predicate

    /// Reads the predicate, in ``Predicate/Mode/objects``. Calls `types` only if it compares content types.
    package init(
        parsing text: String, types: @autoclosure () -> ContentTypeDatabase = ContentTypeDatabase()
    ) throws(PredicateError) {
        predicate = try Predicate(parsing: text, types: types()).resolved(at: .now)
    }

    /// Whether the object on a line matches. A blank line has no object and does not match. The line's end may be
    /// included.
    package func matches(line: UnsafeRawBufferPointer) throws(LineError) -> Bool {
        guard line.contains(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) else { return false }
        let object: MetadataValue
        do throws(ObjectReaderError) { object = try ObjectReader.value(of: line) } catch { throw .notAnObject(error) }
        guard case .dictionary = object else {
            throw .notAnObject(ObjectReaderError(message: "expected a JSON object", position: 0))
        }
        do throws(EvaluationError) { return try predicate.evaluate(on: object) } catch { throw .evaluation(error) }
    }

    /// Whether the object on a line matches.
    package func matches(line: [UInt8]) throws(LineError) -> Bool {
        try line.withUnsafeBufferPointer { (bytes) throws(LineError) in
            try matches(line: UnsafeRawBufferPointer(bytes))
        }
    }
}

// The source of an item's attributes during evaluation.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// An item that provides the attributes a predicate reads.
package protocol AttributeValues {
    /// The value of an attribute; `.none` where the item has none.
    func value(of attribute: Attribute) -> MetadataValue

    /// Lends the bytes of a text attribute; nil where the item has none. They need not be UTF-8: names and paths are
    /// compared as they are on disk.
    func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result
}

extension AttributeValues {
    package func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result {
        guard case .string(let text) = value(of: attribute) else { return try body(nil) }
        return try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

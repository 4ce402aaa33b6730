// Where the values of an item come from while a predicate is evaluated.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// An item whose attributes a predicate reads.
package protocol AttributeValues {
    /// The value of an attribute; `.none` where the item has none.
    func value(of attribute: Attribute) -> MetadataValue

    /// Lends the bytes of an attribute whose type is text, nil where the item has none. They need not be UTF-8: names
    /// and paths are compared as they are on disk.
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

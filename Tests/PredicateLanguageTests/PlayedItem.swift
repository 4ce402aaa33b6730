// An item whose attributes a test decides.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage

/// An item with the values that a test gives it, and a name of any bytes.
struct PlayedItem: AttributeValues {
    var values: [Attribute: MetadataValue] = [:]
    var nameBytes: [UInt8] = Array("Item_1.txt".utf8)

    func value(of attribute: Attribute) -> MetadataValue {
        if attribute == .name { return .string(String(decoding: nameBytes, as: UTF8.self)) }
        return values[attribute] ?? .none
    }

    func withText<Result>(
        of attribute: Attribute, _ body: (UnsafeRawBufferPointer?) throws(EvaluationError) -> Result
    ) throws(EvaluationError) -> Result {
        if attribute == .name {
            return try nameBytes.withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
                try body(UnsafeRawBufferPointer(bytes))
            }
        }
        guard case .string(let text) = value(of: attribute) else { return try body(nil) }
        return try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

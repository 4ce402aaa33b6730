// A value of any type.
// SPDX-License-Identifier: Apache-2.0

/// The value of an attribute or of an expression, of any type. The predicate language compares values.
public indirect enum MetadataValue: Sendable, Hashable {
    /// No value: missing, or null.
    case none
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case date(Timestamp)
    case array([MetadataValue])
    case dictionary([String: MetadataValue])
}

// A value of any type.
// SPDX-License-Identifier: Apache-2.0

/// The value of an attribute or of an expression, of any type. The predicate language compares values.
@nonexhaustive
public indirect enum MetadataValue: Sendable, Hashable {
    /// No value: missing, or null.
    case none
    case boolean(Bool)
    case integer(Int64)
    /// A whole number beyond `Int64.max`. Smaller ones are ``integer(_:)``, so that each number has one form.
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case date(Timestamp)
    case array([MetadataValue])
    case dictionary([String: MetadataValue])

    /// A whole number without sign, as ``integer(_:)`` or, beyond `Int64.max`, as ``unsigned(_:)``.
    public init(whole number: UInt64) { self = Int64(exactly: number).map { .integer($0) } ?? .unsigned(number) }
}

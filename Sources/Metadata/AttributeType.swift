// The types of attributes.
// SPDX-License-Identifier: Apache-2.0

/// The type of an attribute's values.
@nonexhaustive
public enum AttributeType: String, Sendable, Hashable {
    case string
    case integer
    case date
    case boolean
    /// A list of strings, as for tags. Compared with one value, it matches if any element does.
    case strings
}

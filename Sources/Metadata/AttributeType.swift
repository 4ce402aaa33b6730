// The types that attributes have.
// SPDX-License-Identifier: Apache-2.0

/// The type of an attribute's values.
public enum AttributeType: String, Sendable, Hashable {
    case string
    case integer
    case date
    case boolean
    /// Several strings, as for tags; compared with `ANY`, `ALL` and `NONE`.
    case strings
}

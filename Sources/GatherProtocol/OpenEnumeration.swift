// Enumerations that may grow: a client takes a value that it does not know for "other".
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An enumeration of an interface, with `other` for the values that a later daemon may add.
package protocol OpenEnumeration: RawRepresentable<String>, JSONMessage, CaseIterable, Hashable {
    /// Stands for every value that is not known here; never written.
    static var other: Self { get }
}

extension OpenEnumeration {
    package init(from reader: inout JSONReader) throws(JSONError) {
        self = Self(rawValue: try reader.readString()) ?? .other
    }

    package func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

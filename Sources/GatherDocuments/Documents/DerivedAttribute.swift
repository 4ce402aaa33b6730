// Extended attributes that follow from the contents of a document.
// SPDX-License-Identifier: Apache-2.0

public import Metadata

/// An extended attribute in the namespace `user` that follows from the contents of a document, so that queries find the file by
/// it (`xattr.NAME`, or `tags` for `xdg.tags`).
public struct DerivedAttribute: Sendable, Hashable {
    /// The name without `user.`.
    public let name: ExtendedAttributeName
    /// The value; nil if the file has no such attribute.
    public let value: [UInt8]?

    /// Makes an attribute. A nil value removes one that the file has.
    public init(_ name: ExtendedAttributeName, _ value: [UInt8]?) {
        self.name = name
        self.value = value
    }
}

/// The size and the time of a file whose contents are known. An application that writes them into a derived attribute tells
/// whether the attribute belongs to the present contents.
public struct ContentsStamp: Sendable, Hashable {
    /// The size in bytes.
    public let size: Int64
    /// The time of the last change of the contents.
    public let modified: Timestamp

    /// Makes a stamp.
    public init(size: Int64, modified: Timestamp) {
        self.size = size
        self.modified = modified
    }
}

// Names of extended attributes, as xattr.NAME has them.
// SPDX-License-Identifier: Apache-2.0

/// The name of an extended attribute of the namespace `user`, without `user.` (`xattr(7)`); ordered as its bytes are.
public struct ExtendedAttributeName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The most bytes that a name may have: what `XATTR_NAME_MAX` leaves beside `user.`.
    public static let maximumByteCount = 250

    /// The name.
    public let text: String

    /// A name; nil where no file can have such an attribute: for no bytes, too many, or a NUL among them.
    public init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= ExtendedAttributeName.maximumByteCount, !bytes.contains(0) else {
            return nil
        }
        self.text = String(text)
    }

    /// The name.
    public var description: String { text }

    /// Whether the bytes are the same, as the kernel has it: two spellings of the same letters are two names.
    public static func == (a: ExtendedAttributeName, b: ExtendedAttributeName) -> Bool {
        a.text.utf8.elementsEqual(b.text.utf8)
    }

    /// Whether the bytes of `a` come first.
    public static func < (a: ExtendedAttributeName, b: ExtendedAttributeName) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

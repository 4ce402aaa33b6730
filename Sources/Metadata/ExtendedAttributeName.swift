// Names of extended attributes.
// SPDX-License-Identifier: Apache-2.0

/// The name of an extended attribute of the namespace `user` (`xattr(7)`), without `user.`. Names are ordered by bytes.
public struct ExtendedAttributeName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The longest name in bytes: `XATTR_NAME_MAX` without `user.`.
    public static let maximumByteCount = 250

    /// The name.
    public let text: String

    /// Makes a name. Nil for an empty one, one that is too long, and one with a NUL.
    public init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= ExtendedAttributeName.maximumByteCount, !bytes.contains(0) else {
            return nil
        }
        self.text = String(text)
    }

    /// The name.
    public var description: String { text }

    /// Whether the bytes are equal. For the kernel, two spellings of the same letters are two names.
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

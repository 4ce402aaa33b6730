// A directory that a caller names as a scope.
// SPDX-License-Identifier: Apache-2.0

/// The path of a directory that a caller names as a scope: an absolute path, or a URI of RFC 8089 for one that is not UTF-8.
struct ScopePath {
    /// The beginning of a URI.
    static let scheme = "file://"

    /// The path without doubled slashes and `.`.
    let bytes: [UInt8]

    /// Nil if the text is no absolute path, or if the path has a NUL or `..`. The file system says where `..` leads, and the index
    /// knows no symbolic links.
    init?(_ text: String) {
        let path: [UInt8]
        if text.hasPrefix(ScopePath.scheme) {
            guard let decoded = ScopePath.decoded(text.utf8.dropFirst(ScopePath.scheme.utf8.count)) else { return nil }
            path = decoded
        } else {
            path = Array(text.utf8)
        }
        guard path.first == UInt8(ascii: "/"), !path.contains(0) else { return nil }
        let parts = path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        guard !parts.contains(where: { $0.elementsEqual("..".utf8) }) else { return nil }
        bytes = [UInt8(ascii: "/")] + parts.joined(separator: [UInt8(ascii: "/")])
    }

    private static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// Whether a directory is, or holds, the one at a path.
    static func holds(_ outer: String, _ inner: [UInt8]) -> Bool {
        if outer == "/" { return true }
        let outer = outer.utf8
        guard inner.count >= outer.count, inner.starts(with: outer) else { return false }
        return inner.count == outer.count || inner[outer.count] == UInt8(ascii: "/")
    }
}

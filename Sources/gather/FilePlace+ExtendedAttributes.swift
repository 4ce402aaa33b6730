// The extended attributes of a file that was named on the command line.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import GatherService
internal import Glibc
internal import LinuxSystem
internal import Metadata

extension FilePlace {
    /// The extended attributes that the caller finds on the file, in the order of their names, but for those with an
    /// attribute of their own; as many as one question may ask for. None where the list cannot be read: their values come
    /// from whoever answers, who may know more or less.
    func extendedAttributes() -> [Attribute] {
        let last = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let above = last == 0 ? [UInt8(ascii: "/")] : Array(path[..<last])
        var list = [CChar](repeating: 0, count: FilePlace.longestList)
        let count = list.withUnsafeMutableBufferPointer { list in
            FilePlace.withCString(above) { above in
                FilePlace.withCString(Array(path[(last + 1)...])) { name in
                    guard let directory = try? Directory.open(above, access: .path) else { return 0 }
                    return (try? ExtendedAttributes.list(of: name, in: directory.number, into: list)) ?? 0
                }
            }
        }
        let own = Set(Attribute.fixed.compactMap(\.extraName))
        let names = list[..<count].split(separator: 0).compactMap { key -> ExtendedAttributeName? in
            let bytes = key.map { UInt8(bitPattern: $0) }
            guard bytes.starts(with: FilePlace.namespace) else { return nil }
            let name = Array(bytes[FilePlace.namespace.count...])
            return own.contains(name)
                ? nil : String(validating: name, as: UTF8.self).flatMap { ExtendedAttributeName($0) }
        }
        return names.sorted().prefix(Limits.extendedAttributes).map { Attribute.extended($0) }
    }

    private static let namespace = Array("user.".utf8)
    /// What a list has at most (xattr(7)).
    private static let longestList = 65_536
}

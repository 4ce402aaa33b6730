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
        var list = [CChar](repeating: 0, count: FilePlace.longestList)
        let count = list.withUnsafeMutableBufferPointer { list in
            FilePlace.withCString(parent) { above in
                FilePlace.withCString(name) { name in
                    guard let directory = try? Directory.open(above, access: .path) else { return 0 }
                    return (try? ExtendedAttributes.list(of: name, in: directory.number, into: list)) ?? 0
                }
            }
        }
        let own = Set(Attribute.fixed.compactMap(\.extraName))
        var names: [ExtendedAttributeName] = []
        list.withUnsafeBytes { list in
            ExtendedAttributes.forEachUserName(in: UnsafeRawBufferPointer(rebasing: list[..<count])) { bytes in
                guard !own.contains(Array(bytes)), let text = String(validating: bytes, as: UTF8.self) else { return }
                if let name = ExtendedAttributeName(text) { names.append(name) }
            }
        }
        return names.sorted().prefix(Limits.extendedAttributes).map { Attribute.extended($0) }
    }

    /// What a list has at most (xattr(7)).
    private static let longestList = 65_536
}

// The extended attributes of a file that was named on the command line.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import GatherService
internal import Glibc
internal import LinuxSystem
internal import Metadata

extension FilePlace {
    /// Returns the extended attributes of the file that have no other name in the language, at most as many as one
    /// question may name. Empty if the list cannot be read. The daemon supplies the values.
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

    /// The largest list of names in bytes (xattr(7)).
    private static let longestList = 65_536
}

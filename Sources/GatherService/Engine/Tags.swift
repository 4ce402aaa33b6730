// Tags as user.xdg.tags holds them.
// SPDX-License-Identifier: Apache-2.0

/// The value of `user.xdg.tags`: UTF-8 tags with commas between them, as the freedesktop.org guidelines for extended
/// attributes and KDE's file metadata have it.
enum Tags {
    /// The tags in a value: blanks around each are trimmed, empty ones left out, and each is named once.
    static func list(from value: UnsafeRawBufferPointer) -> [String] {
        guard !value.isEmpty else { return [] }
        var tags: [String] = []
        for part in value.split(separator: UInt8(ascii: ",")) {
            let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D || $0 == 0 }
            guard let first = part.firstIndex(where: { !blank($0) }), let end = part.lastIndex(where: { !blank($0) })
            else { continue }
            let tag = String(decoding: part[first...end], as: UTF8.self)
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }
}

// The kinds of pictures that the page shows.
// SPDX-License-Identifier: Apache-2.0

/// The kinds of pictures that browsers show and that hold no script, told by their first bytes.
enum PictureType: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"
    case gif = "image/gif"

    /// Returns nil for other contents.
    init?(_ bytes: some Collection<UInt8>) {
        let start = Array(bytes.prefix(12))
        if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if start.starts(with: Array("RIFF".utf8)), start.dropFirst(8).elementsEqual(Array("WEBP".utf8)) {
            self = .webp
        } else if start.starts(with: Array("GIF87a".utf8)) || start.starts(with: Array("GIF89a".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }
}

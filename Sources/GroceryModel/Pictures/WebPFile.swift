// Pictures in WebP, without metadata.
// SPDX-License-Identifier: Apache-2.0

/// Pictures in WebP: a RIFF file with chunks (RFC 9649).
enum WebPFile {
    private static let needed: Set<String> = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]

    /// Returns a file with the chunks that the pixels need. Bytes at its end that are no chunk are dropped.
    static func stripped(_ bytes: [UInt8]) -> [UInt8] {
        var chunks: [UInt8] = []
        var rest = bytes.dropFirst(12)
        while rest.count >= 8 {
            let type = String(decoding: rest.prefix(4), as: UTF8.self)
            let count = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            // Chunks begin at even places.
            let length = 8 + count + count % 2
            var chunk = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            guard needed.contains(type) else { continue }
            // The marks that metadata follow, of Exif and XMP.
            if type == "VP8X", chunk.count > 8 { chunk[8] &= ~0x0C }
            chunks += chunk
        }
        let size = chunks.count + 4
        return Array(bytes.prefix(4)) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
            + Array(bytes.dropFirst(8).prefix(4)) + chunks
    }
}

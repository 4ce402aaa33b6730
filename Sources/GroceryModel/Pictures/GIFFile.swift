// Pictures in GIF, without metadata.
// SPDX-License-Identifier: Apache-2.0

/// Pictures in GIF: a header, blocks and a trailer (GIF89a).
enum GIFFile {
    /// The extensions of applications that animations need.
    private static let animations = ["NETSCAPE2.0", "ANIMEXTS1.0"]

    /// Returns a file without comments, texts and the data of other applications. A file that is cut off keeps its last block.
    static func stripped(_ bytes: [UInt8]) -> [UInt8] {
        var index = 13 + colours(bytes, flags: 10)
        var result = Array(bytes.prefix(index))
        /// Returns the place after blocks of data, which end with an empty one.
        func end(of place: Int) -> Int {
            var place = place
            while place < bytes.count, bytes[place] != 0 { place += Int(bytes[place]) + 1 }
            return min(place + 1, bytes.count)
        }
        while index < bytes.count {
            let start = index
            switch bytes[index] {
            case 0x21:
                let label = index + 1 < bytes.count ? bytes[index + 1] : 0
                index = end(of: index + 2)
                let application = String(decoding: bytes[start..<index].dropFirst(3).prefix(11), as: UTF8.self)
                guard label == 0xF9 || label == 0xFF && animations.contains(application) else { continue }
            case 0x2C: index = end(of: index + 11 + colours(bytes, flags: index + 9))
            default:
                // The trailer. The rest of the file is no part of the picture.
                result.append(bytes[index])
                return result
            }
            result += bytes[min(start, index)..<index]
        }
        return result
    }

    /// The bytes of the table of colours that flags announce.
    private static func colours(_ bytes: [UInt8], flags: Int) -> Int {
        guard flags < bytes.count, bytes[flags] & 0x80 != 0 else { return 0 }
        return 3 << (Int(bytes[flags] & 7) + 1)
    }
}

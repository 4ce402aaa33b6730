// Pictures as a list keeps them.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GroceryModel

@Suite struct PreparedPictureTests {
    private static let secret = Array("SECRET-PLACE".utf8)

    /// A picture whose left half is red and whose right half is blue.
    private static func halves(width: Int, height: Int, channels: Int = 3) -> Pixels {
        var pixels = Pixels(width: width, height: height, channels: channels, bytes: [])
        for _ in 0..<height {
            for x in 0..<width {
                pixels.bytes += x < width / 2 ? [230, 10, 10] : [10, 10, 230]
                if channels == 4 { pixels.bytes.append(255) }
            }
        }
        return pixels
    }

    /// A segment of Exif with an orientation and a place, in either order of bytes.
    private static func exif(_ orientation: UInt8, isLittle: Bool = true) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        let tiff: [UInt8] =
            Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(2, 2)
            // Orientation, and the directory of the place.
            + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(Int(orientation), 2) + number(0, 2)
            + number(0x8825, 2) + number(4, 2) + number(1, 4) + number(38, 4) + number(0, 4) + secret
        return segment(0xE1, Array("Exif\0\0".utf8) + tiff)
    }

    private static func segment(_ code: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let length = contents.count + 2
        return [0xFF, code, UInt8(length >> 8), UInt8(length & 0xFF)] + contents
    }

    private static func jpeg(_ pixels: Pixels, _ segments: [UInt8]) throws -> [UInt8] {
        let plain = try #require(JPEGFile.encoded(pixels))
        return [0xFF, 0xD8] + segments + plain.dropFirst(2)
    }

    private static func chunk(_ type: String, _ contents: [UInt8]) -> [UInt8] {
        let length = contents.count
        // Readers skip chunks that they do not know without a look at the checksum.
        return [UInt8(length >> 24), UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
            + Array(type.utf8) + contents + [0, 0, 0, 0]
    }

    /// A picture in PNG with chunks after its header.
    private static func png(_ pixels: Pixels, _ chunks: [UInt8]) throws -> [UInt8] {
        let plain = try #require(PNGFile.encoded(pixels))
        return Array(plain.prefix(33)) + chunks + plain.dropFirst(33)
    }

    private static func decoded(_ bytes: [UInt8]) throws -> Pixels {
        let file = JPEGFile(bytes)
        let size = try #require(file.decodedSize)
        return try #require(file.decoded(size, atLeast: size))
    }

    private static func hasSecret(_ bytes: [UInt8]) -> Bool {
        [secret, Array("Exif".utf8)].contains { bytes.firstRange(of: $0) != nil }
    }

    @Test(arguments: [true, false]) func `A photo is scaled and turned, and loses its place`(isLittle: Bool) throws {
        let exif = PreparedPictureTests.exif(6, isLittle: isLittle)
        let photo = try PreparedPictureTests.jpeg(PreparedPictureTests.halves(width: 1_600, height: 400), exif)
        let prepared = try PreparedPicture.bytes(photo)
        #expect(!PreparedPictureTests.hasSecret(prepared) && PreparedPictureTests.hasSecret(photo))
        let pixels = try PreparedPictureTests.decoded(prepared)
        // Turned to the right, what was left is on top.
        #expect(pixels.width == 320 && pixels.height == 1_280)
        func isRed(x: Int, y: Int) -> Bool {
            let place = (y * pixels.width + x) * 3
            return pixels.bytes[place] > pixels.bytes[place + 2]
        }
        #expect(isRed(x: 160, y: 20) && isRed(x: 5, y: 600) && !isRed(x: 160, y: 1_260) && !isRed(x: 300, y: 700))
        // Prepared again, it is the same.
        #expect(try PreparedPicture.bytes(prepared) == prepared)
    }

    /// The library and browsers skip these bytes, so they must not hide the segments after them.
    @Test(
        arguments: [
            [0, 0, 0], [0x12, 0x34], [0xFF, 0xFF, 0xFF], [0xFF, 0x00, 0x07], [0xFF, 0x01], [0xFF, 0xD0],
            [0xFF, 0xE5, 0, 0], [0xFF, 0xFE, 0, 2],
        ] as [[UInt8]])
    func `Bytes between segments do not hide the place`(fill: [UInt8]) throws {
        for orientation: UInt8 in [1, 6] {
            // So long that a wrong length leads into the picture.
            let long = PreparedPictureTests.segment(0xFE, [UInt8](repeating: 1, count: 65_000))
            let segments =
                PreparedPictureTests.segment(0xE5, [1]) + fill + PreparedPictureTests.exif(orientation) + fill + long
            let photo = try PreparedPictureTests.jpeg(
                PreparedPictureTests.halves(width: 40, height: 20), segments)
            let prepared = try PreparedPicture.bytes(photo)
            #expect(!PreparedPictureTests.hasSecret(prepared))
            let pixels = try PreparedPictureTests.decoded(prepared)
            #expect(pixels.width == (orientation == 1 ? 40 : 20))
        }
    }

    @Test func `Metadata between scans are dropped`() throws {
        let plain = try PreparedPictureTests.jpeg(PreparedPictureTests.halves(width: 40, height: 20), [])
        let end = plain.count - 2
        let scan = plain[try #require(plain.firstRange(of: [0xFF, 0xDA] as [UInt8])).lowerBound..<end]
        let photo = plain[..<end] + PreparedPictureTests.exif(1) + scan + [0xFF, 0xD9]
        #expect(try PreparedPicture.bytes(Array(photo)) == plain[..<end] + scan + [0xFF, 0xD9])
        // Each scan costs time, and few bytes.
        let scans = [[UInt8]](repeating: Array(scan), count: GroceryLimits.pictureScans).flatMap { $0 }
        let message = GroceryError.message { _ = try PreparedPicture.bytes(plain[..<end] + scans + [0xFF, 0xD9]) }
        #expect(message.contains("more than 100 scans"), "\(message)")
    }

    /// A small file may claim many pixels, and all are held.
    @Test(arguments: [0xC2, 0xC0] as [UInt8])
    func `A progressive picture may have fewer pixels`(code: UInt8) throws {
        var photo = try PreparedPictureTests.jpeg(PreparedPictureTests.halves(width: 40, height: 20), [])
        let frame = try #require(photo.firstRange(of: [0xFF, 0xC0] as [UInt8])).lowerBound
        // 7000 x 7000.
        photo.replaceSubrange(frame + 5..<frame + 9, with: [0x1B, 0x58, 0x1B, 0x58])
        photo[frame + 1] = code
        if code == 0xC0 {
            // The first scan has one colour of three.
            let scan = try #require(photo.firstRange(of: [0xFF, 0xDA] as [UInt8])).lowerBound
            photo.replaceSubrange(scan + 2..<scan + 11, with: [0, 8, 1, 1, 0])
        }
        let message = GroceryError.message { _ = try PreparedPicture.bytes(photo) }
        #expect(message.contains("7000 x 7000 pixels") && message.contains("40000000"), "\(message)")
    }

    /// Browsers show it by its orientation, so that must stay.
    @Test func `A picture of four colours keeps its orientation and loses its place`() throws {
        var photo = try PreparedPictureTests.jpeg(
            PreparedPictureTests.halves(width: 40, height: 20), PreparedPictureTests.exif(6))
        let frame = try #require(photo.firstRange(of: [0xFF, 0xC0] as [UInt8])).lowerBound
        photo.replaceSubrange(frame + 19..<frame + 19, with: [4, 0x11, 0])
        (photo[frame + 3], photo[frame + 9], photo[frame + 11]) = (20, 4, 0x11)
        let scan = try #require(photo.firstRange(of: [0xFF, 0xDA] as [UInt8])).lowerBound
        photo.replaceSubrange(scan + 11..<scan + 11, with: [4, 0])
        (photo[scan + 3], photo[scan + 4]) = (14, 4)
        let file = JPEGFile(photo)
        #expect(try file.decoded(#require(file.decodedSize), atLeast: (40, 20)) == nil)
        let prepared = try PreparedPicture.bytes(photo)
        #expect(prepared.firstRange(of: PreparedPictureTests.secret) == nil)
        let exif = PreparedPictureTests.segment(
            0xE1,
            Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6]
                + [UInt8](repeating: 0, count: 6))
        #expect(prepared.firstRange(of: exif) != nil)
        #expect(try PreparedPicture.bytes(prepared) == prepared)
    }

    @Test func `Each orientation is turned upright`() {
        // The letters stand for pixels, and the rows are as a camera with that orientation has them.
        let upright = "abc/def"
        for (orientation, rows) in [
            (1, "abc/def"), (2, "cba/fed"), (3, "fed/cba"), (4, "def/abc"), (5, "ad/be/cf"), (6, "cf/be/ad"),
            (7, "fc/eb/da"), (8, "da/eb/fc"), (0, "abc/def"), (9, "abc/def"),
        ] {
            let lines = rows.split(separator: "/").map { Array($0.utf8) }
            let turned = Pixels(width: lines[0].count, height: lines.count, channels: 1, bytes: lines.flatMap { $0 })
                .turned(orientation)
            let shown = stride(from: 0, to: turned.bytes.count, by: turned.width).map {
                String(decoding: turned.bytes[$0..<$0 + turned.width], as: UTF8.self)
            }
            #expect(shown.joined(separator: "/") == upright, "\(orientation)")
        }
    }

    @Test func `A small photo keeps its pixels, and loses all metadata but its colours`() throws {
        let pixels = PreparedPictureTests.halves(width: 40, height: 20)
        let profile = PreparedPictureTests.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 7, 7])
        let secret = PreparedPictureTests.secret
        let metadata =
            PreparedPictureTests.exif(1) + PreparedPictureTests.segment(0xFE, secret)
            + PreparedPictureTests.segment(0xED, secret)
            + PreparedPictureTests.segment(0xE2, Array("MPF\0".utf8) + secret)
        let other = try PreparedPictureTests.jpeg(pixels, PreparedPictureTests.exif(1))
        // Behind the end is another picture, as some phones have it.
        let photo = try PreparedPictureTests.jpeg(pixels, metadata + profile) + other
        let prepared = try PreparedPicture.bytes(photo)
        #expect(!PreparedPictureTests.hasSecret(prepared))
        #expect(prepared.firstRange(of: profile) != nil)
        #expect(try PreparedPictureTests.decoded(prepared) == PreparedPictureTests.decoded(photo))
        // The scan is as it was.
        func scan(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
            bytes[(bytes.firstRange(of: [0xFF, 0xDA] as [UInt8])?.lowerBound ?? 0)...]
        }
        #expect(scan(prepared).elementsEqual(scan(photo.dropLast(other.count))))
        // The colours stay with a photo that is compressed again, too.
        let turned = try PreparedPictureTests.jpeg(pixels, PreparedPictureTests.exif(3) + profile)
        #expect(try PreparedPicture.bytes(turned).firstRange(of: profile) != nil)
    }

    @Test func `A picture in PNG is scaled, and loses texts and its place`() throws {
        let (secret, chunk) = (PreparedPictureTests.secret, PreparedPictureTests.chunk)
        let metadata = chunk("eXIf", secret) + chunk("tEXt", Array("Comment\0".utf8) + secret)
        for (width, height, wanted) in [(1_500, 300, (1_280, 256)), (300, 1_281, (300, 1_280)), (64, 32, (64, 32))] {
            let pixels = PreparedPictureTests.halves(width: width, height: height, channels: 4)
            let picture = try PreparedPictureTests.png(pixels, metadata) + secret
            let prepared = try PreparedPicture.bytes(picture)
            #expect(GroceryList.ending(prepared) == "png" && !PreparedPictureTests.hasSecret(prepared))
            let decoded = try #require(PNGFile(prepared).decoded)
            #expect(decoded.width == wanted.0 && decoded.height == wanted.1)
            #expect(decoded.bytes.prefix(4) == [230, 10, 10, 255] && decoded.bytes.suffix(4) == [10, 10, 230, 255])
            if width < 100 { #expect(decoded == pixels) }
        }
    }

    @Test func `Pictures in WebP and GIF lose their metadata`() throws {
        func chunk(_ type: String, _ contents: [UInt8]) -> [UInt8] {
            Array(type.utf8) + [UInt8(contents.count), 0, 0, 0] + contents + (contents.count % 2 == 0 ? [] : [0])
        }
        let secret = PreparedPictureTests.secret
        let pixels = chunk("VP8L", [1, 2, 3])
        func webp(_ chunks: [UInt8]) -> [UInt8] {
            Array("RIFF".utf8) + [UInt8(chunks.count + 4), 0, 0, 0] + Array("WEBP".utf8) + chunks
        }
        let flags = chunk("VP8X", [0x2C, 0, 0, 0, 9, 0, 0, 9, 0, 0])
        let without = chunk("VP8X", [0x20, 0, 0, 0, 9, 0, 0, 9, 0, 0])
        let metadata = chunk("EXIF", secret) + chunk("XMP ", secret + [1])
        #expect(try PreparedPicture.bytes(webp(flags + pixels + metadata)) == webp(without + pixels))
        #expect(try PreparedPicture.bytes(webp(pixels)) == webp(pixels))

        let head = Array("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0, 1, 2, 3, 4, 5, 6]
        let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        let map = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [UInt8(secret.count)] + secret + [0]
        let comment = [0x21, 0xFE, UInt8(secret.count)] + secret + [0]
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 0, 0, 0, 0]
        let image: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        #expect(
            try PreparedPicture.bytes(head + loop + map + control + comment + image + [0x3B] + secret)
                == head + loop + control + image + [0x3B])
    }

    @Test func `HEIC and AVIF are refused with the command that converts them`() {
        for brand in ["heic", "heix", "mif1", "hevc", "msf1", "avif", "avis"] {
            let picture = [0, 0, 0, 24] + Array("ftyp\(brand)".utf8) + [UInt8](repeating: 0, count: 40)
            let message = GroceryError.message { _ = try PreparedPicture.bytes(picture) }
            #expect(message.contains("heif-convert") && message.contains("JPEG"), "\(brand): \(message)")
        }
        #expect(GroceryError.message { _ = try PreparedPicture.bytes(Array("text".utf8)) }.contains("no picture"))
    }

    @Test func `A picture with too many pixels is refused before it is decoded`() throws {
        var picture = try PreparedPictureTests.png(PreparedPictureTests.halves(width: 4, height: 4, channels: 4), [])
        picture.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
        let message = GroceryError.message { _ = try PreparedPicture.bytes(picture) }
        #expect(message.contains("65536 x 65536 pixels") && message.contains("40000000"), "\(message)")
    }

    @Test func `Damaged pictures are no trap, and lose what is found`() throws {
        let (secret, segment, chunk) = (
            PreparedPictureTests.secret, PreparedPictureTests.segment, PreparedPictureTests.chunk
        )
        let small = PreparedPictureTests.halves(width: 24, height: 16)
        let pictures = [
            try PreparedPictureTests.jpeg(small, PreparedPictureTests.exif(6)),
            try PreparedPictureTests.png(
                PreparedPictureTests.halves(width: 24, height: 16, channels: 4), chunk("eXIf", secret)),
            Array("RIFF\u{30}\0\0\0WEBPVP8X\u{A}\0\0\0".utf8) + [UInt8](repeating: 7, count: 30),
            Array("GIF89a".utf8) + [2, 0, 1, 0, 0x87, 0, 0] + [UInt8](repeating: 0x21, count: 40),
        ]
        var random = SeededGenerator(seed: TestLength.seed(19))
        for picture in pictures {
            for count in 0...picture.count { _ = try? PreparedPicture.bytes(Array(picture.prefix(count))) }
            for _ in 0..<500 {
                var bytes = picture
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                _ = try? PreparedPicture.bytes(bytes)
            }
        }
        // Such files were pictures for a list before, and stay so.
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
        #expect(try PreparedPicture.bytes(png) == png)
        let broken = [0xFF, 0xD8] + PreparedPictureTests.exif(1) + segment(0xFE, secret) + [0xFF, 0xDA, 0, 4, 1, 2, 3]
        #expect(try PreparedPicture.bytes(broken) == [0xFF, 0xD8, 0xFF, 0xDA, 0, 4, 1, 2, 3])
    }
}

// Pictures in PNG: their chunks, and their pixels by libpng.
// SPDX-License-Identifier: Apache-2.0

internal import CPNG

/// A picture in PNG.
struct PNGFile {
    private let bytes: [UInt8]
    private static let signature = 8

    /// The chunks that the pixels need. Others may have the place, such as `eXIf` and texts.
    private static let needed: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "bKGD", "pHYs", "acTL",
        "fcTL", "fdAT",
    ]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the picture scaled and without metadata.
    func prepared() throws(GroceryError) -> [UInt8] {
        let header = Array(bytes.dropFirst(PNGFile.signature))
        guard header.count >= 16, header[4..<8].elementsEqual("IHDR".utf8) else { return stripped }
        let (width, height) = (PNGFile.number(header[8..<12]), PNGFile.number(header[12..<16]))
        try PreparedPicture.check(width: width, height: height, most: GroceryLimits.heldPixels)
        guard let wanted = PreparedPicture.size(width: width, height: height), let pixels = decoded,
            let encoded = PNGFile.encoded(pixels.scaled(width: wanted.width, height: wanted.height))
        else { return stripped }
        return encoded
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// The file with the needed chunks. If a file is cut off, its last bytes stay, unless they are of another chunk.
    private var stripped: [UInt8] {
        var result = bytes.prefix(PNGFile.signature)
        var rest = bytes.dropFirst(PNGFile.signature)
        while rest.count >= 8 {
            // A length, a type, the contents and a checksum.
            let length = 12 + PNGFile.number(rest.prefix(4))
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            if PNGFile.needed.contains(type) { result += rest.prefix(length) }
            rest = rest.dropFirst(length)
            // The rest of the file is no part of the picture.
            if type == "IEND" { return Array(result) }
        }
        return Array(result + rest)
    }

    // MARK: Pixels

    /// Red, green, blue and alpha.
    private static let channels = 4
    private static let format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)

    var decoded: Pixels? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        return bytes.withUnsafeBytes { bytes in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else { return nil }
            image.format = PNGFile.format
            var pixels = Pixels(
                width: Int(image.width), height: Int(image.height), channels: PNGFile.channels, bytes: [])
            pixels.bytes = [UInt8](repeating: 0, count: pixels.width * pixels.height * pixels.channels)
            guard png_image_finish_read(&image, nil, &pixels.bytes, 0, nil) != 0 else { return nil }
            return pixels
        }
    }

    static func encoded(_ pixels: Pixels) -> [UInt8]? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        (image.width, image.height) = (png_uint_32(pixels.width), png_uint_32(pixels.height))
        image.format = format
        defer { png_image_free(&image) }
        // The most bytes: the pixels and a filter a row, which zlib may enlarge a little, and the chunks around them.
        let raw = pixels.height * (pixels.width * pixels.channels + 1)
        var count = raw + raw / 100 + 4096
        var result = [UInt8](repeating: 0, count: count)
        guard png_image_write_to_memory(&image, &result, &count, 0, pixels.bytes, 0, nil) != 0 else { return nil }
        return Array(result.prefix(count))
    }
}

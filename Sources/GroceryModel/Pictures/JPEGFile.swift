// Pictures in JPEG: their segments, and their pixels by libjpeg-turbo.
// SPDX-License-Identifier: Apache-2.0

internal import CTurboJPEG

/// A picture in JPEG (ITU-T T.81).
struct JPEGFile {
    /// A marker with the bytes after it, to the next one.
    private struct Segment {
        let code: UInt8
        /// With the marker.
        let bytes: ArraySlice<UInt8>
        /// After the marker and the length.
        var contents: ArraySlice<UInt8> { bytes.dropFirst(4) }
    }

    private let bytes: [UInt8]
    /// The segments before the first scan.
    private var segments: [Segment] = []
    /// All from the first scan on, or from a place that cannot be read.
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rest = bytes.dropFirst(2)
        // A fill byte may precede a marker.
        while let first = rest.first, first == 0xFF, let code = rest.dropFirst().first {
            if code == 0xFF {
                rest = rest.dropFirst()
                continue
            }
            guard code != 0xDA, let high = rest.dropFirst(2).first, let low = rest.dropFirst(3).first else { break }
            let length = 2 + Int(high) << 8 + Int(low)
            guard length >= 4, length <= rest.count else { break }
            segments.append(Segment(code: code, bytes: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }

    /// Returns the picture scaled, turned and without metadata.
    func prepared() throws(GroceryError) -> [UInt8] {
        guard let size = decodedSize else { return stripped }
        try PreparedPicture.check(width: size.width, height: size.height)
        let wanted = PreparedPicture.size(width: size.width, height: size.height)
        // Without a change of its pixels, a picture is not compressed again.
        guard wanted != nil || orientation != 1 else { return stripped }
        guard var pixels = decoded(size, atLeast: wanted ?? size) else { return stripped }
        if let wanted { pixels = pixels.scaled(width: wanted.width, height: wanted.height) }
        guard let encoded = JPEGFile.encoded(pixels.turned(orientation)) else { return stripped }
        let file = JPEGFile(encoded)
        return [0xFF, 0xD8] + file.kept + profile + file.rest
    }

    // MARK: Segments

    /// The file without the segments of metadata, and without what follows its end, such as further pictures.
    private var stripped: [UInt8] { [0xFF, 0xD8] + kept + profile + JPEGFile.scans(rest) }

    /// The segments that the pixels need: not comments, nor those of applications but for JFIF and Adobe.
    private var kept: [UInt8] {
        segments.filter { !(0xE1...0xEF).contains($0.code) && $0.code != 0xFE || $0.code == 0xEE }.flatMap(\.bytes)
    }

    /// The segments with the profile of the colours (ICC.1, annex B.4).
    private var profile: [UInt8] {
        segments.filter { $0.code == 0xE2 && $0.contents.starts(with: Array("ICC_PROFILE\0".utf8)) }.flatMap(\.bytes)
    }

    /// Returns scans to the marker of the end. A scan of its own has segments before it, which are kept: metadata stand at the begin.
    private static func scans(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard bytes.starts(with: [0xFF, 0xDA]) else { return bytes }
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            // The bytes of a scan have no such pair (T.81, B.1.1.5).
            if bytes[index] == 0xFF, bytes[index + 1] == 0xD9 { return bytes[...(index + 1)] }
            index += 1
        }
        return bytes
    }

    /// The value of the tag Orientation in the first directory (Exif 2.32, TIFF 6.0); 1 without one.
    private var orientation: Int {
        guard let exif = segments.first(where: { $0.code == 0xE1 && $0.contents.starts(with: Array("Exif\0\0".utf8)) })
        else { return 1 }
        let tiff = Array(exif.contents.dropFirst(6))
        let isLittle = tiff.starts(with: Array("II".utf8))
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, place + count <= tiff.count else { return nil }
            let bytes = tiff[place..<place + count]
            return (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(4, 4), let count = number(directory, 2) else { return 1 }
        for entry in 0..<count {
            let place = directory + 2 + 12 * entry
            guard let tag = number(place, 2) else { break }
            if tag == 0x0112, let value = number(place + 8, 2), (1...8).contains(value) { return value }
        }
        return 1
    }

    // MARK: Pixels

    private static let channels = 3

    /// The size by the header; nil if the library cannot read it.
    var decodedSize: (width: Int, height: Int)? {
        guard let handle = tjInitDecompress() else { return nil }
        defer { tjDestroy(handle) }
        var (width, height, sampling, space) = (CInt(0), CInt(0), CInt(0), CInt(0))
        guard tjDecompressHeader3(handle, bytes, UInt(bytes.count), &width, &height, &sampling, &space) == 0 else {
            return nil
        }
        return (Int(width), Int(height))
    }

    /// Decodes the picture, in the least size of eighths that has `least` pixels: the library drops the others before it computes them.
    func decoded(_ size: (width: Int, height: Int), atLeast least: (width: Int, height: Int)) -> Pixels? {
        guard let handle = tjInitDecompress() else { return nil }
        defer { tjDestroy(handle) }
        let sizes = (1...8).map { ((size.width * $0 + 7) / 8, (size.height * $0 + 7) / 8) }
        guard let (width, height) = sizes.first(where: { $0.0 >= least.width && $0.1 >= least.height }) else {
            return nil
        }
        var pixels = Pixels(width: width, height: height, channels: JPEGFile.channels, bytes: [])
        pixels.bytes = [UInt8](repeating: 0, count: width * height * pixels.channels)
        let code = tjDecompress2(
            handle, bytes, UInt(bytes.count), &pixels.bytes, CInt(width), 0, CInt(height), CInt(TJPF_RGB.rawValue), 0)
        // A file that is cut off has a warning, and gray pixels.
        guard code == 0 || tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue) else { return nil }
        return pixels
    }

    static func encoded(_ pixels: Pixels) -> [UInt8]? {
        guard let handle = tjInitCompress() else { return nil }
        defer { tjDestroy(handle) }
        var (buffer, count) = (UnsafeMutablePointer<UInt8>?.none, UInt(0))
        defer { tjFree(buffer) }
        let code = tjCompress2(
            handle, pixels.bytes, CInt(pixels.width), 0, CInt(pixels.height), CInt(TJPF_RGB.rawValue), &buffer, &count,
            CInt(TJSAMP_420.rawValue), CInt(GroceryLimits.pictureQuality), 0)
        guard code == 0, let buffer else { return nil }
        return Array(UnsafeBufferPointer(start: buffer, count: Int(count)))
    }
}

// Pictures in JPEG: their segments, and their pixels by libjpeg-turbo.
// SPDX-License-Identifier: Apache-2.0

internal import CTurboJPEG

/// A picture in JPEG (ITU-T T.81).
struct JPEGFile {
    /// A marker with the bytes after it, to the next one.
    private struct Segment {
        let code: UInt8
        /// The length and all that follows it: of the start of a scan (SOS), the scan, too.
        let bytes: ArraySlice<UInt8>
        /// The bytes behind the length.
        var contents: ArraySlice<UInt8> { bytes.dropFirst(2) }
        var file: [UInt8] { [0xFF, code] + bytes }
        /// Whether it is a frame (SOF), not a table (DHT, DAC) or an extension (JPG).
        var isFrame: Bool { (0xC0...0xCF).contains(code) && ![0xC4, 0xC8, 0xCC].contains(code) }
        /// Whether it has a part of the profile of the colours (ICC.1, annex B.4).
        var isProfile: Bool { code == 0xE2 && contents.starts(with: "ICC_PROFILE\0".utf8) }

        /// Whether the pixels need it: frames, tables, scans, JFIF and Adobe. Any other may have the place.
        var isNeeded: Bool {
            switch code {
            case 0xC0...0xCF, 0xDA, 0xDB, 0xDD: true
            case 0xE0: contents.starts(with: "JFIF\0".utf8)
            case 0xEE: contents.starts(with: "Adobe".utf8)
            default: false
            }
        }
    }

    private let bytes: [UInt8]
    /// The segments to the end of the picture, or to one that is cut off.
    private var segments: [Segment] = []
    /// Whether the marker of the end (EOI) is there.
    private var hasEnd = false

    /// Finds the segments as libjpeg does. Bytes between them are no part of the picture. Bytes that a decoder skips
    /// must not hide a segment from this program.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var rest = bytes.dropFirst(2)
        while let marker = rest.firstIndex(of: 0xFF) {
            // Fill bytes may precede the code.
            rest = rest[marker...].drop { $0 == 0xFF }
            guard let code = rest.popFirst() else { break }
            // Not a marker, or one without a length (T.81, table B.1).
            if code == 0 || code == 1 || JPEGFile.restarts.contains(code) { continue }
            hasEnd = code == 0xD9
            guard !hasEnd, let high = rest.first, let low = rest.dropFirst().first else { break }
            var length = max(2, Int(high) << 8 | Int(low))
            guard length <= rest.count else { break }
            if code == 0xDA { length = JPEGFile.endOfScan(bytes, rest.startIndex + length) - rest.startIndex }
            segments.append(Segment(code: code, bytes: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
    }

    private static let restarts: ClosedRange<UInt8> = 0xD0...0xD7

    /// Returns the place of the marker after a scan. In a scan, a zero follows the byte FF, or it begins a restart.
    private static func endOfScan(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count {
            if bytes[index] == 0xFF {
                var next = index + 1
                while next < bytes.count, bytes[next] == 0xFF { next += 1 }
                if next < bytes.count, bytes[next] != 0, !restarts.contains(bytes[next]) { return index }
                index = next
            }
            index += 1
        }
        return bytes.count
    }

    /// Returns the picture scaled, turned and without metadata.
    func prepared() throws(GroceryError) -> [UInt8] {
        guard segments.count(where: { $0.code == 0xDA }) <= GroceryLimits.pictureScans else {
            throw GroceryError(.invalid, "the picture has more than \(GroceryLimits.pictureScans) scans")
        }
        guard let size = decodedSize else { return stripped }
        try PreparedPicture.check(
            width: size.width, height: size.height,
            most: isHeldWhole ? GroceryLimits.heldPixels : GroceryLimits.picturePixels)
        let wanted = PreparedPicture.size(width: size.width, height: size.height)
        // Without a change of its pixels, a picture is not compressed again.
        guard wanted != nil || orientation != 1 else { return stripped }
        guard var pixels = decoded(size, atLeast: wanted ?? size) else { return stripped }
        if let wanted { pixels = pixels.scaled(width: wanted.width, height: wanted.height) }
        guard let encoded = JPEGFile.encoded(pixels.turned(orientation)) else { return stripped }
        return JPEGFile(encoded).file(with: segments.filter(\.isProfile).flatMap(\.file))
    }

    // MARK: Segments

    /// The file without the segments of metadata, and without bytes past its end, such as further pictures. Its pixels
    /// are as they were, so it keeps the orientation: some cannot be decoded here and yet by browsers, such as those of
    /// four colours (CMYK).
    private var stripped: [UInt8] {
        let exif: [UInt8] = [0, 0x22] + Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1]
        // One entry: the tag Orientation, one number of 16 bits. No other directory follows.
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
        let turn = orientation == 1 ? [] : Segment(code: 0xE1, bytes: (exif + entry)[...]).file
        return file(with: turn + segments.filter(\.isProfile).flatMap(\.file))
    }

    /// Returns a file of the needed segments, and of others after those of JFIF and Adobe. Without a scan, it is empty and yet a JPEG.
    private func file(with others: [UInt8]) -> [UInt8] {
        let needed = segments.filter(\.isNeeded)
        let head = needed.prefix { $0.code >= 0xE0 }
        return [0xFF, 0xD8] + head.flatMap(\.file) + others + needed.dropFirst(head.count).flatMap(\.file)
            + (hasEnd || !segments.contains { $0.code == 0xDA } ? [0xFF, 0xD9] : [])
    }

    /// Whether the library holds the whole picture while it decodes it: a scan has not all bits, or not all colours.
    private var isHeldWhole: Bool {
        guard let frame = segments.first(where: \.isFrame), let scan = segments.first(where: { $0.code == 0xDA }) else {
            return true
        }
        return frame.code & 3 == 2 || frame.contents.dropFirst(5).first != scan.contents.first
    }

    /// The value of the tag Orientation in the first directory (Exif 2.32, TIFF 6.0); 1 without one.
    private var orientation: Int {
        let head = segments.prefix { $0.code != 0xDA }
        guard let exif = head.first(where: { $0.code == 0xE1 && $0.contents.starts(with: "Exif\0\0".utf8) }) else {
            return 1
        }
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
        let code = tjDecompressHeader3(handle, bytes, UInt(bytes.count), &width, &height, &sampling, &space)
        // Bytes between segments have a warning.
        guard code == 0 || tjGetErrorCode(handle) == CInt(TJERR_WARNING.rawValue), width > 0, height > 0 else {
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
            handle, bytes, UInt(bytes.count), &pixels.bytes, CInt(width), 0, CInt(height), CInt(TJPF_RGB.rawValue),
            TJFLAG_LIMITSCANS)
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

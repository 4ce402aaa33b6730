// The pixels of a picture.
// SPDX-License-Identifier: Apache-2.0

/// Pixels in rows from the top, each with some bytes, such as red, green and blue.
struct Pixels: Sendable, Hashable {
    var width: Int
    var height: Int
    /// The bytes of a pixel.
    var channels: Int
    var bytes: [UInt8]

    /// Returns the pixels in a smaller size. Each new pixel is the mean of those that it covers, also of parts of them.
    func scaled(width newWidth: Int, height newHeight: Int) -> Pixels {
        // Rows first and then columns: two passes cost less than all covered pixels of each new one.
        let rows = Pixels.shrunk(
            bytes, count: width, to: newWidth, lines: height, step: channels, lineStep: width * channels,
            channels: channels)
        let columns = Pixels.shrunk(
            rows, count: height, to: newHeight, lines: newWidth, step: newWidth * channels, lineStep: channels,
            channels: channels, newLineStep: channels, newStep: newWidth * channels)
        return Pixels(width: newWidth, height: newHeight, channels: channels, bytes: columns)
    }

    /// Shrinks lines of pixels, which are rows or columns.
    private static func shrunk(
        _ bytes: [UInt8], count: Int, to new: Int, lines: Int, step: Int, lineStep: Int, channels: Int,
        newLineStep: Int? = nil, newStep: Int? = nil
    ) -> [UInt8] {
        let (newStep, newLineStep) = (newStep ?? channels, newLineStep ?? new * channels)
        var result = [UInt8](repeating: 0, count: new * lines * channels)
        for place in 0..<new {
            // In units of 1/new of an old pixel: the new pixel covers `count` of them from here.
            let (begin, end) = (place * count, (place + 1) * count)
            let (first, last) = (begin / new, (end - 1) / new)
            for line in 0..<lines {
                for channel in 0..<channels {
                    var sum = 0
                    for old in first...last {
                        let weight = min(end, (old + 1) * new) - max(begin, old * new)
                        sum += weight * Int(bytes[line * lineStep + old * step + channel])
                    }
                    result[line * newLineStep + place * newStep + channel] = UInt8((sum + count / 2) / count)
                }
            }
        }
        return result
    }

    /// Returns the pixels as a person sees them.
    ///
    /// - Parameter orientation: The value of the tag Orientation (Exif 2.32, section 4.6.4), 1 to 8.
    func turned(_ orientation: Int) -> Pixels {
        guard (2...8).contains(orientation) else { return self }
        let isSideways = orientation > 4
        var result = self
        if isSideways { (result.width, result.height) = (height, width) }
        var index = 0
        for y in 0..<result.height {
            for x in 0..<result.width {
                // Those from 5 on have their rows and columns exchanged.
                var (column, row) = isSideways ? (y, x) : (x, y)
                if [2, 3, 7, 8].contains(orientation) { column = width - 1 - column }
                if [3, 4, 6, 7].contains(orientation) { row = height - 1 - row }
                let from = (row * width + column) * channels
                for channel in 0..<channels { result.bytes[index + channel] = bytes[from + channel] }
                index += channels
            }
        }
        return result
    }
}

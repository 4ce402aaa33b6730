// Pictures as a list keeps them: small, upright, and without the place where they were taken.
// SPDX-License-Identifier: Apache-2.0

/// Prepares pictures as the page does before it sends them.
enum PreparedPicture {
    /// Returns a picture whose longest side is ``GroceryLimits/pictureSide``, if it is JPEG or PNG, upright and without metadata. Only
    /// the profile of its colours is kept. WebP and GIF lose their metadata and keep their size. A picture that cannot be decoded loses
    /// its metadata, too, but for the orientation of JPEG.
    ///
    /// - Throws: ``GroceryError/Code/invalid`` for a file that is no picture, and for HEIC and AVIF, with the command that converts it.
    static func bytes(_ bytes: [UInt8]) throws(GroceryError) -> [UInt8] {
        switch GroceryList.ending(bytes) {
        case "jpg": return try JPEGFile(bytes).prepared()
        case "png": return try PNGFile(bytes).prepared()
        case "webp": return WebPFile.stripped(bytes)
        case "gif": return GIFFile.stripped(bytes)
        case "heic", "avif":
            throw GroceryError(
                .invalid,
                "the picture is HEIC or AVIF, which not every browser shows. Convert it with heif-convert from Debian's package "
                    + "libheif-examples: heif-convert PICTURE picture.jpg. An iPhone takes JPEG after Settings, Camera, Formats, "
                    + "Most Compatible")
        default: throw GroceryError(.invalid, "the file is no picture that is known: JPEG, PNG, GIF or WebP")
        }
    }

    /// Returns the size that pixels are scaled to; nil if they are small enough.
    static func size(width: Int, height: Int) -> (width: Int, height: Int)? {
        let (longest, side) = (max(width, height), GroceryLimits.pictureSide)
        guard longest > side else { return nil }
        func scaled(_ length: Int) -> Int { max(1, (length * side + longest / 2) / longest) }
        return (scaled(width), scaled(height))
    }

    /// Refuses a picture that would take too much memory.
    static func check(width: Int, height: Int, most: Int) throws(GroceryError) {
        guard width > 0, height > 0, width <= most / height else {
            throw GroceryError(
                .invalid, "the picture has \(width) x \(height) pixels, and \(most) in all are the most of its kind")
        }
    }
}

// The limits of a grocery list.
// SPDX-License-Identifier: Apache-2.0

/// The limits of a grocery list.
package enum GroceryLimits {
    /// The longest name, quantity, tag or unknown line of an item, in bytes of UTF-8.
    package static let lineBytes = 1_000
    /// The longest note in bytes.
    package static let noteBytes = 64 << 10
    /// The longest file of an item in bytes. A longer one is not taken for an item.
    package static let fileBytes = 256 << 10
    /// The most tags of an item.
    package static let tags = 64
    /// The longest summary in bytes. The file of an item with a longer one is read each time.
    package static let summaryBytes = 1_024
    /// The largest picture in bytes.
    package static let pictureBytes = 16 << 20
    /// The longest side of a picture that a list keeps, in pixels. The page has the same (`PICTURE_SIDE`).
    static let pictureSide = 1_280
    /// The most pixels of a JPEG of one scan before it is scaled. It is scaled while it is decoded, so few of them take memory.
    static let picturePixels = 120_000_000
    /// The most pixels of a picture that is decoded whole before it is scaled, such as PNG and progressive JPEG: each takes up to six
    /// bytes of memory, and a small file may claim many.
    static let heldPixels = 40_000_000
    /// The most scans of a picture. Encoders make about ten. Each may have few bytes and passes over all pixels, which takes 18 ms for
    /// ``heldPixels``.
    static let pictureScans = 100
    /// The quality of a picture that is compressed again, of 100. The page has the same.
    static let pictureQuality = 82
    /// The fewest characters of an identifier's beginning that name an item.
    package static let shortestBeginning = 4
    /// The changes of each author that can be undone.
    package static let undoSteps = 50
    /// The largest change that can be undone, in bytes of the items before and after it.
    package static let undoBytes = 256 << 10
    /// The longest name of a change, in bytes.
    static let undoActionBytes = 800
    /// The longest identifier of a browser that makes changes, in bytes.
    package static let browserBytes = 40
    /// The most browsers whose changes can be undone. The one that has changed nothing for the longest time goes first.
    static let browsers = 32
    /// The attempts to merge versions that other programs save at the same time.
    package static let mergeAttempts = 8
}

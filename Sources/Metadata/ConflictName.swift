// The names of conflict versions, as Syncthing writes them.
// SPDX-License-Identifier: Apache-2.0

/// The name of a conflict version: `NAME.sync-conflict-YYYYMMDD-HHMMSS-DEVICE.EXT`.
///
/// Where two versions of a file were saved independently, one stays current under the name of the file. The other lies
/// beside it under such a name. The form is Syncthing's. The extension is the part from the last dot of the name on, so
/// `a.tar.gz` has `a.tar.sync-conflict-….gz`, and `.hidden` has `.sync-conflict-….hidden`. Syncthing leaves the device empty
/// (`…-HHMMSS-.EXT`) where it does not know it. The names of early versions end with the time (`…-HHMMSS.EXT`).
///
/// A version in conflict is a regular file with such a name that lies below no archive (`.gather`, `.stversions`). A version
/// of a version belongs to the file that the first one belongs to.
public struct ConflictName: Sendable, Hashable {
    /// The name of the file that the version belongs to, as bytes. It is no name of a conflict version.
    public let original: [UInt8]
    /// The date and time in the name, 15 bytes of ASCII such as `20261125-140509`. It is the local time of the machine
    /// that found the conflict.
    public let time: String
    /// The device in the name: the one whose version became the current one, not the author of this version. Seven
    /// characters of base32 (RFC 4648), or none.
    public let device: String
    /// The name, as bytes.
    public let bytes: [UInt8]

    /// The text before the date.
    package static let marker = Array(".sync-conflict-".utf8)
    /// The number of characters of a device.
    public static let deviceLength = 7
    /// The number of bytes that a name grows by. A file name may have 255 (`NAME_MAX`), so longer names than
    /// ``longestOriginal`` cannot have a conflict version.
    private static let addedBytes = leastAddedBytes + 1 + deviceLength
    /// The number of bytes that a name grows by without a device.
    package static let leastAddedBytes = marker.count + timeLength
    /// The longest name of a file that can have conflict versions, in bytes.
    public static let longestOriginal = 255 - addedBytes

    private static let timeLength = 15
    private static let dot = UInt8(ascii: ".")

    /// Takes a name apart; nil if it does not have the form. A file called `.sync-conflict-20261125-140509-ABCDEFG` with
    /// nothing around belongs to no file, and is not a version. Complexity: O(length), mostly one comparison of each byte.
    public init?(_ name: some Collection<UInt8>) {
        self.init(bytes: Array(name))
    }

    /// Takes a name apart; nil if it does not have the form.
    public init?(_ name: String) { self.init(bytes: Array(name.utf8)) }

    private init?(bytes: [UInt8]) {
        guard let range = ConflictName.insertion(in: bytes.span) else { return nil }
        let time = bytes[(range.lowerBound + ConflictName.marker.count)...].prefix(ConflictName.timeLength)
        self.time = String(decoding: time, as: UTF8.self)
        device = String(decoding: bytes[range.dropFirst(ConflictName.leastAddedBytes + 1)], as: UTF8.self)
        var original = bytes
        original.removeSubrange(range)
        while let inner = ConflictName.insertion(in: original.span) { original.removeSubrange(inner) }
        self.original = original
        self.bytes = bytes
    }

    /// Returns the bytes that make a name the name of a conflict version: from the marker to the device. Nil if the name
    /// does not have the form. The name without them may be that of a conflict version again. Allocates nothing.
    package static func insertion(in name: Span<UInt8>) -> Range<Int>? {
        // The rest is at most one extension, so the marker of the last version in a name is found from its end.
        guard name.count > leastAddedBytes else { return nil }
        var extensionStart = name.count
        // The extension: from the last dot on, which may be the marker's own.
        var index = name.count - 1
        while index >= 0, name[index] != dot { index -= 1 }
        guard index >= 0 else { return nil }
        if !isInsertion(name, endingAt: name.count, markerAt: index) { extensionStart = index }
        // At most one of the three lengths has the marker at its start.
        var start = -1
        for length in [addedBytes, leastAddedBytes + 1, leastAddedBytes] where length <= extensionStart {
            let marker = extensionStart - length
            if isInsertion(name, endingAt: extensionStart, markerAt: marker) { start = marker }
        }
        guard start >= 0 else { return nil }
        // `.` and `..` are no names of files.
        guard start + name.count - extensionStart > 2 || hasOtherByte(name, ..<start, extensionStart...) else {
            return nil
        }
        return start..<extensionStart
    }

    private static func hasOtherByte(
        _ name: Span<UInt8>, _ head: PartialRangeUpTo<Int>, _ tail: PartialRangeFrom<Int>
    ) -> Bool {
        for index in name.indices where head.contains(index) || tail.contains(index) {
            if name[index] != dot { return true }
        }
        return false
    }

    private static func isInsertion(_ name: Span<UInt8>, endingAt end: Int, markerAt start: Int) -> Bool {
        let endingLength = end - start - leastAddedBytes
        guard endingLength == 0 || endingLength == 1 || endingLength == 1 + deviceLength else { return false }
        for offset in 0..<marker.count where name[start + offset] != marker[offset] { return false }
        let time = start + marker.count
        for offset in 0..<timeLength {
            let byte = name[time + offset]
            guard offset == 8 ? byte == UInt8(ascii: "-") : isDigit(byte) else { return false }
        }
        func number(_ offset: Int) -> UInt8 { (name[time + offset] - 48) * 10 + name[time + offset + 1] - 48 }
        // A second of 60 is a leap second.
        guard 1...12 ~= number(4), 1...days(ofMonth: number(4), century: number(0), year: number(2)) ~= number(6),
            number(9) < 24, number(11) < 60, number(13) <= 60,
            endingLength == 0 || name[time + timeLength] == UInt8(ascii: "-")
        else { return false }
        for offset in 1..<max(1, endingLength) where !isBase32(name[time + timeLength + offset]) { return false }
        return true
    }

    /// The days of a month in the Gregorian calendar. `year` is the one of the century.
    private static func days(ofMonth month: UInt8, century: UInt8, year: UInt8) -> UInt8 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: (year == 0 ? century : year).isMultiple(of: 4) ? 29 : 28
        default: 31
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isBase32(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") || byte >= UInt8(ascii: "2") && byte <= UInt8(ascii: "7")
    }

    /// Returns whether a text can be the device in a name: seven characters of base32 in upper case.
    public static func isDevice(_ text: some StringProtocol) -> Bool {
        text.utf8.count == deviceLength && text.utf8.allSatisfy(isBase32)
    }

    // MARK: Making names

    /// Makes the name of a version of a file.
    ///
    /// - Parameters:
    ///   - original: The name of the file, or of one of its versions.
    ///   - time: Date and time, as ``time`` has them.
    ///   - device: See ``device``.
    /// - Returns: Nil if the name is longer than ``longestOriginal``, empty, `.` or `..`, has a slash or a NUL, or if the time or
    ///   the device does not have its form.
    public init?(of original: [UInt8], time: String, device: String) {
        let original = ConflictName(bytes: original)?.original ?? original
        guard !original.isEmpty, original.count <= ConflictName.longestOriginal, original != [ConflictName.dot],
            original != [ConflictName.dot, ConflictName.dot], !original.contains(UInt8(ascii: "/")),
            !original.contains(0), ConflictName.isDevice(device)
        else { return nil }
        let stem = original.lastIndex(of: ConflictName.dot) ?? original.endIndex
        let added = ConflictName.marker + Array("\(time)-\(device)".utf8)
        self.init(bytes: original[..<stem] + added + original[stem...])
        guard self.original == original, self.time == time, self.device == device else { return nil }
    }
}

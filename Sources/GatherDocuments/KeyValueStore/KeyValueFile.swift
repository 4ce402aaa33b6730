// The contents of a store's file, and their format.
// SPDX-License-Identifier: Apache-2.0

internal import SaveFiles

/// The contents of one file of a store.
///
/// The first line is `gather key-values VERSION LENGTH CHECKSUM`: the version of the format, the length of the rest in bytes, and
/// its ``StableHash``. The rest begins with the line `clock TIME COUNTER OTHERS`, where `OTHERS` is ``hasSeenOthers`` as 0 or 1. Then
/// each line is an entry, by the bytes of the keys: `TIME COUNTER DEVICE "KEY" VALUE`, or `-` instead of the value for a removed key. ``KeyValueText`` describes text and values.
struct KeyValueFile: Sendable {
    /// The version of the format that is written, and the latest that is read.
    static let version = 1
    private static let magic = Array("gather key-values ".utf8)
    private static let longestHeader = 80

    var clock = KeyValueClock()
    var table = KeyValueTable()
    /// Whether its writer has merged files of other devices.
    var hasSeenOthers = false

    init(clock: KeyValueClock = KeyValueClock(), table: KeyValueTable = KeyValueTable(), hasSeenOthers: Bool = false) {
        self.clock = clock
        self.table = table
        self.hasSeenOthers = hasSeenOthers
    }

    /// The bytes of the file. Complexity: O(size + keys log keys).
    var bytes: [UInt8] {
        var body = Array("clock \(clock.time) \(clock.counter) \(hasSeenOthers ? 1 : 0)\n".utf8)
        let entries = table.entries.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for entry in entries {
            body += "\(entry.stamp.time) \(entry.stamp.counter) \(entry.stamp.device) ".utf8
            KeyValueText.append(entry.key, to: &body)
            body.append(KeyValueFile.blank)
            if entry.isTombstone { body.append(KeyValueFile.tombstone) } else { body += entry.text }
            body.append(KeyValueFile.newline)
        }
        let header = "\(KeyValueFile.version) \(body.count) \(StableHash.text(of: body))\n"
        return KeyValueFile.magic + Array(header.utf8) + body
    }

    /// Reads the bytes of a file. A byte order mark and line ends of Windows, which other programs leave, count as part
    /// of the contents.
    init(_ bytes: [UInt8]) throws(KeyValueProblem.Reason) {
        let bytes = KeyValueFile.asWritten(bytes)
        guard bytes.starts(with: KeyValueFile.magic),
            let end = bytes.prefix(KeyValueFile.longestHeader).firstIndex(of: KeyValueFile.newline)
        else { throw .damaged }
        let header = bytes[KeyValueFile.magic.count..<end].split(
            separator: KeyValueFile.blank, omittingEmptySubsequences: false)
        let body = bytes[(end + 1)...]
        guard let first = header.first.map({ String(decoding: $0, as: UTF8.self) }), let version = Int(first),
            version > 0
        else { throw .damaged }
        guard version <= KeyValueFile.version else { throw .newerFormat(version: version) }
        guard header.count == 3, header[1].elementsEqual("\(body.count)".utf8),
            header[2].elementsEqual(StableHash.text(of: body).utf8), read(body)
        else { throw .damaged }
    }

    /// Returns the bytes without the marks of editors on Windows. No text has a line end but those of the lines.
    private static func asWritten(_ bytes: [UInt8]) -> [UInt8] {
        let rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let carriageReturn = UInt8(ascii: "\r")
        guard let end = rest.prefix(longestHeader).firstIndex(of: newline), end > rest.startIndex,
            rest[end - 1] == carriageReturn
        else { return Array(rest) }
        return rest.filter { $0 != carriageReturn }
    }

    private mutating func read(_ body: ArraySlice<UInt8>) -> Bool {
        var reader = KeyValueReader(body)
        guard reader.word(until: KeyValueFile.blank) == "clock", let (time, counter) = KeyValueFile.reading(&reader),
            reader.skip(KeyValueFile.blank), let others = reader.integer(), 0...1 ~= others,
            reader.skip(KeyValueFile.newline)
        else { return false }
        hasSeenOthers = others == 1
        clock.observe(time: time, counter: counter)
        while !reader.isAtEnd {
            guard let entry = KeyValueFile.entry(&reader), table[entry.key] == nil else { return false }
            table.merge(entry)
        }
        return true
    }

    private static func reading(_ reader: inout KeyValueReader) -> (time: Int64, counter: Int64)? {
        guard let time = reader.integer(), 0...KeyValueLimits.latestTime ~= time, reader.skip(blank),
            let counter = reader.integer(), 0...KeyValueLimits.largestCounter ~= counter
        else { return nil }
        return (time, counter)
    }

    private static func entry(_ reader: inout KeyValueReader) -> KeyValueEntry? {
        guard let (time, counter) = reading(&reader), reader.skip(blank), let device = reader.word(until: blank),
            KeyValueFileName.isDevice(device), let key = reader.text(), key.utf8.count <= KeyValueLimits.longestKey,
            reader.skip(blank)
        else { return nil }
        let stamp = KeyValueStamp(time: time, counter: counter, device: device)
        if reader.skip(tombstone) {
            return reader.skip(newline) ? KeyValueEntry(key: key, stamp: stamp, value: nil) : nil
        }
        let start = reader.position
        guard let value = reader.value() else { return nil }
        let text = reader.bytes(since: start)
        guard reader.skip(newline) else { return nil }
        return KeyValueEntry(key: key, stamp: stamp, value: value, text: text)
    }

    private static let blank = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")
    private static let tombstone = UInt8(ascii: "-")
}

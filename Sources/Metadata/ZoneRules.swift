// The rules of one time zone, for zones other than that of the process.
// SPDX-License-Identifier: Apache-2.0

/// The rules of one time zone: the transitions of a file of the time zone database (RFC 9636), and the rule behind them.
///
/// The C library has one zone for a process. A daemon answers callers in several. Leap seconds of the zones below `right/` are
/// not counted.
package final class ZoneRules: Sendable {
    /// The moments at which the offset changes, ascending.
    private let transitions: [Int64]
    /// The offset from each transition on, in seconds east of UTC.
    private let offsets: [Int32]
    /// The offset before the first transition.
    private let firstOffset: Int32
    /// The rule after the last transition; nil if the last offset stays.
    private let rule: ZoneRule?

    private init(transitions: [Int64], offsets: [Int32], firstOffset: Int32, rule: ZoneRule?) {
        self.transitions = transitions
        self.offsets = offsets
        self.firstOffset = firstOffset
        self.rule = rule
    }

    /// Universal time.
    package static let utc = ZoneRules(transitions: [], offsets: [], firstOffset: 0, rule: nil)

    /// Reads a text of tzset(3), such as `CET-1CEST,M3.5.0,M10.5.0/3`; nil for another text. A colon and a name of the database
    /// are no such text.
    package convenience init?(text: String) {
        guard let rule = ZoneRule(text) else { return nil }
        self.init(transitions: [], offsets: [], firstOffset: 0, rule: rule)
    }

    /// Reads the bytes of a file of the database; nil for another file. Complexity: O(bytes).
    package convenience init?(file: [UInt8]) {
        guard var header = FileHeader(file[...]) else { return nil }
        var body = file.dropFirst(FileHeader.size)
        var width = 4
        if header.version >= UInt8(ascii: "2") {
            // The second part has the same with wider numbers.
            guard let size = header.bodySize(width: 4), body.count >= size else { return nil }
            body = body.dropFirst(size)
            guard let second = FileHeader(body) else { return nil }
            (header, width) = (second, 8)
            body = body.dropFirst(FileHeader.size)
        }
        guard header.types > 0, let size = header.bodySize(width: width), body.count >= size else { return nil }
        var reader = Reader(rest: body.prefix(size))
        let footer = width == 8 ? body.dropFirst(size) : []
        var transitions: [Int64] = []
        for _ in 0..<header.times { transitions.append(reader.number(width)) }
        let indices = (0..<header.times).map { _ in Int(reader.number(1) & 0xFF) }
        let types = (0..<header.types).map { _ in
            (offset: Int32(truncatingIfNeeded: reader.number(4)), isDaylight: reader.number(1) != 0, reader.number(1))
        }
        guard zip(transitions, transitions.dropFirst()).allSatisfy({ $0 < $1 }),
            indices.allSatisfy(types.indices.contains),
            types.allSatisfy({ $0.offset.magnitude <= ZoneRule.largestOffset })
        else { return nil }
        // The text between two line ends; empty where nothing is known of the future.
        var rule: ZoneRule?
        if let text = footer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropFirst().first,
            !text.isEmpty
        {
            guard let read = ZoneRule(String(decoding: text, as: UTF8.self)) else { return nil }
            rule = read
        }
        let first = types.first { !$0.isDaylight } ?? types[0]
        self.init(
            transitions: transitions, offsets: indices.map { types[$0].offset }, firstOffset: first.offset, rule: rule)
    }

    /// Returns the seconds by which local time is ahead of UTC. Complexity: O(log transitions).
    package func offset(at moment: Int64) -> Int64 {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= moment { low = middle + 1 } else { high = middle }
        }
        if low == transitions.count, let rule { return rule.offset(at: moment) }
        return Int64(low == 0 ? firstOffset : offsets[low - 1])
    }

    /// A number that equal rules have in every run (FNV-1a).
    package var fingerprint: UInt64 {
        var hash = FNV1a()
        for transition in transitions { hash.combine(word: UInt64(bitPattern: transition)) }
        for offset in offsets { hash.combine(word: UInt64(bitPattern: Int64(offset))) }
        hash.combine(word: UInt64(bitPattern: Int64(firstOffset)))
        hash.combine((rule?.text ?? "").utf8)
        return hash.value
    }

    /// The numbers at the beginning of each part of a file.
    private struct FileHeader {
        static let size = 44
        let version: UInt8
        /// Indicators of UTC and of standard time, leap seconds, transitions, types, and bytes of names.
        let universals: Int, standards: Int, leaps: Int, times: Int, types: Int, characters: Int

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= FileHeader.size, bytes.starts(with: "TZif".utf8) else { return nil }
            version = bytes[bytes.startIndex + 4]
            var reader = Reader(rest: bytes.dropFirst(20))
            let counts = (0..<6).map { _ in Int(truncatingIfNeeded: reader.number(4)) }
            // A file has no more of anything than bytes.
            guard counts.allSatisfy({ $0 >= 0 && $0 <= bytes.count }) else { return nil }
            (universals, standards, leaps) = (counts[0], counts[1], counts[2])
            (times, types, characters) = (counts[3], counts[4], counts[5])
        }

        /// The bytes of the part behind the header.
        func bodySize(width: Int) -> Int? {
            times * width + times + types * 6 + characters + leaps * (width + 4) + standards + universals
        }
    }

    /// Reads big-endian numbers, and zeros behind the end.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func number(_ width: Int) -> Int64 {
            var value: UInt64 = 0
            for _ in 0..<width { value = value << 8 | UInt64(rest.popFirst() ?? 0) }
            let unused = UInt64(64 - 8 * width)
            return Int64(bitPattern: value << unused) >> Int64(unused)
        }
    }
}

extension ZoneRules: Hashable {
    package static func == (a: ZoneRules, b: ZoneRules) -> Bool {
        a === b
            || a.transitions == b.transitions && a.offsets == b.offsets && a.firstOffset == b.firstOffset
                && a.rule?.text == b.rule?.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}

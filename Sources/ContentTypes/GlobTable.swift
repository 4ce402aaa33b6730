// The globs of the MIME database, and the type that they give a name.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The globs of the MIME database. If several match a name, the greatest weight wins, then the longest glob, then the
/// first in the database. The exact name is tried first, and the name in lower case only if no glob matches: `main.C`
/// is C++, `IMAGE.GIF` a picture.
///
/// Nearly all globs are `*.suffix`, found by one table look-up for each dot of the name; a glob without special
/// characters takes one look-up.
struct GlobTable: Sendable {
    /// A glob's type and rank.
    struct Rule: Sendable {
        let type: UInt16
        /// Weight, then length, then position in the database; the greatest wins.
        let rank: UInt64
        let isCaseSensitive: Bool
    }

    private let whole: ByteTable
    /// By suffix, which begins with a dot.
    private let suffixes: ByteTable
    /// Other suffixes, such as `~`.
    private let odd: [(bytes: [UInt8], rule: Rule)]
    /// The patterns left to fnmatch(3), each ended by a NUL.
    private let patterns: [(text: [CChar], rule: Rule)]

    var isEmpty: Bool { whole.isEmpty && suffixes.isEmpty && odd.isEmpty && patterns.isEmpty }

    func type(of name: UnsafeRawBufferPointer) -> ContentTypeDatabase.TypeNumber? {
        if let rule = match(name, isFolded: false) { return .init(rawValue: rule.type) }
        guard name.contains(where: ASCII.isCapital) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: name.count, alignment: 1) { folded in
            for index in name.indices { folded[index] = ASCII.lowercased(name[index]) }
            return match(UnsafeRawBufferPointer(folded), isFolded: true).map { .init(rawValue: $0.type) }
        }
    }

    private func match(_ name: UnsafeRawBufferPointer, isFolded: Bool) -> Rule? {
        var best: Rule?
        func consider(_ rule: Rule) {
            if isFolded && rule.isCaseSensitive { return }
            if let known = best, known.rank >= rule.rank { return }
            best = rule
        }
        whole.forEach(name, consider)
        for index in name.indices where name[index] == UInt8(ascii: ".") {
            suffixes.forEach(UnsafeRawBufferPointer(rebasing: name[index...]), consider)
        }
        for (bytes, rule) in odd where name.count >= bytes.count && name.suffix(bytes.count).elementsEqual(bytes) {
            consider(rule)
        }
        guard !patterns.isEmpty else { return best }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { text in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: name)
            text[name.count] = 0
            guard let base = text.baseAddress else { return }
            for (pattern, rule) in patterns where fnmatch(pattern, base, 0) == 0 { consider(rule) }
        }
        return best
    }
}

extension GlobTable {
    /// Reads `globs2` files. A later file overrides an earlier one.
    struct Builder {
        private struct Line {
            let weight: UInt64
            let type: String
            let glob: [UInt8]
            let isCaseSensitive: Bool
        }

        private var lines: [Line] = []

        /// Adds a file with lines `weight:type:glob` and optional `:flags`, of which only `cs` is known. The glob
        /// `__NOGLOBS__` removes the earlier globs of its type.
        mutating func add(_ bytes: [UInt8]) {
            var added: [Line] = []
            for line in meaningfulLines(of: bytes) {
                let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
                guard fields.count >= 3, let weight = UInt8(Substring(fields[0])), !fields[1].isEmpty,
                    !fields[2].isEmpty,
                    !fields[2].contains(0)
                else { continue }
                let type = String(Substring(fields[1]))
                if fields[2].elementsEqual("__NOGLOBS__".utf8) {
                    lines.removeAll { $0.type == type }
                    added.removeAll { $0.type == type }
                    continue
                }
                let flags = fields.count > 3 ? fields[3].split(separator: UInt8(ascii: ",")) : []
                let isCaseSensitive = flags.contains { $0.elementsEqual("cs".utf8) }
                let glob = isCaseSensitive ? Array(fields[2]) : fields[2].map(ASCII.lowercased)
                // update-mime-database writes a case-sensitive glob twice, the second time without flags for older
                // readers.
                if let last = added.last, last.isCaseSensitive, !isCaseSensitive, last.type == type,
                    last.glob.map(ASCII.lowercased) == glob
                {
                    continue
                }
                added.append(Line(weight: UInt64(weight), type: type, glob: glob, isCaseSensitive: isCaseSensitive))
            }
            // The first of equal globs wins, so an overriding file stands before the files that it overrides.
            lines = added + lines
        }

        /// Returns the table and the types by number, with `others` added at the end.
        func finish(adding others: [String]) -> (GlobTable, [String]) {
            var types: [String] = []
            var numbers: [String: UInt16] = [:]
            var whole = ByteTable.Builder()
            var suffixes = ByteTable.Builder()
            var odd: [(bytes: [UInt8], rule: Rule)] = []
            var patterns: [(text: [CChar], rule: Rule)] = []
            for (order, line) in lines.enumerated() {
                let number: UInt16
                if let known = numbers[line.type] {
                    number = known
                } else {
                    // Type numbers have 16 bits; a type beyond them is left out. No database has so many.
                    guard types.count + others.count < Int(UInt16.max) else { continue }
                    number = UInt16(types.count)
                    numbers[line.type] = number
                    types.append(line.type)
                }
                let earliness = UInt64(UInt32.max) - UInt64(min(order, Int(UInt32.max)))
                let length = UInt64(min(line.glob.count, 0xFFFF))
                let rule = Rule(
                    type: number, rank: line.weight << 48 | length << 32 | earliness,
                    isCaseSensitive: line.isCaseSensitive)
                let isSpecial: (UInt8) -> Bool = { "*?[\\".utf8.contains($0) }
                if !line.glob.contains(where: isSpecial) {
                    whole.add(line.glob, rule)
                } else if line.glob.first == UInt8(ascii: "*"), !line.glob.dropFirst().contains(where: isSpecial) {
                    let suffix = Array(line.glob.dropFirst())
                    if suffix.first == UInt8(ascii: ".") {
                        suffixes.add(suffix, rule)
                    } else {
                        odd.append((suffix, rule))
                    }
                } else {
                    patterns.append((line.glob.map(CChar.init(bitPattern:)) + [0], rule))
                }
            }
            let table = GlobTable(whole: whole.finish(), suffixes: suffixes.finish(), odd: odd, patterns: patterns)
            return (table, types + others)
        }
    }
}

// Which type a name has, by the globs of the database.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The globs of the database. A name takes the type of the glob that matches it with the greatest weight, of several the
/// longest, of several the one that the database has first. Globs are held against the name as it is; only where none
/// matches against the name in small letters, since `main.C` is C++ and `IMAGE.GIF` a picture.
///
/// Nearly all globs are `*.suffix`, found in one table for each dot of the name; so are those without a special character.
struct GlobTable: Sendable {
    /// A glob and what it says.
    struct Rule: Sendable {
        let type: UInt16
        /// Weight, then length, then how early it stands: the greatest wins.
        let rank: UInt64
        let isCaseSensitive: Bool
    }

    private let whole: ByteTable
    /// By suffix, which begins with a dot.
    private let suffixes: ByteTable
    /// Other suffixes, such as `~`.
    private let odd: [(bytes: [UInt8], rule: Rule)]
    /// What fnmatch(3) has to decide, ended by a NUL.
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
    /// Reads `globs2` files, the one that decides last.
    struct Builder {
        private struct Line {
            let weight: UInt64
            let type: String
            let glob: [UInt8]
            let isCaseSensitive: Bool
        }

        private var lines: [Line] = []

        /// Adds a file: `weight:type:glob` and perhaps `:flags`, of which only `cs` is known. The glob `__NOGLOBS__` takes
        /// away what was said of its type before.
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
                // update-mime-database writes what is case-sensitive twice, the second time for readers that know no flags.
                if let last = added.last, last.isCaseSensitive, !isCaseSensitive, last.type == type,
                    last.glob.map(ASCII.lowercased) == glob
                {
                    continue
                }
                added.append(Line(weight: UInt64(weight), type: type, glob: glob, isCaseSensitive: isCaseSensitive))
            }
            // Of equals the first wins, and a file that decides stands before those that it was laid over.
            lines = added + lines
        }

        /// The table, and the types by number, with others added at the end.
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
                    // No database has so many; what is beyond has no type.
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

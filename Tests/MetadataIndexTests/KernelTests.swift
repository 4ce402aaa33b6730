// The block scans against a look at each row.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import MetadataIndex

@Suite struct KernelTests {
    /// An index whose blocks are full, with gaps, in part full and with names out of order.
    private static func sample(_ seed: UInt64) throws -> (index: MetadataIndex, generator: SeededGenerator) {
        var pair = Pair(seed: seed)
        var rows: [Row] = []
        for number in 0..<9_500 {
            var name =
                pair.anyName().prefix(pair.chance(99) ? 240 : 4_000) + Array("-\(number)".utf8)
                + (pair.chance(30) ? Array(".txt".utf8) : [])
            // The first one of the second block. Its length stands before it, and begins with an "a".
            if number == 4_095 { name = [UInt8](repeating: 120, count: 0x0161)[...] }
            var status = pair.anyStatus()
            status.size =
                pair.chance(50)
                ? .random(in: -3...3, using: &pair.generator) : .random(in: .min ... .max, using: &pair.generator)
            status.inode = pair.chance(80) ? status.inode : .max
            status.device = pair.chance(80) ? status.device : .max
            status.created = pair.chance(5) ? Timestamp(nanoseconds: .min) : status.created
            let row = try name.withUnsafeBytes {
                try pair.index.insert(
                    parent: pair.chance(1) ? rows.last(where: pair.isDirectory) ?? .root : .root, name: $0,
                    status: status)
            }
            if pair.chance(40) { try pair.index.setXattrs(row, pair.anyXattrs()) }
            rows.append(row)
        }
        #expect(rows[4_095].number == Block.capacity)
        // The second block keeps its order; the others get gaps and names behind their neighbours'.
        for row in rows where row.number < 3_000 || row.number > 8_192 {
            guard pair.index.isLive(row) else { continue }
            if pair.chance(20) {
                try pair.index.remove(row)
            } else if pair.chance(10) {
                let name = Array("moved-\(row.number)".utf8)
                try name.withUnsafeBytes { try pair.index.move(row, to: .root, name: $0) }
            }
        }
        for number in 0..<200 { _ = try pair.index.insertFiles(["late-\(number).txt"], below: .root) }
        // Gaps only, in the block whose names are in order.
        for row in rows where (5_000..<5_300).contains(row.number) && pair.index.isLive(row) {
            try pair.index.remove(row)
        }
        #expect(pair.index.checkInvariants() == nil)
        return (pair.index, pair.generator)
    }

    private static func anyBits(_ generator: inout SeededGenerator) -> BlockBitmap {
        var bits = BlockBitmap(all: true)
        let style = Int.random(in: 0..<4, using: &generator)
        for word in 0..<64 {
            switch style {
            case 0: break
            case 1: bits.words[word] = generator.next()
            case 2: bits.words[word] = generator.next() & generator.next() & generator.next()
            default: bits.words[word] = [0, .max, 1, 1 << 63].randomElement(using: &generator)!
            }
        }
        return bits
    }

    /// Runs a scan over random rows of each block and compares with `expected` for each row.
    private static func check(
        _ snapshot: IndexSnapshot, _ generator: inout SeededGenerator, _ what: String,
        _ scan: (Int, inout BlockBitmap) -> Void, expected: (Row) -> Bool
    ) {
        for block in 0..<snapshot.blockCount {
            var asked = snapshot.liveRows(inBlock: block)
            asked.formIntersection(anyBits(&generator))
            var bits = asked
            scan(block, &bits)
            var wrong = 0
            for place in 0..<IndexSnapshot.rowsPerBlock {
                let row = IndexSnapshot.row(block: block, place: place)
                if bits[place] != (asked[place] && expected(row)) { wrong += 1 }
            }
            #expect(wrong == 0, "\(what), block \(block)")
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func liveRowsAreTheItems(seed: UInt64) throws {
        let snapshot = try KernelTests.sample(seed).index.snapshot()
        var count = 0
        for block in 0..<snapshot.blockCount {
            let bits = snapshot.liveRows(inBlock: block)
            count += bits.count
            bits.forEach { #expect(snapshot.isLive(IndexSnapshot.row(block: block, place: $0))) }
        }
        #expect(count == snapshot.count)
        #expect(!snapshot.liveRows(inBlock: 0)[0])
        #expect(snapshot.blockCount == 3)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func integersAreCompared(seed: UInt64) throws {
        var (index, generator) = try KernelTests.sample(seed)
        let snapshot = index.snapshot()
        for column in IntegerColumn.allCases {
            for comparison in IntegerComparison.allCases {
                let constant: Int64 = [-1, 0, 1, 2, 5, 0o644, .max, .min].randomElement(using: &generator)!
                KernelTests.check(snapshot, &generator, "seed \(seed), \(column) \(comparison) \(constant)") {
                    snapshot.select(column, comparison, constant, inBlock: $0, among: &$1)
                } expected: { row in
                    let status = snapshot.status(of: row)
                    let value: Int64? =
                        switch column {
                        case .size: status.size
                        case .created: status.created?.nanoseconds
                        case .modified: status.modified.nanoseconds
                        case .changed: status.changed.nanoseconds
                        case .inode: Int64(bitPattern: status.inode)
                        case .links: Int64(status.links)
                        case .owner: Int64(status.owner)
                        case .group: Int64(status.group)
                        case .mode: Int64(status.mode)
                        case .device: Int64(bitPattern: status.device)
                        }
                    guard let value else { return false }
                    func number(_ value: Int64) -> Int128 {
                        column.isUnsigned ? Int128(UInt64(bitPattern: value)) : Int128(value)
                    }
                    return switch comparison {
                    case .equal: value == constant
                    case .notEqual: value != constant
                    case .less: number(value) < number(constant)
                    case .lessOrEqual: number(value) <= number(constant)
                    case .greater: number(value) > number(constant)
                    case .greaterOrEqual: number(value) >= number(constant)
                    }
                }
            }
        }
        KernelTests.check(snapshot, &generator, "created known") {
            snapshot.selectCreatedKnown(inBlock: $0, among: &$1)
        } expected: {
            snapshot.status(of: $0).created != nil
        }
    }

    @Test(arguments: TestLength.part(of: [5, 6] as [UInt64], oneIn: 2))
    func namesAreMatched(seed: UInt64) throws {
        var (index, generator) = try KernelTests.sample(seed)
        let snapshot = index.snapshot()
        let all = index.children(of: .root)
        let names = (0..<12).map { _ in
            snapshot.withName(of: all.randomElement(using: &generator)!) { Array($0) }
        }
        var literals: [[UInt8]] = [
            [], Array("a".utf8), Array(".txt".utf8), Array("late-1".utf8), Array("moved-".utf8), Array("zzzz".utf8),
            [0x61, 0], Array(repeating: 97, count: 255), Array(repeating: 98, count: 256),
            Array(repeating: 97, count: 700), Array(repeating: 98, count: 4_094),
        ]
        for name in names {
            literals.append(name)
            let from = Int.random(in: 0..<name.count, using: &generator)
            literals.append(Array(name[..<from]))
            literals.append(Array(name[from...]))
            literals.append(Array(name[from..<Int.random(in: from...name.count, using: &generator)]))
            literals.append(name + [97])
        }
        for literal in literals {
            for match in NameMatch.allCases {
                KernelTests.check(snapshot, &generator, "seed \(seed), \(match) \(literal)") { block, bits in
                    literal.withUnsafeBytes { snapshot.select(match, $0, inBlock: block, among: &bits) }
                } expected: { row in
                    snapshot.withName(of: row) { name in
                        switch match {
                        case .equal: name.elementsEqual(literal)
                        case .prefix: name.starts(with: literal)
                        case .suffix: name.reversed().starts(with: literal.reversed())
                        case .infix:
                            literal.count <= name.count
                                && (0...name.count - literal.count).contains {
                                    name[$0..<$0 + literal.count].elementsEqual(literal)
                                }
                        }
                    }
                }
            }
        }
        KernelTests.check(snapshot, &generator, "seed \(seed), names by a closure") { block, bits in
            snapshot.select(namesMatching: { $0.count % 3 == 0 }, inBlock: block, among: &bits)
        } expected: {
            snapshot.withName(of: $0) { $0.count % 3 == 0 }
        }
    }

    /// ASCII names are kept exactly if they have the literal but for case, up to what eight bytes tell of a
    /// beginning or an end. No other name is left out.
    @Test(arguments: TestLength.part(of: [13, 14] as [UInt64], oneIn: 2))
    func candidatesHaveTheFoldedLiteral(seed: UInt64) throws {
        var (index, generator) = try KernelTests.sample(seed)
        for (number, name) in ["Straße", "É", "ab\u{301}c", "x\u{FB01}le.PDF", "[{@`", "K\u{212A}k"].enumerated() {
            for _ in 0..<20 {
                let row = Row(UInt32.random(in: 1..<9_000, using: &generator))
                guard index.isLive(row) else { continue }
                let bytes = Array("\(name)-\(number)-\(row.number)\(name)".utf8)
                try bytes.withUnsafeBytes { try index.move(row, to: .root, name: $0) }
            }
        }
        #expect(index.checkInvariants() == nil)
        func lowered(_ bytes: some Sequence<UInt8>) -> [UInt8] {
            bytes.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        }
        let snapshot = index.snapshot()
        let all = index.children(of: .root)
        var literals = ["a", ".txt", "late-1", "moved-", "zzzz", "{", "-1", "ssz"].map { Array($0.utf8) }
        for _ in 0..<20 {
            let name = snapshot.withName(of: all.randomElement(using: &generator)!) { lowered($0) }
            let from = Int.random(in: 0..<name.count, using: &generator)
            literals.append(Array(name[..<(from + 1)]))
            literals.append(Array(name[from...]))
            literals.append(Array(name[from...Int.random(in: from..<name.count, using: &generator)]))
        }
        for literal in literals where literal.allSatisfy({ $0 < 0x80 }) {
            for match in NameMatch.allCases {
                var wrong: [Row] = []
                for block in 0..<snapshot.blockCount {
                    var asked = snapshot.liveRows(inBlock: block)
                    asked.formIntersection(KernelTests.anyBits(&generator))
                    var bits = asked
                    literal.withUnsafeBytes {
                        snapshot.selectCandidates(match, folded: $0, inBlock: block, among: &bits)
                    }
                    for place in 0..<IndexSnapshot.rowsPerBlock {
                        let row = IndexSnapshot.row(block: block, place: place)
                        guard asked[place] else {
                            if bits[place] { wrong.append(row) }
                            continue
                        }
                        let name = snapshot.withName(of: row) { Array($0) }
                        let text = lowered(name)
                        let isPlain = name.allSatisfy { $0 < 0x80 }
                        let holds =
                            switch match {
                            case .equal: text == literal
                            case .prefix: text.starts(with: literal)
                            case .suffix: text.reversed().starts(with: literal.reversed())
                            case .infix:
                                literal.count <= text.count
                                    && (0...text.count - literal.count).contains {
                                        text[$0..<$0 + literal.count].elementsEqual(literal)
                                    }
                            }
                        if holds && !bits[place] { wrong.append(row) }
                        // Wherever bytes beyond ASCII stand, something may fold to the literal.
                        if !isPlain && match == .infix && !bits[place] { wrong.append(row) }
                        if !isPlain && text.count < literal.count && !bits[place] { wrong.append(row) }
                        if isPlain && match == .infix && bits[place] != holds { wrong.append(row) }
                        if isPlain && bits[place] && match != .infix && text.count >= literal.count {
                            let near = min(8, literal.count)
                            let part = match == .suffix ? text.suffix(near) : text.prefix(near)
                            let wanted = match == .suffix ? literal.suffix(near) : literal.prefix(near)
                            let isNear = zip(part, wanted).allSatisfy { $0 | 0x20 == $1 | 0x20 }
                            // The last names of a block are not looked at closely.
                            if !isNear && literal.count > 3 && place < 4_000 && block < 2 { wrong.append(row) }
                        }
                    }
                }
                #expect(wrong.isEmpty, "seed \(seed), \(match) \(String(decoding: literal, as: UTF8.self))")
            }
        }
    }

    @Test(arguments: [7, 8] as [UInt64])
    func kindsAndExtendedAttributes(seed: UInt64) throws {
        var (index, generator) = try KernelTests.sample(seed)
        let snapshot = index.snapshot()
        for kinds in [[.file], [.directory, .package], [], [.blockDevice, .symlink], FileKind.allCases] as [[FileKind]]
        {
            KernelTests.check(snapshot, &generator, "seed \(seed), \(kinds)") {
                snapshot.select(kinds: kinds, inBlock: $0, among: &$1)
            } expected: {
                kinds.contains(snapshot.kind(of: $0))
            }
        }
        for matches in [{ $0 == nil }, { $0?.isEmpty == true }, { $0?.tags.contains("red") == true }]
            as [(ExtraAttributes?) -> Bool]
        {
            KernelTests.check(snapshot, &generator, "seed \(seed), extras") {
                snapshot.select(xattrMatching: matches, inBlock: $0, among: &$1)
            } expected: {
                matches(snapshot.xattrs(of: $0))
            }
        }
        #expect(index.count == snapshot.count)
    }

    @Test(arguments: [10, 12] as [UInt64])
    func scopesAreKept(seed: UInt64) throws {
        var (index, generator) = try KernelTests.sample(seed)
        for _ in 0..<60 {
            let directories = index.allRows.filter { index.isLive($0) && index.kind(of: $0).isDirectory }
            let one = directories.randomElement(using: &generator)!
            let other = directories.randomElement(using: &generator)!
            let name = Array("nested-\(generator.next())".utf8)
            try? name.withUnsafeBytes { try index.move(one, to: other, name: $0) }
        }
        let snapshot = index.snapshot()
        let directories = index.allRows.filter { index.isLive($0) && index.firstChild(of: $0) != nil }
        for top in [Row.root] + directories.shuffled(using: &generator).prefix(12) {
            var filter = ScopeFilter(snapshot, below: top)
            var below: Set<Row> = []
            snapshot.forEachDescendant(of: top) { below.insert($0).inserted }
            KernelTests.check(snapshot, &generator, "seed \(seed), below \(top)") {
                filter.select(inBlock: $0, among: &$1)
            } expected: {
                let isBelow = $0 != top && snapshot.isWithin($0, top)
                #expect(below.contains($0) == isBelow)
                return isBelow
            }
        }
    }

    @Test(arguments: [9, 11] as [UInt64])
    func directoriesAndAccounts(seed: UInt64) throws {
        var (index, generator) = try KernelTests.sample(seed)
        let snapshot = index.snapshot()
        for modulus in [1, 2, 3] as [UInt32] {
            KernelTests.check(snapshot, &generator, "seed \(seed), directories by \(modulus)") {
                snapshot.select(directoryMatching: { $0.number % modulus == 0 }, inBlock: $0, among: &$1)
            } expected: {
                snapshot.parent(of: $0).number % modulus == 0
            }
            for groups in [true, false] {
                KernelTests.check(snapshot, &generator, "seed \(seed), accounts by \(modulus)") {
                    snapshot.select(
                        groups: groups, accountMatching: { $0 % modulus == 0 }, inBlock: $0, among: &$1)
                } expected: {
                    let status = snapshot.status(of: $0)
                    return (groups ? status.group : status.owner) % modulus == 0
                }
            }
        }
        #expect(index.count == snapshot.count)
    }

    /// Names are written anew when most of them are garbage. An empty slot behind the row that gets a name then must not
    /// hide that name.
    @Test func aNameWrittenBeforeAnEmptySlotIsFound() throws {
        let index = MetadataIndex(root: .sample(.directory))
        let first = try index.insert("first", below: .root, .sample(.file))
        let second = try index.insert("second", below: .root, .sample(.file))
        try index.remove(try index.insert("third", below: .root, .sample(.file)))
        for round in 0..<2_000 {
            try index.move(second, to: .root, "Item_\(round)")
            let snapshot = index.snapshot()
            var bits = snapshot.liveRows(inBlock: 0)
            Array("tem_".utf8).withUnsafeBytes { snapshot.select(.infix, $0, inBlock: 0, among: &bits) }
            #expect(bits.count == 1 && bits[Int(second.number)], "round \(round)")
        }
        #expect(index.isLive(first))
    }

    @Test func bitmapsCombine() {
        var generator = SeededGenerator(seed: 9)
        let a = KernelTests.anyBits(&generator)
        let b = KernelTests.anyBits(&generator)
        var both = a
        both.formIntersection(b)
        var either = a
        either.formUnion(b)
        var rest = a
        rest.subtract(b)
        var places: [Int] = []
        either.forEach { places.append($0) }
        #expect(places == (0..<4_096).filter { a[$0] || b[$0] })
        for place in 0..<4_096 {
            #expect(both[place] == (a[place] && b[place]) && rest[place] == (a[place] && !b[place]))
        }
        #expect(either.count == both.count + rest.count + (0..<4_096).count { b[$0] && !a[$0] })
        var odd = either
        odd.filter { $0 % 2 == 1 }
        #expect(odd.count == places.count { $0 % 2 == 1 })
        #expect(BlockBitmap().isEmpty && !BlockBitmap(all: true).isEmpty && BlockBitmap(all: true).count == 4_096)
    }

    /// Needles at every place around the steps of sixteen bytes.
    @Test func bytesAreFound() {
        var generator = SeededGenerator(seed: 11)
        for length in [0, 1, 5, 15, 16, 17, 31, 32, 33, 64, 200] {
            for needle in [[97], [97, 98], [97, 97], [97, 98, 97], Array(repeating: 97, count: 17)] as [[UInt8]] {
                let bytes = (0..<length).map { _ in UInt8.random(in: 97...98, using: &generator) }
                var found: [Int] = []
                needle.withUnsafeBytes { needle in
                    bytes.withUnsafeBytes { bytes in ByteSearch(needle).forEach(in: bytes) { found.append($0) } }
                }
                let expected = (0..<max(0, length - needle.count + 1)).filter {
                    Array(bytes[$0..<$0 + needle.count]) == needle
                }
                #expect(found == expected, "\(length) \(needle)")
            }
        }
    }
}

extension Pair {
    func isDirectory(_ row: Row) -> Bool { index.isLive(row) && index.kind(of: row).isDirectory }
}

// Sort orders against comparisons written out.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@Suite struct SortOrderTests {
    /// Natural order as one would write it for two names: pieces of digits and of other bytes, one after the other.
    private static func naturalOrder(_ a: String, _ b: String) -> Int {
        func pieces(_ text: String) -> [(number: String?, byte: UInt8)] {
            var result: [(String?, UInt8)] = []
            var digits = ""
            for byte in Array(text.utf8) + [0] {
                if (48...57).contains(byte) {
                    digits.append(Character(UnicodeScalar(byte)))
                    continue
                }
                if !digits.isEmpty {
                    let significant = digits.drop { $0 == "0" }
                    result.append((significant.isEmpty ? "0" : String(significant), 48))
                    digits = ""
                }
                result.append((nil, (65...90).contains(byte) ? byte + 32 : byte))
            }
            return result.dropLast()
        }
        let (first, second) = (pieces(a), pieces(b))
        for (left, right) in zip(first, second) {
            if let x = left.number, let y = right.number {
                if x.count != y.count { return x.count - y.count }
                if x != y { return x < y ? -1 : 1 }
            } else if left.byte != right.byte {
                return Int(left.byte) - Int(right.byte)
            } else if (left.number == nil) != (right.number == nil) {
                return left.number != nil ? -1 : 1
            }
        }
        return first.count - second.count
    }

    private static func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    private static func text(_ a: String?, _ b: String?) -> Int {
        guard let a, let b else { return (a == nil ? 0 : 1) - (b == nil ? 0 : 1) }
        let natural = naturalOrder(a, b)
        return natural != 0 ? natural : order(Array(a.utf8), Array(b.utf8))
    }

    private static func number<T: Comparable>(_ a: T?, _ b: T?) -> Int {
        guard let a, let b else { return (a == nil ? 0 : 1) - (b == nil ? 0 : 1) }
        return a < b ? -1 : a > b ? 1 : 0
    }

    private static func compare(_ attribute: Attribute, _ a: NaiveView, _ b: NaiveView) -> Int {
        func fileExtension(_ name: String) -> String? {
            guard let dot = name.lastIndex(of: "."), name.index(after: dot) != name.endIndex else { return nil }
            return String(name[name.index(after: dot)...])
        }
        func account(_ number: UInt32, _ named: [UInt32: String]) -> String { named[number] ?? "\(number)" }
        return switch attribute {
        case .name: text(a.name, b.name)
        case .path: text(a.path, b.path)
        case .fileExtension: text(fileExtension(a.name), fileExtension(b.name))
        case .kind: text("\(a.kind)", "\(b.kind)")
        case .size: number(a.status.size, b.status.size)
        case .created: number(a.status.created, b.status.created)
        case .modified: number(a.status.modified, b.status.modified)
        case .owner:
            text(
                account(a.status.owner, [0: "root", 1_000: "anna"]),
                account(b.status.owner, [0: "root", 1_000: "anna"]))
        case .depth: number(a.depth, b.depth)
        case .scope: text(a.isInDocuments ? "documents" : "data", b.isInDocuments ? "documents" : "data")
        case .hidden: number(a.name.hasPrefix(".") ? 1 : 0, b.name.hasPrefix(".") ? 1 : 0)
        case .inPackage: number(a.isInPackage ? 1 : 0, b.isInPackage ? 1 : 0)
        case .isConflictVersion: number(a.version == nil ? 0 : 1, b.version == nil ? 0 : 1)
        case .conflictOf: text(a.conflictOf, b.conflictOf)
        case .conflictDevice: text(a.version?.device, b.version?.device)
        case .conflictDate: number(a.version?.date, b.version?.date)
        case .hasUnresolvedConflicts: number(a.conflicts > 0 ? 1 : 0, b.conflicts > 0 ? 1 : 0)
        case .conflictVersions: number(a.conflicts, b.conflicts)
        case .tags: text(a.tags.first, b.tags.first)
        case .comment: text(a.comment, b.comment)
        case .rating: number(a.rating, b.rating)
        case .target: text(a.target, b.target)
        case .extended(let name): text(a.xattrs[name.text], b.xattrs[name.text])
        case .mode: number(a.status.mode, b.status.mode)
        default: 0
        }
    }

    private static let sortable: [Attribute] =
        [
            .name, .path, .fileExtension, .kind, .size, .created, .modified, .owner, .depth, .scope, .hidden, .tags,
            .mode,
            .container, .inPackage, .comment, .rating, .target, .isConflictVersion, .conflictOf, .conflictDevice,
            .conflictDate, .hasUnresolvedConflicts, .conflictVersions,
        ] + ["a", "b-c"].compactMap { ExtendedAttributeName($0) }.map { .extended($0) }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func anyKeysSortAsWrittenOut(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tree = NaiveTree()
        for _ in 0..<400 { try tree.randomChange(&generator, size: 120) }
        for _ in 0..<60 { try tree.randomConflict(&generator, size: 120) }
        let snapshot = tree.index.snapshot()
        let environment = PlanEnvironment.test(tree.index)
        let plan = QueryPlan(try Predicate(parsing: "size != 200", mode: .metadata), environment: environment)
        let selection = try plan.select(in: snapshot)
        let views = tree.views.filter { $0.status.size != 200 }.sorted { $0.id.row < $1.id.row }
        for _ in 0..<12 {
            let keys = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                SortOrder.Key(generator.pick(Self.sortable), ascending: !generator.chance(2))
            }
            // `sorted` of the standard library is stable.
            let expected = views.enumerated().sorted { a, b in
                for key in keys {
                    let order = Self.compare(key.attribute, a.element, b.element)
                    if order != 0 { return (order < 0) == key.isAscending }
                }
                return a.offset < b.offset
            }.map(\.element.id.row)
            let order = SortOrder(keys)
            #expect(
                try order.apply(to: selection, in: snapshot, environment: environment) == expected,
                "seed \(seed): \(keys)")
            for limit in [0, 1, 7, expected.count, expected.count + 5] {
                #expect(
                    try order.apply(to: selection, in: snapshot, environment: environment, limit: limit)
                        == Array(expected.prefix(limit)), "seed \(seed): \(keys), \(limit)")
            }
        }
    }

    private func sorted(_ names: [String], ascending: Bool = true, limit: Int? = nil) throws -> [String] {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        for name in names {
            _ = try Array(name.utf8).withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file))
            }
        }
        let environment = PlanEnvironment.test(index)
        let everything = QueryPlan(try Predicate(parsing: "", mode: .metadata), environment: environment)
        let rows = try SortOrder([SortOrder.Key(.name, ascending: ascending)]).apply(
            to: try everything.select(in: index.snapshot()), in: index.snapshot(), environment: environment,
            limit: limit)
        return rows.map { row in index.withName(of: row) { String(decoding: $0, as: UTF8.self) } }
    }

    @Test func namesSortNaturally() throws {
        let expected: [String] = [
            "A1", "a1", "a01", "A2", "a2", "a2b", "a2b3", "a10", "a10b", "ab", "Z", "z", "z-1", "ü",
        ]
        .enumerated().sorted { Self.text($0.element, $1.element) < 0 }.map(\.element)
        #expect(expected.firstIndex(of: "a2")! < expected.firstIndex(of: "a10")!)
        #expect(try sorted(expected.reversed()) == expected)
        #expect(try sorted(expected, ascending: false) == expected.reversed())
        let long = ["9" + String(repeating: "0", count: 250), "1" + String(repeating: "0", count: 251), "2"]
        #expect(try sorted(long) == [long[2], long[0], long[1]])
        let control = ["a", "a\u{1}", "a\u{1}b", "a\u{2}", "ab"]
        #expect(try sorted(control.reversed()) == control)
    }

    @Test func containersSortAsOne() throws {
        func source(_ container: String, _ root: String, _ names: [String]) throws -> SortOrder.Source {
            let index = MetadataIndex(root: NaiveTree.status(.directory))
            for name in names {
                _ = try Array(name.utf8).withUnsafeBytes {
                    try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file))
                }
            }
            var environment = PlanEnvironment.test(index)
            environment.container = container
            environment.rootPath = Array(root.utf8)
            let everything = QueryPlan(try Predicate(parsing: "", mode: .metadata), environment: environment)
            return SortOrder.Source(
                selection: try everything.select(in: index.snapshot()), snapshot: index.snapshot(),
                environment: environment)
        }
        let sources = [
            try source("m", "/srv/z", ["a", "c"]), try source("n", "/srv/b", ["b", "d"]), try source("a", "", ["c"]),
        ]
        func sorted(_ keys: SortOrder.Key...) throws -> [String] {
            try SortOrder(keys).apply(to: sources).map { place in
                let source = sources[place.source]
                let name = source.snapshot.withName(of: place.row) { String(decoding: $0, as: UTF8.self) }
                return source.environment.container + ":" + name
            }
        }
        #expect(try sorted(SortOrder.Key(.name)) == ["m:a", "n:b", "m:c", "a:c", "n:d"])
        #expect(try sorted(SortOrder.Key(.path)) == ["a:c", "n:b", "n:d", "m:a", "m:c"])
        #expect(
            try sorted(SortOrder.Key(.container, ascending: false), SortOrder.Key(.name))
                == ["n:b", "n:d", "m:a", "m:c", "a:c"])
    }

    @Test func memoryOfSortKeysIsBounded() throws {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        for number in 0..<5_000 {
            let row = try Array("n\(number)".utf8).withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file))
            }
            try index.setXattrs(
                row, ExtraAttributes([(Array("xdg.comment".utf8), Array("comment \(4_999 - number)".utf8))]))
        }
        let environment = PlanEnvironment.test(index)
        let everything = QueryPlan(try Predicate(parsing: "", mode: .metadata), environment: environment)
        let snapshot = index.snapshot()
        let source = SortOrder.Source(
            selection: try everything.select(in: snapshot), snapshot: snapshot, environment: environment)
        let order = SortOrder([SortOrder.Key(.comment)])
        #expect(throws: SortOrder.Failure.tooManyBytes(50_000)) {
            try order.apply(to: [source], maximumBytes: 50_000)
        }
        // If few are wanted, no more are kept than there is room for.
        let first = try order.apply(to: [source], limit: 10, maximumBytes: 5_000)
        #expect(first.map { snapshot.withName(of: $0.row) { String(decoding: $0, as: UTF8.self) } }.first == "n4999")
        #expect(try first == Array(order.apply(to: [source]).prefix(10)))
        // Where hardly any room is left beside them, each row that comes before them would have all sorted again.
        #expect(throws: SortOrder.Failure.tooManyBytes(5_000)) {
            try order.apply(to: [source], limit: 300, maximumBytes: 5_000)
        }
        let ended = ScanGuard(nanoseconds: .max)
        ended.cancel()
        #expect(throws: SortOrder.Failure.cancelled) { try order.apply(to: [source], guard: ended) }
    }

    @Test func aRepeatedKeyIsSortedByOnce() {
        let keys = [SortOrder.Key(.comment), SortOrder.Key(.size), SortOrder.Key(.comment, ascending: false)]
        #expect(SortOrder(keys).keys == [SortOrder.Key(.comment), SortOrder.Key(.size)])
    }

    /// Enough rows that what does not fit is dropped on the way.
    @Test func aLimitKeepsTheFirst() throws {
        var generator = SeededGenerator(seed: 7)
        let names = (0..<6_000).map { "n\($0)" }
        let shuffled = names.shuffled(using: &generator)
        #expect(try sorted(shuffled, limit: 10) == Array(names.prefix(10)))
        #expect(try sorted(shuffled, limit: 1_500) == Array(names.prefix(1_500)))
        #expect(try sorted(shuffled, ascending: false, limit: 3) == ["n5999", "n5998", "n5997"])
    }
}

// Distinct values against counting item by item.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import LiveQueries
import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@Suite struct ValueTallyTests {
    /// The values under which an item counts, each as text that tells it apart from the others.
    private static func values(_ attribute: Attribute, _ view: NaiveView, epoch: UInt64, _ viewer: UInt32?) -> [String]
    {
        switch attribute {
        case .name, .displayName: return [view.name]
        case .path: return ["/srv/box/" + view.path]
        case .fileExtension:
            guard let dot = view.name.lastIndex(of: "."), view.name.index(after: dot) != view.name.endIndex else {
                return []
            }
            return [String(view.name[view.name.index(after: dot)...])]
        case .container: return ["box"]
        case .scope: return [view.isInDocuments ? "documents" : "data"]
        case .kind: return [view.kind.name.description]
        case .size: return ["\(view.status.size)"]
        case .created: return view.status.created.map { [$0.rfc3339] } ?? []
        case .modified: return [view.status.modified.rfc3339]
        case .owner: return [String(decoding: TestAccounts().user(view.status.owner), as: UTF8.self)]
        case .group: return [String(decoding: TestAccounts().group(view.status.group), as: UTF8.self)]
        case .ownerID: return ["\(view.status.owner)"]
        case .mode: return ["\(view.status.mode)"]
        case .depth: return ["\(view.depth)"]
        case .hidden: return ["\(view.name.hasPrefix("."))"]
        case .inPackage: return ["\(view.isInPackage)"]
        case .isConflictVersion: return ["\(view.version != nil)"]
        case .conflictOf: return view.conflictOf.map { ["/srv/box/" + $0] } ?? []
        case .conflictDevice: return view.version?.device.map { [$0] } ?? []
        case .conflictDate: return view.version.map { [Timestamp(seconds: $0.date, nanoseconds: 0).rfc3339] } ?? []
        case .hasUnresolvedConflicts: return ["\(view.conflicts > 0)"]
        case .conflictVersions: return ["\(view.conflicts)"]
        case .id: return [view.id.text(epoch: epoch)]
        case .tags:
            return Set(open(view, viewer).tags).sorted()
        case .comment: return open(view, viewer).comment.map { [$0] } ?? []
        case .rating: return open(view, viewer).rating.map { ["\($0)"] } ?? []
        case .target: return view.target.map { [$0] } ?? []
        case .extended(let name): return open(view, viewer).xattrs[name.text].map { [$0] } ?? []
        case .contentType, .contentTypeTree:
            let type: String
            switch view.kind {
            case .directory: type = "inode/directory"
            case .symlink: type = "inode/symlink"
            case .file, .package:
                let name = view.name.lowercased()
                if name.hasSuffix(".jpg") {
                    type = "image/jpeg"
                } else if name.hasSuffix(".txt") {
                    type = "text/plain"
                } else if view.kind == .package {
                    type = "inode/directory"
                } else {
                    return []
                }
            default: return []
            }
            return attribute == .contentType ? [type] : PlanEnvironment.types.tree(of: type)
        default: return []
        }
    }

    private static func open(_ view: NaiveView, _ viewer: UInt32?) -> NaiveView {
        viewer.map { view.readers.contains($0) } ?? true ? view : view.closed
    }

    private static func text(_ value: MetadataValue) -> String? {
        switch value {
        case .none: nil
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .string(let value): value
        case .date(let value): value.rfc3339
        default: "?"
        }
    }

    private static let attributes: [Attribute] =
        [ExtendedAttributeName("a"), ExtendedAttributeName("xdg.tags")]
        .compactMap { $0.map { .extended($0) } } + [
            .comment, .rating, .target,
            .name, .path, .fileExtension, .container, .scope, .kind, .size, .created, .modified, .owner, .group,
            .ownerID,
            .isConflictVersion, .conflictOf, .conflictDevice, .conflictDate, .hasUnresolvedConflicts, .conflictVersions,
            .mode, .depth, .hidden, .inPackage, .id, .tags, .contentType, .contentTypeTree,
        ]

    private struct Counted: Equatable, CustomStringConvertible {
        var text: String?
        var count: Int
        var description: String { "\(text ?? "-"): \(count)" }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func countsAreThoseOfTheItems(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tree = NaiveTree()
        for _ in 0..<400 { try tree.randomChange(&generator, size: 120) }
        for _ in 0..<60 { try tree.randomConflict(&generator, size: 120) }
        let snapshot = tree.index.snapshot()
        let everything = tree.views
        let root = FileAccess(mode: 0o777, owner: 0, group: 0, accessList: .none)
        for query in ["", "size != 200", "name CONTAINS 'a'", "FALSEPREDICATE"] {
            for user in [nil] + NaiveTree.viewers.map(Optional.some) {
                let viewer = user.map { Viewer(Credentials(user: $0, groups: [100]), above: [], root: root) }
                let environment = PlanEnvironment.test(tree.index, viewer: viewer)
                let plan = QueryPlan(try Predicate(parsing: query, mode: .metadata), environment: environment)
                let selection = try plan.select(in: snapshot)
                let views = everything.filter { view in
                    (user.map { view.seers.contains($0) } ?? true) && selection.contains(view.id.row)
                }
                #expect(views.count == selection.count, "seed \(seed)")
                for attribute in Self.attributes {
                    var expected: [String?: Int] = [:]
                    for view in views {
                        let values = Self.values(attribute, view.seen(by: user), epoch: tree.index.epoch, user)
                        if values.isEmpty { expected[nil, default: 0] += 1 }
                        for value in values { expected[value, default: 0] += 1 }
                    }
                    var tally = ValueTally(attribute)
                    try tally.add(selection, in: snapshot, environment: environment)
                    let all = tally.counts()
                    let got = Dictionary(uniqueKeysWithValues: all.map { (Self.text($0.value), $0.count) })
                    #expect(got == expected, "seed \(seed): \(attribute) of \(query) for \(user ?? 0)")
                    #expect(Self.isInOrder(all, attribute), "seed \(seed): \(attribute)")
                    for limit in [0, 1, 3, all.count, all.count + 1] {
                        let first = tally.counts(limit: limit).map {
                            Counted(text: Self.text($0.value), count: $0.count)
                        }
                        let wanted = all.prefix(limit).map { Counted(text: Self.text($0.value), count: $0.count) }
                        #expect(first == wanted, "seed \(seed): \(attribute), limit \(limit)")
                    }
                }
            }
        }
    }

    private static func isInOrder(_ counts: [(value: MetadataValue, count: Int)], _ attribute: Attribute) -> Bool {
        func key(_ value: MetadataValue) -> [UInt8] {
            var key = SortKeyBytes()
            switch value {
            case .boolean(let value): key.append(value)
            case .integer(let value): key.append(value)
            case .date(let value): key.append(value.nanoseconds)
            case .string(let value): key.append(text: Array(value.utf8))
            default: key.appendMissing()
            }
            return key.bytes
        }
        return zip(counts, counts.dropFirst()).allSatisfy { a, b in
            a.count > b.count || a.count == b.count && key(a.value).lexicographicallyPrecedes(key(b.value))
        }
    }

    private func index(_ names: [[UInt8]]) throws -> MetadataIndex {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        for name in names {
            _ = try name.withUnsafeBytes {
                try index.insert(parent: .root, name: $0, status: NaiveTree.status(.file))
            }
        }
        return index
    }

    private func tally(
        _ attribute: Attribute, _ names: [[UInt8]], maximumValues: Int = .max, maximumBytes: Int = .max
    ) throws -> ValueTally {
        let index = try index(names)
        let environment = PlanEnvironment.test(index)
        let plan = QueryPlan(try Predicate(parsing: "", mode: .metadata), environment: environment)
        var tally = ValueTally(attribute, maximumValues: maximumValues, maximumBytes: maximumBytes)
        let selection = try plan.select(in: index.snapshot())
        try tally.add(selection, in: index.snapshot(), environment: environment)
        return tally
    }

    @Test func namesThatReadTheSameAreOne() throws {
        let counts = try tally(.name, [[0xFF], [0xFE], Array("a".utf8)]).counts()
        #expect(counts.map { Self.text($0.value) } == ["\u{FFFD}", "a"])
        #expect(counts.map(\.count) == [2, 1])
        // As the language has it, and other than Swift's strings: texts that are written differently are different.
        #expect(try tally(.name, [Array("\u{E9}".utf8), Array("e\u{301}".utf8)]).counts().count == 2)
    }

    @Test func keptValuesAreBounded() throws {
        let names = (0..<5_000).map { Array("n\($0)".utf8) }
        #expect(throws: ValueTally.Failure.tooManyValues(4_999)) { try tally(.name, names, maximumValues: 4_999) }
        #expect(throws: ValueTally.Failure.tooManyBytes(9_000)) { try tally(.name, names, maximumBytes: 9_000) }
        #expect(
            try tally(.name, names, maximumValues: 5_000).counts(limit: 2).map { Self.text($0.value) } == ["n0", "n1"])
        #expect(try tally(.kind, names, maximumValues: 1).counts().map(\.count) == [5_000])
    }

    @Test func keptValuesOfAttributesAreBounded() throws {
        let index = try index((0..<2_000).map { Array("n\($0)".utf8) })
        for number in 0..<2_000 {
            let tags = (0..<20).map { "t\(number)-\($0)" } + ["all", "all"]
            try index.setXattrs(
                Row(UInt32(number + 1)),
                ExtraAttributes([(Array("xdg.tags".utf8), Array(tags.joined(separator: ",").utf8))]))
        }
        let environment = PlanEnvironment.test(index)
        let plan = QueryPlan(try Predicate(parsing: "", mode: .metadata), environment: environment)
        let selection = try plan.select(in: index.snapshot())
        func tally(_ values: Int, guard scanGuard: ScanGuard? = nil) throws -> ValueTally {
            var tally = ValueTally(.tags, maximumValues: values)
            try tally.add(selection, in: index.snapshot(), environment: environment, guard: scanGuard)
            return tally
        }
        #expect(throws: ValueTally.Failure.tooManyValues(100)) { try tally(100) }
        let counts = try tally(.max).counts()
        #expect(counts.count == 40_001 && counts.first?.count == 2_000)
        let ended = ScanGuard(nanoseconds: .max)
        ended.cancel()
        #expect(throws: ValueTally.Failure.cancelled) { try tally(.max, guard: ended) }
    }
}

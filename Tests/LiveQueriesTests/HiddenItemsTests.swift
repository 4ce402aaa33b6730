// An item that a caller may not see is not evaluated, so no time tells of it. Counted, not timed.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage
import TestSupport
import Testing

@testable import LiveQueries

@Suite struct HiddenItemsTests {
    private static let root = FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none)
    private static func viewer(_ user: UInt32) -> Viewer {
        Viewer(Credentials(user: user, groups: [100]), above: [], root: root)
    }

    /// A directory that is open, and one that only root sees into; in both, files on which each of ``costly`` fails. A failure
    /// is counted, and so the number of tested files.
    private struct Tree {
        let index = MetadataIndex(root: NaiveTree.status(.directory))
        let open: Row
        let closed: Row
        static let seen = 3

        init(hidden: Int) throws {
            open = try Tree.add("open", to: .root, Tree.directory(0o755), in: index)
            closed = try Tree.add("closed", to: .root, Tree.directory(0o700), in: index)
            try Tree.fill(open, 0..<Tree.seen, in: index)
            try Tree.fill(closed, 0..<hidden, in: index)
        }

        static func directory(_ mode: UInt16) -> FileStatus {
            var status = NaiveTree.status(.directory, size: 1)
            status.mode = mode
            return status
        }

        static func fill(
            _ directory: Row, _ numbers: Range<Int>, mode: UInt16 = 0o644, in index: MetadataIndex
        ) throws {
            for number in numbers {
                var status = NaiveTree.status(.file)
                status.mode = mode
                status.owner = TestAccounts.repetitive
                // A name that a regular expression goes back and forth over.
                let name = String(repeating: "a", count: 60 + number)
                let row = try add(name + "." + name, to: directory, status, in: index)
                try index.setXattrs(row, ExtraAttributes([(Array("xdg.comment".utf8), Array(name.utf8))]))
            }
        }

        private static func add(
            _ name: String, to directory: Row, _ status: FileStatus, in index: MetadataIndex
        ) throws -> Row {
            try Array(name.utf8).withUnsafeBytes { try index.insert(parent: directory, name: $0, status: status) }
        }

        func plan(_ text: String, _ viewer: Viewer?) throws -> QueryPlan {
            QueryPlan(
                try Predicate(parsing: text, mode: .metadata), environment: .test(index, viewer: viewer))
        }
    }

    private static let costly = [
        "name MATCHES '(a+)+[bc]'", "fileExtension MATCHES '(a+)+[bc]'", "path MATCHES '.*/(a+)+[bc]'",
        "owner MATCHES '(a+)+[bc]'", "comment MATCHES '(a+)+[bc]'", "xattr['xdg.comment'] MATCHES '(a+)+[bc]'",
        "1000 / size > 3", "NOT name MATCHES '(a+)+[bc]'", "size > 9 OR name MATCHES '(a+)+[bc]'",
        "kind == 'file' AND name CONTAINS 'a' AND name MATCHES '(a+)+[bc]'",
        "modified < $time.now(60) AND name MATCHES '(a+)+[bc]'",
    ]

    @Test(arguments: costly) func `A scan evaluates as often, whatever is hidden`(text: String) throws {
        let all = try Tree(hidden: 50)
        let (none, many) = (try Tree(hidden: 0), all)
        for tree in [none, many] {
            let snapshot = tree.index.snapshot()
            let plan = try tree.plan(text, Self.viewer(1_000))
            #expect(plan.selectTolerantly(in: snapshot).errors.count == Tree.seen)
            // The same for a plan that was made beforehand, for no viewer.
            guard !plan.followsClock else { continue }
            let later = try tree.plan(text, nil).seen(by: Self.viewer(1_000))
            #expect(later.selectTolerantly(in: snapshot).errors.count == Tree.seen)
        }
        #expect(try all.plan(text, nil).selectTolerantly(in: all.index.snapshot()).errors.count == Tree.seen + 50)
    }

    @Test(arguments: costly) func `A change of a hidden item is not evaluated for a caller`(text: String) throws {
        let tree = try Tree(hidden: 0)
        let registry = LiveQueryRegistry(rowLimit: 1_024, walkLimit: 4_096)
        func add(_ viewer: Viewer?) throws -> LiveQuery {
            let query = registry.add(try tree.plan(text, viewer), attributes: [.name])
            query.gather(RowSelection())
            return query
        }
        let (caller, everybody) = (try add(Self.viewer(1_000)), try add(nil))
        _ = tree.index.takeChanges()
        try Tree.fill(tree.closed, 10..<30, in: tree.index)
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(caller.errors.count == 0)
        #expect(everybody.errors.count == 20)
        try Tree.fill(tree.open, 10..<20, in: tree.index)
        registry.process(tree.index.takeChanges(), in: tree.index)
        #expect(caller.errors.count == 10)
        #expect(everybody.errors.count == 30)
    }

    /// Their names are seen, and their attributes are not.
    @Test(arguments: costly) func `Attributes of files that the caller may not read are not evaluated`(
        text: String
    ) throws {
        let tree = try Tree(hidden: 0)
        try Tree.fill(tree.open, 10..<20, mode: 0o600, in: tree.index)
        let readsAttributes = text.hasPrefix("comment") || text.hasPrefix("xattr")
        let expected = readsAttributes ? Tree.seen : Tree.seen + 10
        let snapshot = tree.index.snapshot()
        let plan = try tree.plan(text, Self.viewer(1_000))
        #expect(plan.selectTolerantly(in: snapshot).errors.count == expected)
        #expect(try tree.plan(text, nil).selectTolerantly(in: snapshot).errors.count == Tree.seen + 10)
    }

    /// Beside that, nothing is read of a hidden row at all: neither a name nor a size that thousands of cheap tests in one
    /// predicate could be timed by.
    @Test(arguments: TestLength.part(of: 0..<4 as Range<UInt64>, oneIn: 4))
    func `Nothing else is asked of a hidden item`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tree = NaiveTree()
        for _ in 0..<200 { try tree.randomChange(&generator, size: 60) }
        let snapshot = tree.index.snapshot()
        let reader = CountingReader(snapshot)
        for query in NaiveQuery.all {
            for scope in NaiveScope.all {
                let predicate = try query.predicate()
                for user in NaiveTree.viewers {
                    let viewer = Self.viewer(user)
                    let plan = QueryPlan(
                        predicate, scopes: scope.scopes, environment: .test(tree.index, viewer: viewer))
                    let later = QueryPlan(predicate, scopes: scope.scopes, environment: .test(tree.index))
                    for plan in plan.followsClock ? [plan] : [plan, later.seen(by: viewer)] {
                        #expect(Self.asksFirst(plan.root), "\(query.text): \(plan.explanation)")
                        #expect(plan.clock == nil || Self.asksFirst(plan.upper), "\(query.text): \(plan.explanation)")
                        for view in tree.views where !view.seers.contains(user) {
                            #expect(try !plan.matches(view.id.row, in: reader), "\(query.text)")
                        }
                    }
                }
            }
        }
        #expect(reader.count == 0)
        #expect(tree.views.contains { !$0.seers.contains(1_000) })
    }

    /// Whether it is asked first of all who sees the item, if anything is asked.
    private static func asksFirst(_ node: PlanNode) -> Bool {
        switch node.kind {
        case .constant, .test(.seen): true
        case .all(let parts): parts.first.map(asksFirst) ?? true
        default: false
        }
    }
}

/// Counts what is read of rows beside what decides who sees them.
private struct CountingReader: RowReader {
    private final class Reads { var count = 0 }

    private let snapshot: IndexSnapshot
    private let reads = Reads()
    var count: Int { reads.count }

    init(_ snapshot: IndexSnapshot) { self.snapshot = snapshot }

    private func noted<Value>(_ value: Value) -> Value {
        reads.count += 1
        return value
    }

    func parent(of row: Row) -> Row { snapshot.parent(of: row) }
    func access(of row: Row) -> FileAccess { snapshot.access(of: row) }

    func isLive(_ row: Row) -> Bool { noted(snapshot.isLive(row)) }
    func identifier(of row: Row) -> ItemIdentifier? { noted(snapshot.identifier(of: row)) }
    func kind(of row: Row) -> FileKind { noted(snapshot.kind(of: row)) }
    func status(of row: Row) -> FileStatus { noted(snapshot.status(of: row)) }
    var hasPackages: Bool { noted(snapshot.hasPackages) }
    var hasArchives: Bool { noted(snapshot.hasArchives) }
    func package(at row: Row) -> PackageFacts? { noted(snapshot.package(at: row)) }
    func conflicts(of row: Row) -> ConflictCount { noted(snapshot.conflicts(of: row)) }
    func sync(of row: Row) -> SyncState { .notShared }
    func xattrs(of row: Row) -> ExtraAttributes? { noted(snapshot.xattrs(of: row)) }
    func withName<R, E: Error>(
        of row: Row, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        reads.count += 1
        return try snapshot.withName(of: row, body)
    }
    func appendPath(of row: Row, to bytes: inout [UInt8]) {
        reads.count += 1
        snapshot.appendPath(of: row, to: &bytes)
    }
    func isWithin(_ row: Row, _ ancestor: Row) -> Bool { noted(snapshot.isWithin(row, ancestor)) }
    func depth(of row: Row) -> Int { noted(snapshot.depth(of: row)) }
}

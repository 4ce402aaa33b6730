// Runs a plan over a snapshot, one block of rows at a time.
// SPDX-License-Identifier: Apache-2.0

import Metadata
package import MetadataIndex
package import PredicateLanguage

extension QueryPlan {
    /// Returns the matching items, of the rows in the snapshot; on any thread. Throws for the first item for which the
    /// predicate has no answer, and if `guard` ends the scan. Complexity: O(rows).
    package func select(
        in snapshot: IndexSnapshot, guard scanGuard: ScanGuard? = nil
    ) throws(EvaluationError) -> RowSelection {
        var scan = PlanScan(self, snapshot, isTolerant: false, scanGuard: scanGuard)
        return try scan.run()
    }

    /// Returns the matching items for a live query: an item for which the predicate has no answer does not match, and
    /// is counted. If `guard` ends the scan, the result is invalid.
    package func selectTolerantly(
        in snapshot: IndexSnapshot, guard scanGuard: ScanGuard? = nil
    ) -> (selection: RowSelection, errors: EvaluationErrors) {
        var scan = PlanScan(self, snapshot, isTolerant: true, scanGuard: scanGuard)
        // The scan throws only if it is not tolerant or was ended.
        let selection = (try? scan.run()) ?? RowSelection()
        return (selection, scan.errors)
    }
}

extension QueryPlan {
    /// Returns the number of items that each step leaves, and its duration. It does the work of ``select(in:guard:)``
    /// and reads the clock for each step of a block. Complexity: O(rows).
    package func analyze(
        in snapshot: IndexSnapshot, guard scanGuard: ScanGuard? = nil
    ) throws(EvaluationError) -> PlanAnalysis {
        var scan = PlanScan(self, snapshot, isTolerant: false, scanGuard: scanGuard)
        var parts: [PlanNode] =
            switch root.kind {
            case .constant(true): []
            case .all(let parts): parts
            default: [root]
            }
        guard environment.viewer != nil else {
            return PlanAnalysis(rows: snapshot.count, steps: try scan.analyze(parts))
        }
        // No count may tell of items that the viewer may not see, so the viewer's access comes first. A plan without
        // that test finds nothing.
        guard let seen = parts.firstIndex(where: { if case .test(.seen) = $0.kind { true } else { false } }) else {
            return PlanAnalysis(rows: 0, steps: parts.map { PlanStep(text: $0.explanation) })
        }
        parts.insert(parts.remove(at: seen), at: 0)
        let steps = try scan.analyze(parts)
        return PlanAnalysis(rows: steps[0].rows, steps: Array(steps.dropFirst()))
    }
}

extension QueryPlan {
    /// Returns the items for which a node of infallible tests holds. If `guard` ends the scan, the result is invalid.
    func select(_ node: PlanNode, in snapshot: IndexSnapshot, guard scanGuard: ScanGuard? = nil) -> RowSelection {
        var scan = PlanScan(self, snapshot, isTolerant: true, scanGuard: scanGuard)
        return (try? scan.run(node)) ?? RowSelection()
    }
}

/// The number of items without an answer, and the first error.
package struct EvaluationErrors: Sendable, Hashable {
    package private(set) var count = 0
    package private(set) var first: EvaluationError?

    package init() {}

    mutating func add(_ error: EvaluationError) {
        count += 1
        if first == nil { first = error }
    }

    mutating func add(_ other: EvaluationErrors) {
        count += other.count
        if first == nil { first = other.first }
    }
}

/// One run of a plan over a snapshot. Each test narrows the remaining rows, so that later tests see fewer. Tests
/// without a kernel run row by row.
private struct PlanScan {
    let plan: QueryPlan
    let snapshot: IndexSnapshot
    let isTolerant: Bool
    var errors = EvaluationErrors()

    private let scanGuard: ScanGuard?
    /// The number of rows tested one by one. The clock is read from time to time.
    private var tested = 0
    /// Rows of the block at hand for which the predicate has no answer.
    private var failed = BlockBitmap()
    private var hasFailed = false
    private var places: [DirectoryPlaces]
    private var seen: SeenDirectories?
    private var enclosed: [EnclosedDirectories] = []
    /// The access that the last package grants, and whether the viewer has it.
    private var openness: (accesses: AccessSet?, isOpen: Bool)?
    /// The answers for owners and groups, by the place of the comparison and the number.
    private var accounts: [AccountKey: Bool] = [:]
    private var place = ItemPlace()
    /// The absolute path of the last directory, with a slash at its end.
    private var directoryPath: [UInt8] = []
    private var directory: Row?

    private struct AccountKey: Hashable {
        let position: Int
        let isGroup: Bool
        let number: UInt32
    }

    init(_ plan: QueryPlan, _ snapshot: IndexSnapshot, isTolerant: Bool, scanGuard: ScanGuard? = nil) {
        self.scanGuard = scanGuard
        self.plan = plan
        self.snapshot = snapshot
        self.isTolerant = isTolerant
        places = []
    }

    mutating func run() throws(EvaluationError) -> RowSelection {
        if plan.matchesNothing { return RowSelection() }
        return try run(plan.root)
    }

    mutating func run(_ root: PlanNode) throws(EvaluationError) -> RowSelection {
        var selection = RowSelection(blockCount: snapshot.blockCount)
        for block in 0..<snapshot.blockCount {
            if scanGuard?.isCancelled ?? false { throw PlanScan.ended }
            var bits = snapshot.liveRows(inBlock: block)
            try narrow(root, block, &bits)
            if hasFailed {
                bits.subtract(failed)
                failed = BlockBitmap()
                hasFailed = false
            }
            selection.set(block: block, bits)
        }
        return selection
    }

    /// Runs these parts in order like ``run(_:)``, and measures each.
    mutating func analyze(_ parts: [PlanNode]) throws(EvaluationError) -> [PlanStep] {
        var steps = parts.map { PlanStep(text: $0.explanation) }
        for block in 0..<snapshot.blockCount {
            if scanGuard?.isCancelled ?? false { throw PlanScan.ended }
            var bits = snapshot.liveRows(inBlock: block)
            var time = MonotonicTime.now
            for (place, part) in parts.enumerated() where !bits.isEmpty {
                try narrow(part, block, &bits)
                let now = MonotonicTime.now
                steps[place].rows += bits.count
                steps[place].nanoseconds += now &- time
                time = now
            }
        }
        return steps
    }

    /// Keeps the rows of a block for which the node holds. Rows that fail are removed and remembered.
    private mutating func narrow(
        _ node: PlanNode, _ block: Int, _ bits: inout BlockBitmap
    ) throws(EvaluationError) {
        switch node.kind {
        case .constant(let value): if !value { bits = BlockBitmap() }
        case .all(let parts):
            for part in parts {
                if bits.isEmpty { return }
                try narrow(part, block, &bits)
            }
        case .any(let parts):
            var open = bits
            bits = BlockBitmap()
            for part in parts {
                if open.isEmpty { return }
                var found = open
                try narrow(part, block, &found)
                open.subtract(found)
                if hasFailed { open.subtract(failed) }
                bits.formUnion(found)
            }
        case .not(let part):
            var found = bits
            try narrow(part, block, &found)
            bits.subtract(found)
            if hasFailed { bits.subtract(failed) }
        case .test(let test): try narrow(test, block, &bits)
        }
    }

    private mutating func narrow(
        _ test: PlanTest, _ block: Int, _ bits: inout BlockBitmap
    ) throws(EvaluationError) {
        switch test {
        case .name(let match, let bytes):
            bytes.withUnsafeBytes { snapshot.select(match, $0, inBlock: block, among: &bits) }
        case .foldedName(let match, let bytes):
            bytes.withUnsafeBytes { snapshot.selectCandidates(match, folded: $0, inBlock: block, among: &bits) }
        case .kinds(let mask):
            let kinds = FileKind.allCases.filter { mask >> UInt16($0.rawValue) & 1 != 0 }
            snapshot.select(kinds: kinds, inBlock: block, among: &bits)
        case .number(let column, let comparison, let constant):
            narrow(column, comparison, constant, block, &bits)
        case .age(let column, let comparison, let seconds):
            narrow(column, comparison, plan.environment.threshold(seconds), block, &bits)
        case .createdIsKnown: snapshot.selectCreatedKnown(inBlock: block, among: &bits)
        case .item(let identifier):
            let place = Int(identifier.row.number) - block * IndexSnapshot.rowsPerBlock
            var found = BlockBitmap()
            if (0..<IndexSnapshot.rowsPerBlock).contains(place), bits[place],
                snapshot.identifier(of: identifier.row) == identifier
            {
                found[place] = true
            }
            bits = found
        case .namePattern(let pattern) where !test.isFallible:
            // It throws only if it is fallible; a row that threw would not match.
            snapshot.select(
                namesMatching: { (try? pattern.matches($0)) ?? false }, inBlock: block, among: &bits)
        case .scope(let tree): narrow(tree, block, &bits)
        case .seen(let viewer): narrow(viewer, block, &bits)
        case .inside(let enclosure, let searched): narrow(to: enclosure, besides: searched, block, &bits)
        case .account(let isGroup, let node):
            snapshot.select(
                groups: isGroup,
                accountMatching: { number in
                    let key = AccountKey(position: node.position.offset, isGroup: isGroup, number: number)
                    if let known = accounts[key] { return known }
                    let answer = plan.accountHolds(node, isGroup: isGroup, number)
                    accounts[key] = answer
                    return answer
                }, inBlock: block, among: &bits)
        case .xattrs(let test) where !test.isFallible:
            let closed = closedXattrs(block, bits)
            bits.subtract(closed)
            // Each record may have kilobytes.
            let scanGuard = scanGuard
            var asked = 0
            var isOver = false
            snapshot.select(
                xattrMatching: { xattrs in
                    asked &+= 1
                    if let scanGuard, asked & 15 == 0, !isOver { isOver = scanGuard.checkTime() }
                    return isOver ? false : (try? test.holds(xattrs ?? .none)) ?? false
                }, inBlock: block, among: &bits)
            if isOver { throw PlanScan.ended }
            if (try? test.holds(.none)) ?? false { bits.formUnion(closed) }
        case .conflictVersion:
            snapshot.select(
                namesMatching: { DerivedText.isConflictName($0) }, inBlock: block, among: &bits)
        case .conflicts(let comparison, let constant):
            let (environment, snapshot) = (plan.environment, snapshot)
            snapshot.select(
                conflictsMatching: { comparison.holds(environment.conflictVersions(of: $0, in: snapshot), constant) },
                holdsForNone: comparison.holds(0, constant), inBlock: block, among: &bits)
        case .sync(let test) where test.fallibility == .never:
            snapshot.select(syncMatching: { (try? test.holds($0)) ?? false }, inBlock: block, among: &bits)
        case .path(let pattern):
            try filter(block, &bits) { (scan, row) throws(EvaluationError) in
                try scan.withPath(of: row) { (path) throws(EvaluationError) in try pattern.matches(path) }
            }
        case .depth(let comparison, let constant):
            // An item is one level deeper than its directory.
            snapshot.select(
                directoryMatching: { comparison.holds(Int64(snapshot.depth(of: $0)) + 1, constant) },
                inBlock: block, among: &bits)
        case .directory(let identifier):
            let isLive = snapshot.identifier(of: identifier.row) == identifier
            snapshot.select(
                directoryMatching: { isLive && $0 == identifier.row }, inBlock: block, among: &bits)
        case .namePattern(let pattern) where pattern.regularExpression != nil:
            if let expression = pattern.regularExpression { try narrow(expression, block, &bits) }
        case .namePattern, .fileExtension, .contentType, .xattrs, .sync, .general:
            try filter(block, &bits) { (scan, row) throws(EvaluationError) in
                scan.place.forget()
                return try scan.plan.holds(test, row, scan.snapshot, &scan.place)
            }
        }
    }

    /// Calls the expression directly: a call by way of the plan counts references for each row, which takes longer than
    /// most matches.
    private mutating func narrow(
        _ expression: RegularExpression, _ block: Int, _ bits: inout BlockBitmap
    ) throws(EvaluationError) {
        let (snapshot, scanGuard) = (snapshot, scanGuard)
        let data = try RegularExpression.MatchData()
        try snapshot.select(
            placesAndNamesMatching: { (place, name) throws(EvaluationError) in
                try judge(place, scanGuard) { (_) throws(EvaluationError) in try expression.matches(name, using: data) }
            }, inBlock: block, among: &bits)
    }

    private mutating func filter(
        _ block: Int, _ bits: inout BlockBitmap,
        _ holds: (inout PlanScan, Row) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) {
        let scanGuard = scanGuard
        try bits.filter { (place) throws(EvaluationError) in
            try judge(place, scanGuard) { (scan) throws(EvaluationError) in
                try holds(&scan, IndexSnapshot.row(block: block, place: place))
            }
        }
    }

    /// The answer for a row of the present block, which may be none.
    @inline(__always)
    private mutating func judge(
        _ place: Int, _ scanGuard: ScanGuard?, _ holds: (inout PlanScan) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        if let scanGuard {
            tested &+= 1
            if tested & 15 == 0 ? scanGuard.checkTime() : scanGuard.isCancelled { throw PlanScan.ended }
        }
        do throws(EvaluationError) {
            return try holds(&self)
        } catch {
            guard isTolerant else { throw error }
            errors.add(error)
            failed[place] = true
            hasFailed = true
            return false
        }
    }

    private static let ended = EvaluationError("the predicate takes too much time")

    // MARK: Places

    private mutating func narrow(_ tree: ScopeTree, _ block: Int, _ bits: inout BlockBitmap) {
        let at: Int
        if let known = places.firstIndex(where: { $0.tree == tree }) {
            at = known
        } else {
            at = places.count
            places.append(DirectoryPlaces(tree, in: snapshot))
        }
        snapshot.select(
            directoryMatching: { places[at].covers($0, in: snapshot) }, inBlock: block, among: &bits)
    }

    private mutating func narrow(_ viewer: Viewer, _ block: Int, _ bits: inout BlockBitmap) {
        if seen == nil { seen = SeenDirectories(viewer, in: snapshot) }
        guard var directories = seen.take() else { return }
        // Copied once, and not for each directory.
        let snapshot = snapshot
        snapshot.select(
            directoryMatching: { directories.lists($0, in: snapshot) }, inBlock: block, among: &bits)
        seen = directories
    }

    private mutating func narrow(
        to enclosure: Enclosure, besides searched: SearchedPlaces, _ block: Int, _ bits: inout BlockBitmap
    ) {
        let exists =
            switch enclosure {
            case .package: snapshot.hasPackages
            case .archive: snapshot.hasArchives
            }
        if !exists {
            bits = BlockBitmap()
            return
        }
        let at: Int
        if let known = enclosed.firstIndex(where: { $0.enclosure == enclosure && $0.searched == searched }) {
            at = known
        } else {
            at = enclosed.count
            enclosed.append(EnclosedDirectories(enclosure, in: snapshot, besides: searched))
        }
        // Copied once, and not for each directory.
        let snapshot = snapshot
        snapshot.select(directoryMatching: { enclosed[at].hold($0, in: snapshot) }, inBlock: block, among: &bits)
        for item in searched.items where snapshot.identifier(of: item.row) == item {
            let place = Int(item.row.number) - block * IndexSnapshot.rowsPerBlock
            if (0..<IndexSnapshot.rowsPerBlock).contains(place) { bits[place] = false }
        }
    }

    /// Keeps the rows with such a value as far as the viewer may know it: the columns of a package describe its
    /// contents.
    private mutating func narrow(
        _ column: IntegerColumn, _ comparison: IntegerComparison, _ constant: Int64, _ block: Int,
        _ bits: inout BlockBitmap
    ) {
        var closed = BlockBitmap()
        if let viewer = plan.environment.viewer, snapshot.hasPackages {
            closed = bits
            snapshot.select(kinds: [.package], inBlock: block, among: &closed)
            bits.subtract(closed)
            closed.filter { place in
                let value = status(ofPackage: IndexSnapshot.row(block: block, place: place), viewer).number(column)
                return value.map { comparison.holds($0, constant, in: column) } ?? false
            }
        }
        snapshot.select(column, comparison, constant, inBlock: block, among: &bits)
        bits.formUnion(closed)
    }

    /// The status as `PlanEnvironment.status(of:in:)` has it. Neighbours usually grant the same access, which is
    /// checked once.
    private mutating func status(ofPackage row: Row, _ viewer: Viewer) -> FileStatus {
        let status = snapshot.status(of: row)
        guard let facts = snapshot.package(at: row) else { return status }
        if openness?.accesses != facts.accesses || openness == nil {
            openness = (facts.accesses, facts.areOpen(to: viewer.credentials))
        }
        return openness?.isOpen == true ? status : facts.own(status)
    }

    /// The rows with extended attributes that the viewer may not read.
    private func closedXattrs(_ block: Int, _ bits: BlockBitmap) -> BlockBitmap {
        guard let viewer = plan.environment.viewer else { return BlockBitmap() }
        var closed = bits
        snapshot.select(
            xattrMatching: { $0.map { !$0.isEmpty && !$0.isTarget } ?? false }, inBlock: block, among: &closed)
        snapshot.select(
            accessMatching: { !viewer.credentials.may(.read, $0) }, inBlock: block, among: &closed)
        return closed
    }

    /// Lends the absolute path. Neighbours usually share their directory, whose path is kept.
    private mutating func withPath(
        of row: Row, _ body: (UnsafeRawBufferPointer) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        let parent = snapshot.parent(of: row)
        if directory != parent {
            directory = parent
            directoryPath.removeAll(keepingCapacity: true)
            directoryPath.append(contentsOf: plan.environment.rootPath)
            if parent != .root {
                directoryPath.append(UInt8(ascii: "/"))
                snapshot.appendPath(of: parent, to: &directoryPath)
            }
            directoryPath.append(UInt8(ascii: "/"))
        }
        let end = directoryPath.count
        snapshot.withName(of: row) { directoryPath.append(contentsOf: $0) }
        defer { directoryPath.removeSubrange(end...) }
        return try directoryPath.withUnsafeBufferPointer { (bytes) throws(EvaluationError) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

/// The place of each directory of a snapshot in a scope, determined once.
private struct DirectoryPlaces {
    let tree: ScopeTree
    /// By row; 0 where unknown.
    private var states: [UInt32]
    private var open: [Row] = []

    init(_ tree: ScopeTree, in snapshot: IndexSnapshot) {
        self.tree = tree
        states = [UInt32](repeating: 0, count: snapshot.blockCount * IndexSnapshot.rowsPerBlock)
    }

    /// Whether the items directly in a directory are in scope.
    mutating func covers(_ directory: Row, in snapshot: IndexSnapshot) -> Bool {
        var row = directory
        while row != .root, states[Int(row.number)] == 0 {
            open.append(row)
            row = snapshot.parent(of: row)
        }
        var state = row == .root ? ScopeTree.State.root : ScopeTree.State(number: states[Int(row.number)])
        while let below = open.popLast() {
            state = snapshot.withName(of: below) { tree.step(state, $0) }
            states[Int(below.number)] = state.number
        }
        return tree.covers(state)
    }
}

// One change set brought to the live queries that it can touch.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// Brings one change set to live queries: for each changed row, the queries that its former or its present state can match
/// are tested on both.
struct ChangePass {
    private let changes: ChangeSet
    private let index: MetadataIndex
    private let former: FormerView
    private let queries: [LiveQuery?]
    /// The queries to which a place means nothing, and the others.
    private let still: QueryFiling
    private let placed: QueryFiling
    /// Whether what comes and goes changes the number of items that match.
    private let isCounted: Bool

    /// By the number of the query: whether it was tested on a state of the row at hand, and whether that matched.
    private var answers: [Answers]
    /// The queries with answers.
    private var met: [Int] = []
    private var candidates: [Int] = []
    private var formerPlace = ItemPlace()
    private var place = ItemPlace()
    /// The directories whose own place changed, where anyone cares.
    private var moved: [Row: MovedDirectory] = [:]
    /// How many rows below directories that moved are walked whatever the queries are.
    private let walkLimit: Int
    private var isTouched: [Bool]
    private(set) var touched: [LiveQuery] = []

    private struct Answers: OptionSet {
        let rawValue: UInt8
        static let testedBefore = Answers(rawValue: 1)
        static let matched = Answers(rawValue: 2)
        static let testedNow = Answers(rawValue: 4)
        static let matches = Answers(rawValue: 8)
    }

    init(
        _ changes: ChangeSet, in index: MetadataIndex, queries: [LiveQuery?], still: QueryFiling, placed: QueryFiling,
        isCounted: Bool, walkLimit: Int
    ) {
        self.walkLimit = walkLimit
        self.changes = changes
        self.index = index
        self.queries = queries
        self.still = still
        self.placed = placed
        self.isCounted = isCounted
        former = changes.formerView(in: index.snapshot())
        answers = [Answers](repeating: [], count: queries.count)
        isTouched = [Bool](repeating: false, count: queries.count)
    }

    mutating func run() {
        moved = movedDirectories()
        for at in 0..<changes.count { meet(at, isBelowMove: !moved.isEmpty) }
        if !moved.isEmpty { meetDescendants() }
    }

    // MARK: Rows that changed themselves

    private mutating func meet(_ at: Int, isBelowMove: Bool) {
        guard let transition = changes.transition(at: at, in: index) else { return }
        let row = changes.row(at: at)
        formerPlace.forget()
        place.forget()
        switch transition {
        case .added(let item):
            test(row, isNow: true)
            for number in met where answers[number].contains(.matches) {
                record(number, item, matched: false, matches: true, isMoved: false)
            }
        case .removed(let item):
            test(row, isNow: false)
            for number in met where answers[number].contains(.matched) {
                record(number, item, matched: true, matches: false, isMoved: false)
            }
        case .replaced(let gone, let come):
            test(row, isNow: false)
            test(row, isNow: true)
            for number in met {
                if answers[number].contains(.matched) {
                    record(number, gone, matched: true, matches: false, isMoved: false)
                }
                if answers[number].contains(.matches) {
                    record(number, come, matched: false, matches: true, isMoved: false)
                }
            }
        case .changed(let item):
            test(row, isNow: false)
            test(row, isNow: true)
            guard met.contains(where: { !answers[$0].isDisjoint(with: [.matched, .matches]) }) else { break }
            let difference = difference(at, isBelowMove: isBelowMove)
            for number in met {
                let matched = answers[number].contains(.matched)
                let matches = answers[number].contains(.matches)
                if matched || matches, let query = queries[number], matched != matches || difference.concerns(query) {
                    record(number, item, matched: matched, matches: matches, isMoved: difference.path)
                }
            }
        }
        forgetAnswers()
    }

    /// What differs between the two states of an item.
    private struct Difference {
        /// The name, the directory, or anything that the file system keeps.
        var own = false
        /// The tags were not known and are now.
        var newlyKnownTags = false
        var path = false
        var depth = false
        var scope = false

        /// Whether a subscriber whose query matched before and matches now is to hear of it.
        func concerns(_ query: LiveQuery) -> Bool {
            own || (newlyKnownTags && query.readsTags) || (path && query.attributes.contains(.path))
                || (depth && query.attributes.contains(.depth)) || (scope && query.attributes.contains(.scope))
        }
    }

    private mutating func difference(_ at: Int, isBelowMove: Bool) -> Difference {
        var difference = Difference()
        guard let old = changes.former(at: at) else { return difference }
        let row = changes.row(at: at)
        let isRenamed = isRenamed(at)
        difference.own = isRenamed || old.status != index.status(of: row)
        let tags = index.tags(of: row)
        if old.tags != tags {
            // Tags that become known are no change of the file; to those who read them, they are what there was not.
            if old.tags == nil {
                difference.newlyKnownTags = tags?.isEmpty == false
            } else if tags == nil {
                difference.newlyKnownTags = old.tags?.isEmpty == false
            } else {
                difference.own = true
            }
        }
        if isRenamed || isBelowMove { comparePlaces(row, &difference) }
        return difference
    }

    /// Whether the item of a changed row has another name or another directory.
    private func isRenamed(_ at: Int) -> Bool {
        let row = changes.row(at: at)
        // The slot of its directory may hold another directory by now.
        guard let parent = changes.former(at: at)?.parent, parent == index.parent(of: row),
            former.identifier(of: parent) == index.identifier(of: parent)
        else { return true }
        return changes.withFormerName(at: at) { old in index.withName(of: row) { !RawBytes.isEqual($0, old) } }
    }

    private mutating func comparePlaces(_ row: Row, _ difference: inout Difference) {
        formerPlace.know(row, former)
        place.know(row, index)
        let (old, new) = (formerPlace.path, place.path)
        guard old != new else { return }
        difference.path = true
        difference.depth = DerivedText.depth(ofPath: old) != DerivedText.depth(ofPath: new)
        difference.scope = DerivedText.isInDocuments(old) != DerivedText.isInDocuments(new)
    }

    // MARK: Rows below directories that moved

    /// A directory that moved. Relative to it all that lies below lies where it lay, so what changed of the place is the
    /// same for all.
    private struct MovedDirectory {
        var difference = Difference()
        /// Its path before, and the length of its path now.
        var formerPath: [UInt8] = []
        var pathCount = 0
    }

    private mutating func movedDirectories() -> [Row: MovedDirectory] {
        var moved: [Row: MovedDirectory] = [:]
        if placed.count == 0 { return moved }
        for at in 0..<changes.count {
            let row = changes.row(at: at)
            guard changes.hasFormer(at: at), index.isLive(row), index.kind(of: row).isDirectory,
                case .changed = changes.transition(at: at, in: index), isRenamed(at)
            else { continue }
            var directory = MovedDirectory()
            formerPlace.forget()
            place.forget()
            comparePlaces(row, &directory.difference)
            directory.formerPath = formerPlace.path
            directory.pathCount = place.path.count
            // Below Documents begins one level further down than Documents itself.
            let slash = [UInt8(ascii: "/")]
            directory.difference.scope =
                DerivedText.isInDocuments(formerPlace.path + slash) != DerivedText.isInDocuments(place.path + slash)
            moved[row] = directory
        }
        return moved
    }

    /// Goes through what lies below the directories that moved and is not in the set itself.
    ///
    /// Queries whose answer has nothing to do with the place, though their subscribers asked for it, find what lies below
    /// by a scan, where there are few of them and many rows: columns are gone through ten times faster than a tree.
    private mutating func meetDescendants() {
        var isScanned = false
        if let scanning = queriesToScan() {
            isScanned = true
            for number in scanning { meetMovedByScan(number) }
            if !queries.contains(where: { $0?.plan.isPlaceSensitive ?? false }) { return }
        }
        for (directory, place) in moved where place.difference.path {
            // The walk does not let the pass change while it goes on, so rows are noted first.
            var rows: [Row] = []
            index.forEachDescendant(of: directory) { row in
                guard changes.index(of: row) != nil else {
                    rows.append(row)
                    return true
                }
                // A directory that moved itself is walked on its own.
                return moved[row] == nil
            }
            for row in rows { meetMoved(row, place, isScanned: isScanned) }
        }
    }

    /// The most queries that are answered by a scan each.
    private static let maximumScans = 32

    /// The queries that are better answered by a scan; nil where a walk is.
    private func queriesToScan() -> [Int]? {
        var scanning: [Int] = []
        for (number, query) in queries.enumerated() {
            guard let query, query.isPlaceSensitive, !query.plan.isPlaceSensitive else { continue }
            if scanning.count == ChangePass.maximumScans { return nil }
            scanning.append(number)
        }
        if scanning.isEmpty { return nil }
        var left = walkLimit
        for directory in moved.keys {
            guard var row = index.firstChild(of: directory) else { continue }
            walk: while left > 0 {
                left -= 1
                if let child = index.firstChild(of: row) {
                    row = child
                    continue
                }
                while index.nextSibling(of: row) == nil {
                    row = index.parent(of: row)
                    if row == directory { break walk }
                }
                row = index.nextSibling(of: row) ?? directory
            }
        }
        return left == 0 ? scanning : nil
    }

    private mutating func meetMovedByScan(_ number: Int) {
        guard let query = queries[number], moved.values.contains(where: { $0.difference.concerns(query) }) else {
            return
        }
        // Neighbours mostly share their directory.
        var last: (parent: Row, above: MovedDirectory?)?
        for row in query.plan.selectTolerantly(in: former.current).selection {
            let parent = index.parent(of: row)
            if last?.parent != parent { last = (parent, movedDirectory(above: parent)) }
            guard let place = last?.above, place.difference.concerns(query), changes.index(of: row) == nil,
                let item = index.identifier(of: row)
            else { continue }
            formerPlace.forget()
            record(number, item, matched: true, matches: true, isMoved: place.difference.path, below: place)
        }
    }

    /// The first directory that moved, from a row upwards.
    private func movedDirectory(above row: Row) -> MovedDirectory? {
        var row = row
        while row != .root {
            if let directory = moved[row] { return directory }
            row = index.parent(of: row)
        }
        return nil
    }

    private mutating func meetMoved(_ row: Row, _ directory: MovedDirectory, isScanned: Bool) {
        let difference = directory.difference
        candidates.removeAll(keepingCapacity: true)
        let kind = index.kind(of: row)
        if placed.needsPath {
            know(row, directory)
            index.withName(of: row) { name in
                placed.appendCandidates(name: name, kind: kind, path: place.path, to: &candidates)
                placed.appendCandidates(name: name, kind: kind, path: formerPlace.path, to: &candidates)
            }
        } else {
            index.withName(of: row) { placed.appendCandidates(name: $0, kind: kind, path: [], to: &candidates) }
            // Of most rows nobody wants to know where they lie.
            if candidates.isEmpty { return }
            know(row, directory)
        }
        for number in candidates where answers[number].isEmpty {
            guard let query = queries[number], !isScanned || query.plan.isPlaceSensitive else { continue }
            met.append(number)
            answers[number] = .testedNow
            let matches = ask(query, row, index, &place)
            // Its own values are as they were; only the place can have made another answer.
            let matched = query.plan.isPlaceSensitive ? ask(query, row, index, &formerPlace) : matches
            guard matched != matches || (matches && difference.concerns(query)), let item = index.identifier(of: row)
            else { continue }
            record(number, item, matched: matched, matches: matches, isMoved: difference.path, below: directory)
        }
        forgetAnswers()
    }

    /// Works out both places of a row below a directory that moved.
    private mutating func know(_ row: Row, _ directory: MovedDirectory) {
        place.forget()
        place.know(row, index)
        formerPlace.set(directory.formerPath, place.path[directory.pathCount...])
    }

    // MARK: Asking and telling

    private func ask(
        _ query: LiveQuery, _ row: Row, _ reader: some RowReader, _ place: inout ItemPlace
    ) -> Bool {
        do throws(EvaluationError) {
            return try query.plan.matches(row, in: reader, at: &place)
        } catch {
            query.errors.add(error)
            return false
        }
    }

    /// Tests the candidates for the former or the present state of a row.
    private mutating func test(_ row: Row, isNow: Bool) {
        candidates.removeAll(keepingCapacity: true)
        if isNow {
            ChangePass.findCandidates(row, index, still, placed, &place, &candidates)
        } else {
            ChangePass.findCandidates(row, former, still, placed, &formerPlace, &candidates)
        }
        for number in candidates {
            let tested: Answers = isNow ? .testedNow : .testedBefore
            guard let query = queries[number], !answers[number].contains(tested) else { continue }
            if answers[number].isEmpty { met.append(number) }
            answers[number].insert(tested)
            let holds = isNow ? ask(query, row, index, &place) : ask(query, row, former, &formerPlace)
            if holds { answers[number].insert(isNow ? .matches : .matched) }
        }
    }

    private static func findCandidates(
        _ row: Row, _ reader: some RowReader, _ still: QueryFiling, _ placed: QueryFiling, _ place: inout ItemPlace,
        _ candidates: inout [Int]
    ) {
        if still.needsPath || placed.needsPath { place.know(row, reader) }
        let kind = reader.kind(of: row)
        reader.withName(of: row) { name in
            still.appendCandidates(name: name, kind: kind, path: place.path, to: &candidates)
            placed.appendCandidates(name: name, kind: kind, path: place.path, to: &candidates)
        }
    }

    private mutating func forgetAnswers() {
        for number in met { answers[number] = [] }
        met.removeAll(keepingCapacity: true)
    }

    private mutating func record(
        _ number: Int, _ item: ItemIdentifier, matched: Bool, matches: Bool, isMoved: Bool,
        below: MovedDirectory? = nil
    ) {
        guard let query = queries[number] else { return }
        let (former, isCounted) = (former, isCounted)
        let below = below.map { PendingItems.KnownPath.below(former: $0.formerPath, count: $0.pathCount) }
        withFormerPlace { place in
            query.record(item, matched: matched, matches: matches, isCounted: isCounted, isMoved: isMoved, below: below)
            {
                place.know(item.row, former)
                return place.path
            }
        }
        if !isTouched[number] {
            isTouched[number] = true
            touched.append(query)
        }
    }

    private mutating func withFormerPlace(_ body: (inout ItemPlace) -> Void) { body(&formerPlace) }
}

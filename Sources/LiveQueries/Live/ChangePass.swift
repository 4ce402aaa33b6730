// Applies one change set to live queries.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex
import PredicateLanguage

/// Applies one change set to live queries. For each changed row it tests the queries that the former or the present
/// state can match, on both states. Then it tests the items below changed directories (``SubtreeChange``).
///
/// It reads only the set and a snapshot taken right after it, so it runs on any thread: on the event loop for short
/// sets, in a ``BackgroundUpdate`` for others.
struct ChangePass {
    let former: PreImageView
    let queries: [LiveQuery?]
    /// The queries that do not depend on the directories above an item, and the others.
    let still: SubscriptionIndex
    let placed: SubscriptionIndex
    /// The background update whose queries this pass serves; nil for queries that are not away.
    private let absence: Int?
    /// Whether added and removed items change the number of matches.
    private let isCounted: Bool
    let subtrees: SubtreeChanges
    /// The number of rows below changed directories that are walked whatever the queries are.
    let walkLimit: Int

    /// By the number of a query: whether it was tested on a state of the present row, and whether that matched.
    var answers: [Answers] {
        @inline(__always) get { notes.answers }
        @inline(__always) _modify { yield &notes.answers }
    }
    /// The queries with answers.
    var met: [Int] = []
    var candidates: [Int] = []
    var formerPlace = ItemPlace()
    var place = ItemPlace()
    private var notes: Notes
    private(set) var touched: [LiveQuery] = []
    private var touchedNumbers: [Int] = []
    /// The number of tests of queries on rows.
    private(set) var testCount = 0
    /// The queries whose answer the clock changes sooner than was known.
    private(set) var noted: [LiveQuery] = []

    struct Answers: OptionSet {
        let rawValue: UInt8
        static let testedBefore = Answers(rawValue: 1)
        static let matched = Answers(rawValue: 2)
        static let testedNow = Answers(rawValue: 4)
        static let matches = Answers(rawValue: 8)
    }

    /// The notes of a pass on each query, by number. All are false before and after a pass, so that they can be reused.
    /// A change reaches a few of ten thousand queries. New notes would take longer than the rest of the pass.
    struct Notes {
        fileprivate var answers: [Answers] = []
        fileprivate var isTouched: [Bool] = []

        fileprivate mutating func makeRoom(for count: Int) {
            guard answers.count < count else { return }
            answers += [Answers](repeating: [], count: count - answers.count)
            isTouched += [Bool](repeating: false, count: count - isTouched.count)
        }
    }

    var changes: ChangeSet { former.changes }
    var current: IndexSnapshot { former.current }

    init(
        _ former: PreImageView, _ subtrees: SubtreeChanges, queries: [LiveQuery?], still: SubscriptionIndex,
        placed: SubscriptionIndex, absence: Int? = nil, isCounted: Bool = true, walkLimit: Int,
        notes: consuming Notes = Notes()
    ) {
        self.former = former
        self.subtrees = subtrees
        self.queries = queries
        self.still = still
        self.placed = placed
        self.absence = absence
        self.isCounted = isCounted
        self.walkLimit = walkLimit
        notes.makeRoom(for: queries.count)
        self.notes = notes
    }

    mutating func run() {
        for at in 0..<changes.count { meet(at) }
        if !subtrees.isEmpty { meetSubtrees() }
    }

    /// Returns the notes for reuse, after ``run()``.
    mutating func takeNotes() -> Notes {
        for number in touchedNumbers { notes.isTouched[number] = false }
        touchedNumbers = []
        var taken = Notes()
        swap(&taken, &notes)
        return taken
    }

    /// The query with a number, if this pass serves it.
    func query(_ number: Int) -> LiveQuery? {
        guard let query = queries[number], query.absence == absence else { return nil }
        return query
    }

    // MARK: Rows that changed themselves

    private mutating func meet(_ at: Int) {
        guard let transition = changes.transition(at: at, in: current) else { return }
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
            let difference = difference(at)
            let isPackage = current.kind(of: row) == .package || former.kind(of: row) == .package
            for number in met {
                let matched = answers[number].contains(.matched)
                let matches = answers[number].contains(.matches)
                guard matched || matches, let query = queries[number] else { continue }
                // A viewer is told changes inside a package only if it may look into it, and attributes only of a file
                // that it may read.
                let isRestricted = (isPackage || difference.xattrs) && query.plan.environment.viewer != nil
                let seen = isRestricted ? self.difference(at, for: query.plan.environment) : difference
                if matched != matches || seen.concerns(query) {
                    record(number, item, matched: matched, matches: matches, isMoved: seen.path)
                }
            }
        }
        forgetAnswers()
    }

    private mutating func difference(_ at: Int, for environment: PlanEnvironment? = nil) -> ItemDifference {
        var difference = ItemDifference()
        guard let old = changes.preImage(at: at) else { return difference }
        let row = changes.row(at: at)
        let isRenamed = former.isRenamed(at: at)
        // An access list read for the first time is no change of the file. A changed one shows in the time of change.
        var before = environment?.status(of: row, in: former) ?? old.status
        var now = environment?.status(of: row, in: current) ?? current.status(of: row)
        (before.accessList, now.accessList) = (.none, .none)
        difference.own = isRenamed || before != now
        // Attributes read for the first time are no change of the file, but queries that read them did not have them.
        if let environment {
            difference.xattrs = environment.xattrs(of: row, in: former) != environment.xattrs(of: row, in: current)
        } else {
            difference.xattrs = old.xattrs.orNone != current.xattrs(of: row).orNone
        }
        let viewer = environment?.viewer?.credentials
        difference.conflicts =
            former.conflictVersions(of: row, for: viewer) != current.conflictVersions(of: row, for: viewer)
        if former.wasShared {
            let (old, now) = (former.sync(of: row), current.sync(of: row))
            if old != now {
                difference.sync = AttributeSet(Attribute.ofSync.filter { old.value(of: $0) != now.value(of: $0) })
            }
        }
        if isRenamed || subtrees.changedPlaces { comparePlaces(row, &difference) }
        if isRenamed || subtrees.changedPackages {
            difference.inPackage = former.isInsidePackage(row) != current.isInsidePackage(row)
        }
        return difference
    }

    private mutating func comparePlaces(_ row: Row, _ difference: inout ItemDifference) {
        formerPlace.know(row, former)
        place.know(row, current)
        let (old, new) = (formerPlace.path, place.path)
        guard old != new else { return }
        difference.path = true
        // An item with another name is told anyway.
        difference.conflictOf = current.isConflictVersion(row) || former.isConflictVersion(row)
        difference.depth = DerivedText.depth(ofPath: old) != DerivedText.depth(ofPath: new)
        difference.scope = DerivedText.isInDocuments(old) != DerivedText.isInDocuments(new)
    }

    // MARK: Asking and telling

    mutating func ask(_ query: LiveQuery, _ row: Row, isNow: Bool) -> Bool {
        testCount += 1
        if isNow, query.plan.clock != nil, query.noteMoment(row, in: current, &place) { noted.append(query) }
        return query.measured { test(query, row, isNow: isNow) } ?? false
    }

    private mutating func test(_ query: LiveQuery, _ row: Row, isNow: Bool) -> Bool {
        do throws(EvaluationError) {
            return isNow
                ? try query.plan.matches(row, in: current, at: &place)
                : try query.plan.matches(row, in: former, at: &formerPlace)
        } catch {
            query.note(error)
            return false
        }
    }

    /// Tests the candidates on the former or the present state of a row.
    private mutating func test(_ row: Row, isNow: Bool) {
        candidates.removeAll(keepingCapacity: true)
        if isNow {
            ChangePass.findCandidates(row, current, still, placed, &place, &candidates)
        } else {
            ChangePass.findCandidates(row, former, still, placed, &formerPlace, &candidates)
        }
        for number in candidates {
            let tested: Answers = isNow ? .testedNow : .testedBefore
            guard !answers[number].contains(tested), let query = query(number) else { continue }
            if answers[number].isEmpty { met.append(number) }
            answers[number].insert(tested)
            if ask(query, row, isNow: isNow) { answers[number].insert(isNow ? .matches : .matched) }
        }
    }

    private static func findCandidates(
        _ row: Row, _ reader: some RowReader, _ still: SubscriptionIndex, _ placed: SubscriptionIndex,
        _ place: inout ItemPlace,
        _ candidates: inout [Int]
    ) {
        if still.needsPath || placed.needsPath { place.know(row, reader) }
        let (kind, parent) = (reader.kind(of: row), reader.parent(of: row))
        reader.withName(of: row) { name in
            still.appendCandidates(
                row: row, parent: parent, name: name, kind: kind, path: place.path, to: &candidates)
            placed.appendCandidates(
                row: row, parent: parent, name: name, kind: kind, path: place.path, to: &candidates)
        }
    }

    mutating func forgetAnswers() {
        for number in met { answers[number] = [] }
        met.removeAll(keepingCapacity: true)
    }

    mutating func record(
        _ number: Int, _ item: ItemIdentifier, matched: Bool, matches: Bool, isMoved: Bool,
        below: SubtreeChange? = nil
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
        if !notes.isTouched[number] {
            notes.isTouched[number] = true
            touched.append(query)
            touchedNumbers.append(number)
        }
    }

    private mutating func withFormerPlace(_ body: (inout ItemPlace) -> Void) { body(&formerPlace) }
}

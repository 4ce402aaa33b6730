// The part of a change pass for items below changed directories.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

extension ChangePass {
    /// Tests the items below changed directories that are not in the set themselves.
    ///
    /// A query may not depend on the change although its subscriber asked for the place. If few such queries meet many
    /// rows, a scan finds the rows below: reading columns is ten times faster than walking a tree.
    mutating func meetSubtrees() {
        var isScanned = false
        if let scanning = queriesToScan() {
            isScanned = true
            for number in scanning { meetByScan(number) }
        }
        let walking = queries.indices.contains { number in
            guard let query = query(number), !isScanned || !isUntouched(query) else { return false }
            return subtrees.concern(query)
        }
        if !walking { return }
        for (directory, subtree) in subtrees.directories {
            // The walk does not let the pass change meanwhile, so rows are collected first.
            var rows: [Row] = []
            let (changes, subtrees) = (changes, subtrees)
            current.forEachDescendant(of: directory) { row in
                guard changes.index(of: row) != nil else {
                    rows.append(row)
                    return true
                }
                // A directory that changed itself has its own walk.
                return subtrees.directories[row] == nil
            }
            for row in rows { meetBelow(row, subtree, isScanned: isScanned) }
        }
    }

    /// Whether no change of the directories can change the answer for items below.
    private func isUntouched(_ query: LiveQuery) -> Bool { query.plan.causes.isDisjoint(with: subtrees.causes) }

    /// The most queries that each use a scan.
    private static var maximumScans: Int { 32 }

    /// The queries for which a scan is faster; nil where a walk is.
    private func queriesToScan() -> [Int]? {
        var scanning: [Int] = []
        for number in queries.indices {
            guard let query = query(number), isUntouched(query), subtrees.concern(query) else { continue }
            if scanning.count == ChangePass.maximumScans { return nil }
            scanning.append(number)
        }
        if scanning.isEmpty { return nil }
        return subtrees.rowCount(in: current, atMost: walkLimit) >= walkLimit ? scanning : nil
    }

    private mutating func meetByScan(_ number: Int) {
        guard let query = queries[number] else { return }
        // Neighbours usually share their directory.
        var last: (parent: Row, above: SubtreeChange?)?
        let selection = query.plan.selectTolerantly(in: current, guard: query.scanGuard).selection
        if let scanGuard = query.scanGuard, scanGuard.ended != .going { query.isOverworked = true }
        for row in selection {
            let parent = current.parent(of: row)
            if last?.parent != parent { last = (parent, subtrees.lowest(above: parent, in: current)) }
            guard let subtree = last?.above, changes.index(of: row) == nil,
                difference(row, subtree, for: query).concerns(query), let item = current.identifier(of: row)
            else { continue }
            formerPlace.forget()
            record(number, item, matched: true, matches: true, isMoved: subtree.difference.path, below: subtree)
        }
    }

    private mutating func meetBelow(_ row: Row, _ subtree: SubtreeChange, isScanned: Bool) {
        candidates.removeAll(keepingCapacity: true)
        let (kind, parent) = (current.kind(of: row), current.parent(of: row))
        // Nearly all queries leave archives out, and few directories become one.
        let meetsAll = subtree.causes.contains(.archive)
        if placed.needsPath || (meetsAll && still.needsPath) {
            know(row, subtree)
            current.withName(of: row) { name in
                for path in [place.path, formerPlace.path] {
                    placed.appendCandidates(
                        row: row, parent: parent, name: name, kind: kind, path: path, to: &candidates)
                    guard meetsAll else { continue }
                    still.appendCandidates(
                        row: row, parent: parent, name: name, kind: kind, path: path, to: &candidates)
                }
            }
        } else {
            current.withName(of: row) { name in
                placed.appendCandidates(row: row, parent: parent, name: name, kind: kind, path: [], to: &candidates)
                guard meetsAll else { return }
                still.appendCandidates(row: row, parent: parent, name: name, kind: kind, path: [], to: &candidates)
            }
            // Most rows are tested by no query that depends on the directories above.
            if candidates.isEmpty { return }
            know(row, subtree)
        }
        for number in candidates where answers[number].isEmpty {
            guard let query = query(number), !isScanned || !isUntouched(query), subtree.concerns(query) else {
                continue
            }
            met.append(number)
            answers[number] = .testedNow
            let matches = ask(query, row, isNow: true)
            // The row's own values are unchanged; only the directories above can change the answer.
            let matched =
                query.plan.causes.isDisjoint(with: subtree.causes) ? matches : ask(query, row, isNow: false)
            guard matched != matches || (matches && difference(row, subtree, for: query).concerns(query)),
                let item = current.identifier(of: row)
            else { continue }
            record(number, item, matched: matched, matches: matches, isMoved: subtree.difference.path, below: subtree)
        }
        forgetAnswers()
    }

    /// The differences of a row below a changed directory, whose name is as it was. If a package lies between the two, the row was inside a
    /// package before, too.
    private func difference(_ row: Row, _ subtree: SubtreeChange, for query: LiveQuery) -> ItemDifference {
        var difference = subtree.difference
        if difference.inPackage {
            difference.inPackage = former.isInsidePackage(row) != current.isInsidePackage(row)
        }
        if difference.conflicts {
            let environment = query.plan.environment
            difference.conflicts =
                environment.conflictVersions(of: row, in: former) != environment.conflictVersions(of: row, in: current)
        }
        if difference.conflictOf {
            difference.conflictOf = current.isConflictVersion(row) || former.isConflictVersion(row)
        }
        return difference
    }

    /// Determines the former and the present place of a row below a changed directory.
    private mutating func know(_ row: Row, _ subtree: SubtreeChange) {
        place.forget()
        place.know(row, current)
        formerPlace.set(subtree.formerPath, place.path[subtree.pathCount...])
    }
}

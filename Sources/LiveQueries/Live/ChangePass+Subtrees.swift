// The part of a change pass that goes below directories that changed.
// SPDX-License-Identifier: Apache-2.0

import MetadataIndex

extension ChangePass {
    /// Goes through what lies below the directories that changed and is not in the set itself.
    ///
    /// Queries whose answer has nothing to do with what changed, though their subscribers asked for the place, find what
    /// lies below by a scan, where there are few of them and many rows: columns are gone through ten times faster than a
    /// tree.
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
            // The walk does not let the pass change while it goes on, so rows are noted first.
            var rows: [Row] = []
            let (changes, subtrees) = (changes, subtrees)
            current.forEachDescendant(of: directory) { row in
                guard changes.index(of: row) != nil else {
                    rows.append(row)
                    return true
                }
                // A directory that changed itself is walked on its own.
                return subtrees.directories[row] == nil
            }
            for row in rows { meetBelow(row, subtree, isScanned: isScanned) }
        }
    }

    /// Whether nothing that changed of directories can change the answer for what lies below.
    private func isUntouched(_ query: LiveQuery) -> Bool { query.plan.causes.isDisjoint(with: subtrees.causes) }

    /// The most queries that are answered by a scan each.
    private static var maximumScans: Int { 32 }

    /// The queries that are better answered by a scan; nil where a walk is.
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
        // Neighbours mostly share their directory.
        var last: (parent: Row, above: SubtreeChange?)?
        let selection = query.plan.selectTolerantly(in: current, guard: query.scanGuard).selection
        if let scanGuard = query.scanGuard, scanGuard.ended != .going { query.isOverworked = true }
        for row in selection {
            let parent = current.parent(of: row)
            if last?.parent != parent { last = (parent, subtrees.lowest(above: parent, in: current)) }
            guard let subtree = last?.above, changes.index(of: row) == nil, difference(row, subtree).concerns(query),
                let item = current.identifier(of: row)
            else { continue }
            formerPlace.forget()
            record(number, item, matched: true, matches: true, isMoved: subtree.difference.path, below: subtree)
        }
    }

    private mutating func meetBelow(_ row: Row, _ subtree: SubtreeChange, isScanned: Bool) {
        candidates.removeAll(keepingCapacity: true)
        let (kind, parent) = (current.kind(of: row), current.parent(of: row))
        if placed.needsPath {
            know(row, subtree)
            current.withName(of: row) { name in
                for path in [place.path, formerPlace.path] {
                    placed.appendCandidates(
                        row: row, parent: parent, name: name, kind: kind, path: path, to: &candidates)
                }
            }
        } else {
            current.withName(of: row) {
                placed.appendCandidates(row: row, parent: parent, name: $0, kind: kind, path: [], to: &candidates)
            }
            // Of most rows nobody wants to know what lies above them.
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
            // Its own values are as they were; only what lies above can have made another answer.
            let matched =
                query.plan.causes.isDisjoint(with: subtree.causes) ? matches : ask(query, row, isNow: false)
            guard matched != matches || (matches && difference(row, subtree).concerns(query)),
                let item = current.identifier(of: row)
            else { continue }
            record(number, item, matched: matched, matches: matches, isMoved: subtree.difference.path, below: subtree)
        }
        forgetAnswers()
    }

    /// What differs of a row below a directory that changed: what lies in a package between the two lies in one as before.
    private func difference(_ row: Row, _ subtree: SubtreeChange) -> ItemDifference {
        var difference = subtree.difference
        if difference.inPackage {
            difference.inPackage = former.isInsidePackage(row) != current.isInsidePackage(row)
        }
        return difference
    }

    /// Works out both places of a row below a directory that changed.
    private mutating func know(_ row: Row, _ subtree: SubtreeChange) {
        place.forget()
        place.know(row, current)
        formerPlace.set(subtree.formerPath, place.path[subtree.pathCount...])
    }
}

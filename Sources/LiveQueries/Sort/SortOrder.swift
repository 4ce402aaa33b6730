// The order of the items in an answer.
// SPDX-License-Identifier: Apache-2.0

package import Metadata
package import MetadataIndex

/// The order of the items in an answer. The first differing key decides; items with equal keys are in the order of
/// their rows.
///
/// Text is in natural order: digits count as numbers (`a2` before `a10`), and ASCII case is ignored; other letters are
/// compared by code point. Texts that are equal so are compared by their bytes. An item without a value comes first.
/// Lists of tags are compared by the first differing tag. A descending key is the exact reverse.
package struct SortOrder: Sendable, Hashable {
    /// One attribute to sort by.
    package struct Key: Sendable, Hashable {
        package let attribute: Attribute
        package let isAscending: Bool

        package init(_ attribute: Attribute, ascending: Bool = true) {
            self.attribute = attribute
            isAscending = ascending
        }
    }

    package let keys: [Key]

    /// A repeated attribute decides nothing, and is left out.
    package init(_ keys: [Key]) {
        var named: Set<Attribute> = []
        self.keys = keys.filter { named.insert($0.attribute).inserted }
    }

    /// The reason for which nothing was sorted.
    package enum Failure: Error, Hashable {
        /// The sort keys have more than this number of bytes together.
        case tooManyBytes(Int)
        /// The caller no longer waits.
        case cancelled
    }

    /// The attributes that it reads.
    package var attributes: AttributeSet { AttributeSet(keys.map(\.attribute)) }

    /// The rows of one container to sort.
    package struct Source: Sendable {
        package let selection: RowSelection
        package let snapshot: IndexSnapshot
        /// The environment of the plan.
        package let environment: PlanEnvironment

        package init(selection: RowSelection, snapshot: IndexSnapshot, environment: PlanEnvironment) {
            self.selection = selection
            self.snapshot = snapshot
            self.environment = environment
        }
    }

    /// A row of one of several sources.
    package struct Place: Sendable, Hashable {
        /// The source, counted from 0.
        package let source: Int
        package let row: Row
    }

    /// Returns the rows of a selection in this order, the first `limit` of them if given. `environment` is the plan's.
    ///
    /// Complexity: O(n log n); with a limit O(n log limit), and memory for the limit alone.
    package func apply(
        to selection: RowSelection, in snapshot: IndexSnapshot, environment: PlanEnvironment, limit: Int? = nil
    ) throws(Failure) -> [Row] {
        if keys.isEmpty { return Array(selection.prefix(max(0, limit ?? .max))) }
        let source = Source(selection: selection, snapshot: snapshot, environment: environment)
        return try apply(to: [source], limit: limit).map(\.row)
    }

    /// Returns the rows of several containers in this order; equal rows are in the order of the sources. The sort keys
    /// may take `maximumBytes` at once, and half of it where rows must be sorted repeatedly to make room.
    package func apply(
        to sources: [Source], limit: Int? = nil, maximumBytes: Int = .max, guard scanGuard: ScanGuard? = nil
    ) throws(Failure) -> [Place] {
        if let limit, limit <= 0 { return [] }
        var sorter = BoundedSorter(limit: limit ?? .max)
        var rows = 0
        for (number, source) in sources.enumerated() {
            var writer = SortKeyWriter(self, source.snapshot, source.environment)
            for row in source.selection {
                writer.write(row)
                sorter.add(Place(source: number, row: row), key: writer.bytes)
                if sorter.byteCount > maximumBytes {
                    if scanGuard?.isCancelled ?? false { throw .cancelled }
                    sorter.prune()
                    // With little room gained, the next row would sort all of them again.
                    if sorter.byteCount > maximumBytes / 2 { throw .tooManyBytes(maximumBytes) }
                }
                rows &+= 1
                if rows & 255 == 0, scanGuard?.isCancelled ?? false { throw .cancelled }
            }
        }
        return sorter.finish()
    }
}

/// Keeps the rows with the smallest keys: collects up to twice the limit, then sorts and drops the upper half. From
/// then on one comparison with the greatest kept key rejects most rows.
private struct BoundedSorter {
    let limit: Int
    private var keys: [UInt8] = []
    private var entries: [(place: SortOrder.Place, start: Int, end: Int)] = []
    /// A row whose key is not below this one is not among the first `limit`.
    private var bound: [UInt8]?

    init(limit: Int) { self.limit = limit }

    /// The bytes of the kept keys.
    var byteCount: Int { keys.count }

    mutating func add(_ place: SortOrder.Place, key: [UInt8]) {
        if let bound, !RawBytes.isLess(key, bound) { return }
        let start = keys.count
        keys.append(contentsOf: key)
        entries.append((place, start, keys.count))
        if entries.count >= 1_024, entries.count / 2 >= limit { prune() }
    }

    private mutating func sort() {
        keys.withUnsafeBytes { keys in
            entries.sort { a, b in
                let first = UnsafeRawBufferPointer(rebasing: keys[a.start..<a.end])
                let second = UnsafeRawBufferPointer(rebasing: keys[b.start..<b.end])
                if RawBytes.isLess(first, second) { return true }
                if RawBytes.isLess(second, first) { return false }
                return (a.place.source, a.place.row) < (b.place.source, b.place.row)
            }
        }
    }

    mutating func prune() {
        guard entries.count > limit else { return }
        sort()
        entries.removeSubrange(limit...)
        var kept: [UInt8] = []
        for index in entries.indices {
            let start = kept.count
            kept.append(contentsOf: keys[entries[index].start..<entries[index].end])
            entries[index] = (entries[index].place, start, kept.count)
        }
        keys = kept
        let last = entries[limit - 1]
        bound = Array(keys[last.start..<last.end])
    }

    mutating func finish() -> [SortOrder.Place] {
        sort()
        return entries.prefix(limit).map(\.place)
    }
}

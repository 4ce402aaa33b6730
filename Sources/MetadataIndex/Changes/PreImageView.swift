// The rows of an index as they were before a change set.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The rows of an index as they were before a change set. Changed rows are read from the set, others from a snapshot taken
/// right after it. Paths are right even if directories above were moved or removed meanwhile.
package struct PreImageView: Sendable {
    /// The changes since the moment that is looked at.
    package let changes: ChangeSet
    /// The state after the changes.
    package let current: IndexSnapshot

    init(changes: ChangeSet, current: IndexSnapshot) {
        self.changes = changes
        self.current = current
    }

    private enum Place {
        case record(PreImageStore.Record)
        case current
        case missing
    }

    @inline(__always)
    private func place(_ row: UInt32) -> Place {
        if let index = changes.find(row) {
            let change = changes.changes[index]
            return change.preImage == ChangeSet.noPreImage ? .missing : .record(changes.preImages.record(change))
        }
        return current.rows.isLive(row) ? .current : .missing
    }

    /// The directory of a row then; the root for a row that was not there.
    private func parent(_ row: UInt32) -> UInt32 {
        if let index = changes.find(row) {
            let change = changes.changes[index]
            return change.preImage == ChangeSet.noPreImage ? 0 : changes.preImages.parent(change)
        }
        return current.rows.isLive(row) ? current.rows.parent(row) : 0
    }
}

extension PreImageView: RowReader {
    /// As many as there are entries: with a damaged journal they may lie in a circle.
    package var mostSteps: Int { current.count + changes.count + 1 }

    package func isLive(_ row: Row) -> Bool {
        if case .missing = place(row.number) { return false }
        return true
    }

    package func identifier(of row: Row) -> ItemIdentifier? {
        switch place(row.number) {
        case .record(let record): ItemIdentifier(row: row, generation: record.generation)
        case .current: current.identifier(of: row)
        case .missing: nil
        }
    }

    package func parent(of row: Row) -> Row { Row(parent(row.number)) }

    package func kind(of row: Row) -> FileKind {
        if case .record(let record) = place(row.number) { return record.values.kind }
        return current.kind(of: row)
    }

    package func status(of row: Row) -> FileStatus {
        if case .record(let record) = place(row.number) { return changes.preImages.status(record) }
        return current.status(of: row)
    }

    package func access(of row: Row) -> FileAccess {
        if case .record(let record) = place(row.number) {
            return changes.preImages.attributes(record).access
        }
        return current.access(of: row)
    }

    package var hasArchives: Bool { current.hasArchives }

    package var hasPackages: Bool { current.hasPackages || changes.preImages.hasPackages }

    package func package(at row: Row) -> PackageFacts? {
        if case .record(let record) = place(row.number) { return changes.preImages.package(record) }
        return current.package(at: row)
    }

    package func conflicts(of row: Row) -> ConflictCount {
        if case .record(let record) = place(row.number) {
            return changes.preImages.conflicts(record) ?? ConflictCount()
        }
        return current.conflicts(of: row)
    }

    /// Whether the container was shared at some time since then, or is now.
    package var wasShared: Bool { current.isShared || changes.preImages.hasSync }

    package func sync(of row: Row) -> SyncState {
        if case .record(let record) = place(row.number) { return changes.preImages.sync(record) ?? .notShared }
        return current.sync(of: row)
    }

    package func xattrs(of row: Row) -> ExtraAttributes? {
        if case .record(let record) = place(row.number) { return changes.preImages.xattrs(record) }
        return current.xattrs(of: row)
    }

    package func withName<R, E: Error>(
        of row: Row, _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        switch place(row.number) {
        case .record(let record): try changes.preImages.withName(record, body)
        case .current: try current.rows.withName(row.number, body)
        case .missing: try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    package func appendPath(of row: Row, to bytes: inout [UInt8]) {
        let start = bytes.count
        // Names from the entry up, each reversed, then all reversed.
        var at = row.number
        var steps = mostSteps
        while at != 0, steps > 0 {
            if at != row.number { bytes.append(UInt8(ascii: "/")) }
            withName(of: Row(at)) { bytes.append(contentsOf: $0.reversed()) }
            at = parent(at)
            steps -= 1
        }
        bytes[start...].reverse()
    }

    package func isWithin(_ row: Row, _ ancestor: Row) -> Bool {
        var at = row.number
        var steps = mostSteps
        while at != ancestor.number {
            if at == 0 || steps == 0 { return false }
            at = parent(at)
            steps -= 1
        }
        return true
    }

    package func depth(of row: Row) -> Int {
        var depth = 0
        var at = row.number
        while at != 0, depth < mostSteps {
            depth += 1
            at = parent(at)
        }
        return depth
    }
}

extension ChangeSet {
    /// The rows as they were before the set. `current` is the state right after it: a snapshot from when it was taken.
    package func preImageView(in current: IndexSnapshot) -> PreImageView {
        PreImageView(changes: self, current: current)
    }
}

// The items of one reply with changes, as bytes.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import MetadataIndex
import Varlink

/// Writes the changes of items, in the order in which they are taken, into the three arrays of a reply. So it is known
/// how long the reply is before the next item is taken: one more may have a path of 4 KiB, or attributes of 64 KiB.
struct DeltaWriter: ~Copyable {
    private var added = JSONWriter()
    private var changed = JSONWriter()
    private var removed = JSONWriter()
    private(set) var count = 0

    /// Whether it is as much as one reply takes.
    var isFull: Bool {
        count >= Limits.itemsPerReply || added.count + changed.count + removed.count >= Limits.replyBytes
    }

    mutating func removeAll() {
        added.removeAll(keepingAtMost: Limits.replyBytes)
        changed.removeAll(keepingAtMost: Limits.replyBytes)
        removed.removeAll(keepingAtMost: Limits.replyBytes)
        count = 0
    }

    mutating func write(_ item: DeltaItem, by renderer: inout ItemRenderer, of snapshot: IndexSnapshot) {
        count += 1
        switch item {
        case .added(let row): renderer.write(row, of: snapshot, to: &added)
        case .changed(let change):
            renderer.write(change.row, of: snapshot, previousPath: change.previousPath, to: &changed)
        case .removed(let removal):
            renderer.writeRemoval(removal.identifier, lastPath: removal.path, to: &removed)
        }
    }

    /// Writes the arrays that are not empty into an object that is open.
    borrowing func writeArrays(to writer: inout JSONWriter) {
        write("added", added, to: &writer)
        write("changed", changed, to: &writer)
        write("removed", removed, to: &writer)
    }

    private borrowing func write(_ key: StaticString, _ items: borrowing JSONWriter, to writer: inout JSONWriter) {
        if items.count == 0 { return }
        writer.key(key)
        writer.beginArray()
        items.withUnsafeBytes { writer.raw($0) }
        writer.endArray()
    }
}

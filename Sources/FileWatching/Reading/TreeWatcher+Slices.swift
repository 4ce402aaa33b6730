// Directories of very many entries: the entries of one are taken over several iterations, so that no caller waits for it.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// How far the loop has come with a directory that has more entries than one iteration takes.
struct DirectorySlices {
    var directory: DirectoryID
    /// Whether nothing in it was known: then its entries go into the tree as they are.
    var isNew: Bool
    /// The entries that were taken, and how many directories to descend into were among them.
    var next = 0
    var nextChild = 0
    /// Rows that need no further look, a bit for each: those of entries that were read, and of those that were not and
    /// have been dealt with.
    var met: [UInt64] = []

    func isMet(_ node: TreeNode) -> Bool {
        let word = Int(node.row / 64)
        return word < met.count && met[word] & (1 << UInt64(node.row % 64)) != 0
    }

    mutating func meet(_ node: TreeNode) {
        let word = Int(node.row / 64)
        if word >= met.count { met.append(contentsOf: repeatElement(0, count: word + 1 - met.count)) }
        met[word] |= 1 << UInt64(node.row % 64)
    }
}

// The entries are taken first, and everything else that a reading brings comes with the last of them: until then the
// directory counts as being read, and events for a watch that is new are held. Events for a known watch are processed
// between two slices, so the tree may be ahead of the reading.
extension TreeWatcher {
    func isSliced(_ result: CrawlResult) -> Bool {
        guard result.error == nil, result.batch.count > settings.directorySlice else { return false }
        // Its entries are not taken: the directory is read once more.
        return !(readings.directory(of: result.ticket).map { directories.isAlive($0) && isDetachedRoot($0) } ?? false)
    }

    /// Takes the next slice of a result. Returns whether that was all, and the result can be applied.
    func takeSlice(of result: CrawlResult) -> Bool {
        if inbox.slices == nil {
            guard let id = readings.directory(of: result.ticket), directories.isAlive(id),
                !directories[id].flags.contains(.inaccessibleMeanwhile)
            else { return true }
            directories[id].flags.remove(.inaccessible)
            inbox.slices = DirectorySlices(directory: id, isNew: isUnknown(id, to: result))
        }
        guard let id = inbox.slices?.directory, let start = inbox.slices?.next, directories.isAlive(id),
            !directories[id].flags.contains(.inaccessibleMeanwhile)
        else {
            inbox.slices = nil
            return true
        }
        let isAudit = isAudit(result)
        let began = isAudit ? kernel.processorTime() : 0
        defer { if isAudit { auditSchedule.addCost(kernel.processorTime() &- began) } }
        let origin = origin(of: result)
        if start == result.batch.count { return settleMissing(id, result, origin) }
        let range = start..<min(start + max(settings.directorySlice, 1), result.batch.count)
        inbox.slices?.next = range.upperBound
        if inbox.slices?.isNew == true {
            insert(result, range, into: id, except: watches.unknown[result.watch]?.names ?? [], origin)
            expectChildren(of: result, range, in: id)
            guard range.upperBound == result.batch.count else { return false }
            inbox.slices = nil
            return true
        }
        expectChildren(of: result, range, in: id)
        // The record is taken out, so that its bits are not copied for each of them.
        guard var taken = inbox.slices else { return true }
        inbox.slices = nil
        compareEntries(of: result, range, with: id, touched: readings.touched(in: id), origin) { taken.meet($0) }
        inbox.slices = taken
        return false
    }

    /// A slice of the entries that are known and were not read. Some of them may have come since the directory was
    /// read.
    private func settleMissing(_ id: DirectoryID, _ result: CrawlResult, _ origin: Origin) -> Bool {
        guard var taken = inbox.slices else { return true }
        inbox.slices = nil
        var missing: [TreeNode] = []
        var isAll = true
        tree.forEachChild(of: directories[id].node) {
            guard !taken.isMet($0) else { return }
            if missing.count < settings.directorySlice { missing.append($0) } else { isAll = false }
        }
        let gone = missing.filter { child in
            taken.meet(child)
            var isGone = true
            withName(of: child) { isGone = !isThere($0, in: id, origin) }
            return isGone
        }
        publishMissing(gone, in: id, result, origin)
        if !isAll { inbox.slices = taken }
        return isAll
    }
}

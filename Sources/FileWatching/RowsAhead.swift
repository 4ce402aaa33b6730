// Rows that may know a file that came to their name by what was not heard of yet, and what was heard of them so far.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Rows that may know a file that came to their name by what was not heard of yet: a look shows what is there now, the stream
/// of events is behind that. What an event tells is told of the file that lay there before.
struct RowsAhead {
    /// What is known of a row besides what it was told.
    struct Record {
        /// The file that lies there by what was heard; nil where nobody knows.
        var file: FileStatus?
        /// Whether that may well be the one that was found: nothing that was heard speaks against it.
        var isLikely: Bool
        /// Whether a look has made the row: its name was free by what was heard.
        var isNew = false
        /// What is heard from here on is told of the file that was found; nil as long as nothing was read since.
        var end: UInt64?
    }

    private var records: [TreeNode: Record] = [:]
    /// Those of which the end is not known yet.
    private var open: [TreeNode] = []
    /// All ends that are known lie here or before, but those of rows that have moved.
    private var lastEnd: UInt64 = 0
    /// With so many, those that are over are looked for.
    private var limit = WatchLimits.leastAhead

    var isEmpty: Bool { records.isEmpty }
    var nodes: Dictionary<TreeNode, Record>.Keys { records.keys }

    /// What is known of a row when an event comes; nil where it knows the file that the event tells of.
    func record(of node: TreeNode, at cause: UInt64) -> Record? {
        guard !records.isEmpty, let record = records[node] else { return nil }
        return record.end.map { cause < $0 } ?? true ? record : nil
    }

    /// A look has told a row what is there. `known` is what it was told before, nil of a new row; `isExpected`, whether nothing
    /// that was heard says that this should not be there still.
    mutating func found(_ node: TreeNode, _ isSame: (FileStatus) -> Bool, known: FileStatus?, isExpected: Bool) {
        var record: Record
        if let former = records[node] {
            if !former.isLikely, let file = former.file {
                if isSame(file) {
                    records[node] = nil
                    return
                }
                record = former
            } else {
                // Where it has not moved, it was there before.
                if former.isLikely, former.end != nil, let known, isSame(known) { return }
                record = Record(file: nil, isLikely: true, end: nil)
                record.isNew = former.isNew
            }
        } else if let known {
            if isSame(known) { return }
            record = Record(file: isExpected ? known : nil, isLikely: !isExpected, end: nil)
        } else {
            record = Record(file: nil, isLikely: true, isNew: true, end: nil)
        }
        if record.end != nil || records[node]?.end != nil || records[node] == nil { open.append(node) }
        record.end = nil
        records[node] = record
    }

    /// What a row stands for has left its name, and the row stays there until more is heard.
    mutating func left(_ node: TreeNode, _ status: FileStatus, at cause: UInt64) {
        guard !records.isEmpty, records[node] != nil else { return }
        guard var record = record(of: node, at: cause) else {
            records[node] = nil
            return
        }
        if record.isLikely { record.file = record.file ?? status }
        record.end = .max
        records[node] = record
    }

    /// Nobody knows whether a row's file still has this name.
    mutating func doubt(_ node: TreeNode, until end: UInt64 = .max) {
        records[node] = Record(file: nil, isLikely: false, end: end)
        if end != .max { lastEnd = max(lastEnd, end) }
    }

    /// Rows that stand for another file than the one that they know, or may, and until when they do.
    func uncertain(at position: UInt64) -> [(node: TreeNode, end: UInt64)] {
        records.compactMap { node, record in
            guard !record.isLikely, let end = record.end, end > position else { return nil }
            return (node, end)
        }
    }

    /// A row has got another name by what was heard: nothing but a look there shows whether its file is the one that it knows.
    mutating func moved(_ node: TreeNode, at cause: UInt64) {
        guard !records.isEmpty, records[node] != nil else { return }
        guard var record = record(of: node, at: cause) else {
            records[node] = nil
            return
        }
        if record.isLikely { (record.file, record.isLikely) = (nil, false) }
        record.isNew = false
        record.end = .max
        records[node] = record
    }

    /// A row takes over what another knows, which goes.
    mutating func replaced(_ target: TreeNode, by source: TreeNode, at cause: UInt64) {
        guard !records.isEmpty else { return }
        moved(source, at: cause)
        records[target] = records.removeValue(forKey: source)
    }

    /// What a row knows is its file, or the row goes, and is free for another.
    mutating func forget(_ node: TreeNode) {
        if !records.isEmpty { records[node] = nil }
    }

    mutating func forget(where isOver: (TreeNode) -> Bool) {
        if !records.isEmpty { records = records.filter { !isOver($0.key) } }
    }

    /// Whether looks were made since the stream was read.
    var hasLooked: Bool { !open.isEmpty }

    /// The stream is read on. Where nothing is queued (`end` is its position), whatever was found had been heard of.
    mutating func reads(from position: UInt64, to end: UInt64) {
        for node in open where records[node]?.end == nil { records[node]?.end = end }
        if !open.isEmpty { lastEnd = max(lastEnd, end) }
        open.removeAll(keepingCapacity: open.count < 65_536)
        guard position >= lastEnd || records.count >= limit else { return }
        records = records.filter { $0.value.end.map { $0 > position } ?? true }
        limit = max(WatchLimits.leastAhead, 2 * records.count)
    }
}

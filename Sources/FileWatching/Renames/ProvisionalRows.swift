// Provisional rows: their file may have come to their name by an event that was not read yet.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// Rows whose file may have come to their name by an event that was not read yet: a look-up shows the present file, and
/// the stream of events is behind that. The next events of the name are about the file that lay there before.
struct ProvisionalRows {
    /// The facts about a row beside its status.
    struct Record {
        /// The file that lies there by the events read; nil where it is unknown.
        var file: FileStatus?
        /// Whether that may well be the one that was found: nothing that was heard speaks against it.
        var isLikely: Bool
        /// Whether a look-up has made the row: its name was free by the events read.
        var isNew = false
        /// An unknown directory was renamed onto it: the one that is found has its identity.
        var isTakenOver = false
        /// Events from here on are about the file that was found; nil as long as nothing was read since.
        var end: UInt64?
    }

    /// The fact about a row for another process, in one number.
    enum Doubt: UInt64 {
        /// Its file is unknown.
        case unknown
        /// It may be the one that was found.
        case likely
        /// The same, and a look has made it.
        case new
        /// A directory was renamed onto it.
        case takenOver
    }

    private var records: [TreeNode: Record] = [:]
    /// Those of which the end is not known yet.
    private var open: [TreeNode] = []
    /// Rows that looks have made and that nothing was heard of since: where files are made all the time there are many. The
    /// number says between which two readings of the stream that was.
    private var made: [TreeNode: Int] = [:]
    /// By such a number, less the first that is kept: the end of those.
    private var endsOfMade: [UInt64] = []
    private var firstOfMade = 0
    private var hasMade = false
    /// All ends that are known lie here or before, but those of rows that have moved.
    private var lastEnd: UInt64 = 0
    /// With so many, those that are over are looked for.
    private var limit: Int
    private let leastLimit: Int

    /// With fewer rows than these, none is looked for.
    init(least: Int) { (limit, leastLimit) = (least, least) }

    var isEmpty: Bool { records.isEmpty && made.isEmpty }

    /// Returns the facts about a row when an event comes; nil where its file is the one of the event.
    func record(of node: TreeNode, at position: UInt64) -> Record? {
        guard let record = record(of: node) else { return nil }
        return record.end.map { position < $0 } ?? true ? record : nil
    }

    private func record(of node: TreeNode) -> Record? {
        if !records.isEmpty, let record = records[node] { return record }
        guard !made.isEmpty, let number = made[node] else { return nil }
        let place = number - firstOfMade
        return Record(
            file: nil, isLikely: true, isNew: true, end: place < endsOfMade.count ? endsOfMade[place] : nil)
    }

    private mutating func set(_ node: TreeNode, _ record: Record?) {
        if !made.isEmpty { made[node] = nil }
        records[node] = record
    }

    private mutating func make(_ node: TreeNode) {
        if !records.isEmpty { records[node] = nil }
        made[node] = firstOfMade + endsOfMade.count
        hasMade = true
    }

    /// A look-up has set the file of a row. `known` is its former file, nil of a new row; `isExpected`, whether no
    /// event read says that this file should not be there still.
    mutating func found(
        _ node: TreeNode, _ isSame: (FileStatus) -> Bool, known: FileStatus?, isExpected: Bool, at position: UInt64
    ) {
        guard let known else { return make(node) }
        var record: Record
        if let former = self.record(of: node, at: position) {
            if former.isTakenOver, isSame(known) { return set(node, nil) }
            if !former.isLikely, let file = former.file {
                if isSame(file) { return set(node, nil) }
                record = former
            } else {
                // Where it has not moved, it was there before; where something was heard to have left, it has come since.
                if former.isLikely, let end = former.end, end != .max, isSame(known) { return }
                if former.isNew { return make(node) }
                record = Record(file: nil, isLikely: true, end: nil)
            }
        } else {
            if isSame(known) { return }
            record = Record(file: isExpected ? known : nil, isLikely: !isExpected, end: nil)
        }
        record.end = nil
        set(node, record)
        open.append(node)
    }

    /// The file of a row has left its name, and the row stays there until the `IN_MOVED_TO` is read.
    mutating func left(_ node: TreeNode, _ status: FileStatus, at position: UInt64) {
        if isEmpty { return }
        guard var record = record(of: node, at: position) else { return set(node, nil) }
        if record.isLikely, record.file == nil { record.file = status }
        record.end = .max
        set(node, record)
    }

    /// It is unknown whether a row's file still has this name; or by an event another file has come to it.
    mutating func doubt(_ node: TreeNode, file: FileStatus? = nil) {
        set(node, Record(file: file, isLikely: false, end: .max))
    }

    /// A file that no look-up has seen has come to a row's name: the row stands for that, or for its own still
    /// (`file`).
    mutating func allowReplacement(_ node: TreeNode, _ file: FileStatus) {
        set(node, Record(file: file, isLikely: true, end: .max))
    }

    /// A row's file has come to its name after the file of the event left it; by the events read the name is free.
    mutating func cameLater(_ node: TreeNode) {
        set(node, Record(file: nil, isLikely: true, isNew: true, end: .max))
    }

    /// Calls with each row that may stand for another file than the one that it knows, and until when it does. These
    /// are all rows that only a look-up settles, and at most `most` of those that look-ups have set, which are many
    /// where files are made all the time.
    func forEach(at position: UInt64, most: Int, _ body: (TreeNode, Doubt, _ end: UInt64) -> Void) {
        var rest = most
        for (node, record) in records {
            guard let end = record.end, end > position, !record.isLikely || rest > 0 else { continue }
            if record.isLikely { rest -= 1 }
            body(node, record.doubt, end)
        }
        for node in made.keys.prefix(rest) {
            if let end = record(of: node)?.end, end > position { body(node, .new, end) }
        }
    }

    /// A row of which another process has told that.
    mutating func restore(_ node: TreeNode, _ doubt: Doubt, until end: UInt64) {
        set(node, Record(doubt, until: end))
        if end != .max { lastEnd = max(lastEnd, end) }
    }

    /// A row has got another name by an event: only a look-up there shows whether its file is the one that it knows.
    mutating func moved(_ node: TreeNode, at position: UInt64) {
        if isEmpty { return }
        set(node, moved(record(of: node, at: position)))
    }

    private func moved(_ record: Record?) -> Record? {
        guard let record else { return nil }
        return Record(
            file: record.isLikely ? nil : record.file, isLikely: false, isTakenOver: record.isTakenOver, end: .max)
    }

    /// A directory that no look-up has seen was renamed onto that of a row.
    mutating func takenOver(_ node: TreeNode) {
        set(node, Record(file: nil, isLikely: false, isTakenOver: true, end: .max))
    }

    func isTakenOver(_ node: TreeNode) -> Bool { !records.isEmpty && records[node]?.isTakenOver == true }

    /// A row takes over the record of another, which goes.
    mutating func replaced(_ target: TreeNode, by source: TreeNode, at position: UInt64) {
        if isEmpty { return }
        set(target, moved(record(of: source, at: position)))
        set(source, nil)
    }

    /// A row's known file is its file, or the row goes, and is free for another.
    mutating func forget(_ node: TreeNode) {
        if !isEmpty { set(node, nil) }
    }

    mutating func forget(where isOver: (TreeNode) -> Bool) {
        for node in nodes(where: isOver) { set(node, nil) }
    }

    func nodes(where isWanted: (TreeNode) -> Bool) -> [TreeNode] {
        records.keys.filter(isWanted) + made.keys.filter(isWanted)
    }

    /// Whether looks were made since the stream was read.
    var hasLooked: Bool { hasMade || !open.isEmpty }

    /// The stream is read on. Where nothing is queued (`end` is its position), whatever was found had been heard of.
    mutating func reads(from position: UInt64, to end: UInt64) {
        if hasLooked { lastEnd = max(lastEnd, end) }
        if hasMade { endsOfMade.append(end) }
        hasMade = false
        for node in open where records[node] != nil && records[node]?.end == nil { records[node]?.end = end }
        open.removeAll(keepingCapacity: open.count < 65_536)
        let isOver = position >= lastEnd
        guard isOver || records.count + made.count >= limit else { return }
        if !records.isEmpty { records = records.filter { $0.value.end.map { $0 > position } ?? true } }
        if isOver {
            made.removeAll(keepingCapacity: made.count < 65_536)
        } else {
            let first = endsOfMade.firstIndex { $0 > position } ?? endsOfMade.count
            endsOfMade.removeFirst(first)
            firstOfMade += first
            made = made.filter { $0.value >= firstOfMade }
        }
        if made.isEmpty {
            firstOfMade += endsOfMade.count
            endsOfMade = []
        }
        limit = max(leastLimit, 2 * (records.count + made.count))
    }
}

extension ProvisionalRows.Record {
    /// A record from another process, which knew the file.
    fileprivate init(_ doubt: ProvisionalRows.Doubt, until end: UInt64) {
        self.init(
            file: nil, isLikely: doubt == .likely || doubt == .new, isNew: doubt == .new,
            isTakenOver: doubt == .takenOver, end: end)
    }

    fileprivate var doubt: ProvisionalRows.Doubt {
        isLikely ? isNew ? .new : .likely : isTakenOver ? .takenOver : .unknown
    }
}

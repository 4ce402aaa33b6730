// Counts the distinct values of one attribute.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
package import Metadata
package import MetadataIndex

/// Counts the distinct values of one attribute over the items of one container after the other. Each value of a list,
/// such as tags, counts once for an item. An item without the attribute counts as ``MetadataValue/none``.
///
/// Values that few numbers stand for (owners, tag lists, types, directories) are counted by number, and their text is
/// made once. Names and paths are counted as bytes; a `String` is made only for the returned values.
package struct ValueTally: Sendable {
    /// The reason for which there is no answer.
    package enum Failure: Error, Hashable {
        /// There are more distinct values than this.
        case tooManyValues(Int)
        /// The values have more bytes than this together.
        case tooManyBytes(Int)
        /// The caller no longer waits.
        case cancelled
    }

    private let attribute: Attribute
    private let maximumValues: Int
    private let maximumBytes: Int
    private var numbers: [Int64: Int] = [:]
    private var texts = TextTally()
    /// Items without a value.
    private var missing = 0

    /// Makes an empty tally. It fails beyond the maxima, which bound its memory.
    package init(_ attribute: Attribute, maximumValues: Int = .max, maximumBytes: Int = .max) {
        self.attribute = attribute
        self.maximumValues = maximumValues
        self.maximumBytes = maximumBytes
    }

    /// Counts the items of a selection. `environment` is the plan's; tags that its viewer may not read count as none.
    /// Complexity: O(rows). Each account name is looked up once, which may block.
    package mutating func add(
        _ selection: RowSelection, in snapshot: IndexSnapshot, environment: PlanEnvironment,
        guard scanGuard: ScanGuard? = nil
    ) throws(Failure) {
        switch attribute {
        case .size, .created, .modified, .changed, .ownerID, .groupID, .mode, .inode, .device, .links:
            let column = IntegerColumn(attribute)
            try forEach(selection, scanGuard) { tally, row in
                tally.add(number: column.flatMap { environment.status(of: row, in: snapshot).number($0) })
            }
        case .depth:
            try forEach(selection, scanGuard) { $0.add(number: Int64(snapshot.depth(of: $1))) }
        case .hidden:
            try forEach(selection, scanGuard) { tally, row in
                tally.add(number: snapshot.withName(of: row) { DerivedText.isHidden($0) } ? 1 : 0)
            }
        case .inPackage:
            try forEach(selection, scanGuard) { tally, row in tally.add(number: snapshot.isInsidePackage(row) ? 1 : 0) }
        case .isConflictVersion:
            try forEach(selection, scanGuard) { tally, row in
                tally.add(number: snapshot.isConflictVersion(row) ? 1 : 0)
            }
        case .conflictDevice:
            try forEach(selection, scanGuard) { tally, row in
                if let device = snapshot.conflictName(of: row)?.device, !device.isEmpty {
                    tally.texts.add(Array(device.utf8))
                } else {
                    tally.missing += 1
                }
            }
        case .conflictDate:
            try forEach(selection, scanGuard) { tally, row in
                tally.add(number: snapshot.conflictName(of: row)?.date.nanoseconds)
            }
        case .hasUnresolvedConflicts:
            try forEach(selection, scanGuard) { tally, row in
                tally.add(number: environment.conflictVersions(of: row, in: snapshot) > 0 ? 1 : 0)
            }
        case .conflictVersions:
            try forEach(selection, scanGuard) { tally, row in
                tally.add(number: environment.conflictVersions(of: row, in: snapshot))
            }
        case .conflictOf:
            try forEach(selection, scanGuard) { tally, row in
                guard snapshot.isConflictVersion(row) else {
                    tally.missing += 1
                    return
                }
                var path = environment.rootPath + [UInt8(ascii: "/")]
                snapshot.appendPath(of: row, to: &path)
                if let original = DerivedText.conflictOf(path: path) { tally.texts.add(original) }
            }
        case .isUbiquitous, .downloadingStatus, .isDownloading, .percentDownloaded, .downloadingError, .isUploaded,
            .isUploading, .percentUploaded, .uploadedTo, .uploadingError, .savingDevice:
            let attribute = attribute
            try forEach(selection, scanGuard) { tally, row in
                switch snapshot.sync(of: row).value(of: attribute) {
                case .boolean(let value): tally.add(number: value ? 1 : 0)
                case .integer(let value): tally.add(number: value)
                case .string(let value): tally.texts.add(Array(value.utf8))
                case .array: tally.add(snapshot.sync(of: row).uploadedTo, 1)
                default: tally.missing += 1
                }
            }
        case .name, .displayName:
            try forEach(selection, scanGuard) { tally, row in snapshot.withName(of: row) { tally.texts.add($0) } }
        case .fileExtension:
            try forEach(selection, scanGuard) { tally, row in
                snapshot.withName(of: row) { name in
                    if let text = DerivedText.fileExtension(of: name) {
                        tally.texts.add(text)
                    } else {
                        tally.missing += 1
                    }
                }
            }
        case .path:
            var cursor = PathCursor(snapshot)
            var path = environment.rootPath + [UInt8(ascii: "/")]
            let prefix = path.count
            try forEach(selection, scanGuard) { tally, row in
                path.removeSubrange(prefix...)
                cursor.appendPath(of: row, to: &path)
                tally.texts.add(path)
            }
        case .id:
            var text: [UInt8] = []
            try forEach(selection, scanGuard) { tally, row in
                text.removeAll(keepingCapacity: true)
                snapshot.identifier(of: row)?.appendText(epoch: environment.epoch, to: &text)
                tally.texts.add(text)
            }
        case .container:
            if !selection.isEmpty { texts.add(Array(environment.container.utf8), count: selection.count) }
        default:
            let numbered = try count(selection, scanGuard, in: snapshot, environment)
            for (number, count) in numbered {
                add(number, count, in: snapshot, environment)
                if scanGuard?.isCancelled ?? false { throw .cancelled }
                try check()
            }
        }
        try check()
    }

    /// Returns the values with their counts, the most frequent first, equally frequent ones in order
    /// (``SortKeyBytes``), and the first `limit` of them if given. Complexity: O(n log n) in the distinct values.
    package consuming func counts(limit: Int? = nil) -> [(value: MetadataValue, count: Int)] {
        texts = readable()
        var entries: [(entry: Entry, count: Int)] = []
        entries.reserveCapacity(texts.count + numbers.count + 1)
        if missing > 0 { entries.append((.missing, missing)) }
        for (number, count) in numbers { entries.append((.number(number), count)) }
        for text in 0..<texts.count { entries.append((.text(text), texts.count(of: text))) }
        let wanted = max(0, min(limit ?? entries.count, entries.count))
        guard wanted > 0 else { return [] }
        if wanted < entries.count {
            // Values rarer than the last wanted one need no order.
            let least = entries.map(\.count).sorted(by: >)[wanted - 1]
            entries.removeAll { $0.count < least }
        }
        return entries.map { (entry: $0.entry, count: $0.count, key: key(of: $0.entry)) }
            .sorted { a, b in
                a.count != b.count ? a.count > b.count : a.key.lexicographicallyPrecedes(b.key)
            }
            .prefix(wanted).map { (value(of: $0.entry), $0.count) }
    }

    // MARK: Counting

    private mutating func add(number: Int64?) {
        if let number { numbers[number, default: 0] += 1 } else { missing += 1 }
    }

    private func check() throws(Failure) {
        if texts.count > maximumValues || numbers.count > maximumValues { throw .tooManyValues(maximumValues) }
        if texts.bytes > maximumBytes { throw .tooManyBytes(maximumBytes) }
    }

    private mutating func forEach(
        _ selection: RowSelection, _ scanGuard: ScanGuard?, _ body: (inout ValueTally, Row) -> Void
    ) throws(Failure) {
        var rows = 0
        for row in selection {
            body(&self, row)
            rows &+= 1
            if rows & 1_023 != 0 { continue }
            if scanGuard?.isCancelled ?? false { throw .cancelled }
            try check()
        }
    }

    /// Counts by numbers that stand for values of this container: accounts, types, directories and lists, with -1 for
    /// none.
    private mutating func count(
        _ selection: RowSelection, _ scanGuard: ScanGuard?, in snapshot: IndexSnapshot, _ environment: PlanEnvironment
    ) throws(Failure) -> [Int64: Int] {
        var counts: [Int64: Int] = [:]
        // Neighbours are often alike.
        var last: Int64 = -1
        var run = 0
        func tally(_ number: Int64) {
            if number != last {
                if run > 0 { counts[last, default: 0] += run }
                (last, run) = (number, 0)
            }
            run += 1
        }
        let (types, viewer, attribute) = (environment.types, environment.viewer, attribute)
        try forEach(selection, scanGuard) { _, row in
            switch attribute {
            case .kind: tally(Int64(snapshot.kind(of: row).rawValue))
            case .owner: tally(Int64(snapshot.status(of: row).owner))
            case .group: tally(Int64(snapshot.status(of: row).group))
            case .parent:
                let parent = snapshot.parent(of: row)
                tally(parent == .root ? -1 : Int64(parent.number))
            case .scope: tally(snapshot.isInDocuments(row) ? 1 : 0)
            case .contentType, .contentTypeTree:
                let type = snapshot.withName(of: row) { types.type(snapshot.kind(of: row), $0) }
                tally(type.map { Int64($0.rawValue) } ?? -1)
            case .tags, .comment, .rating, .whereFrom, .target, .extended:
                let number = snapshot.xattrNumber(of: row)
                let isClosed =
                    viewer.map {
                        !$0.credentials.may(.read, snapshot.access(of: row))
                            && !snapshot.xattrs(numbered: number).isTarget
                    } ?? false
                tally(isClosed ? -1 : Int64(number))
            default: tally(-1)
            }
        }
        if run > 0 { counts[last, default: 0] += run }
        return counts
    }

    /// Counts the value that a number of ``count(_:_:in:_:)`` stands for.
    private mutating func add(
        _ number: Int64, _ count: Int, in snapshot: IndexSnapshot, _ environment: PlanEnvironment
    ) {
        guard number >= 0 else {
            missing += count
            return
        }
        let account = UInt32(truncatingIfNeeded: number)
        switch attribute {
        case .kind:
            for kind in FileKind.allCases where Int64(kind.rawValue) == number { add(kind.name.description, count) }
        case .owner: texts.add(environment.accounts.user(account), count: count)
        case .group: texts.add(environment.accounts.group(account), count: count)
        case .parent:
            guard let parent = snapshot.identifier(of: Row(account)) else { return }
            add(parent.text(epoch: environment.epoch), count)
        case .scope: add(number == 1 ? "documents" : "data", count)
        case .contentType: add(type(number, environment), count)
        case .contentTypeTree: add(environment.types.tree(of: type(number, environment)), count)
        case .tags: add(snapshot.xattrs(numbered: account).tags, count)
        case .comment, .rating, .whereFrom, .target, .extended:
            switch snapshot.xattrs(numbered: account).value(of: attribute) {
            case .string(let text): add(text, count)
            case .integer(let number): numbers[number, default: 0] += count
            default: missing += count
            }
        default: missing += count
        }
    }

    private func type(_ number: Int64, _ environment: PlanEnvironment) -> String {
        environment.types.text(of: .init(rawValue: UInt16(truncatingIfNeeded: number)))
    }

    private mutating func add(_ text: String, _ count: Int) { texts.add(Array(text.utf8), count: count) }

    /// Counts each element of a list without duplicates.
    private mutating func add(_ list: [String], _ count: Int) {
        if list.isEmpty { missing += count }
        for text in list { add(text, count) }
    }

    // MARK: Telling

    private enum Entry {
        case missing
        case number(Int64)
        case text(Int)
    }

    /// The returned texts. Names that are not UTF-8 and read the same count as one.
    private func readable() -> TextTally {
        let isValid = (0..<texts.count).allSatisfy { String(validating: texts.text(of: $0), as: UTF8.self) != nil }
        if isValid { return texts }
        var readable = TextTally()
        for text in 0..<texts.count {
            let bytes = Array(String(decoding: texts.text(of: text), as: UTF8.self).utf8)
            readable.add(bytes, count: texts.count(of: text))
        }
        return readable
    }

    private func key(of entry: Entry) -> [UInt8] {
        var key = SortKeyBytes()
        switch entry {
        case .missing: key.appendMissing()
        case .number(let number) where attribute.type == .boolean: key.append(number != 0)
        case .number(let number) where attribute.isUnsigned: key.append(UInt64(bitPattern: number))
        case .number(let number): key.append(number)
        case .text(let text): key.append(text: texts.text(of: text))
        }
        return key.bytes
    }

    private func value(of entry: Entry) -> MetadataValue {
        switch entry {
        case .missing: .none
        case .number(let number):
            switch attribute.type {
            case .boolean: .boolean(number != 0)
            case .date: .date(Timestamp(nanoseconds: number))
            default: attribute.value(ofBits: number)
            }
        case .text(let text): .string(String(decoding: texts.text(of: text), as: UTF8.self))
        }
    }
}

extension IntegerColumn {
    fileprivate init?(_ attribute: Attribute) {
        switch attribute {
        case .size: self = .size
        case .created: self = .created
        case .modified: self = .modified
        case .changed: self = .changed
        case .ownerID: self = .owner
        case .groupID: self = .group
        case .mode: self = .mode
        case .inode: self = .inode
        case .device: self = .device
        case .links: self = .links
        default: return nil
        }
    }
}

extension IndexSnapshot {
    /// Whether a row lies below the container's `Documents`.
    fileprivate func isInDocuments(_ row: Row) -> Bool {
        var top = row
        while parent(of: top) != .root { top = parent(of: top) }
        if top == row { return false }
        return withName(of: top) { name in name.elementsEqual(DerivedText.documents.utf8) }
    }
}

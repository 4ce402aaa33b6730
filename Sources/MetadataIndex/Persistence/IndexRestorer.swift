// An index on its way back from its saved state.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// An index on its way back: the rows that were saved, the changes of the journal applied one after the other, then
/// ``finish(concurrently:)``, which looks whether all of it can be.
///
/// The journal is applied to the columns alone. Derived data is made once, at the end, so that neither order nor number
/// of changes matters, and an impossible change is found by the same look as a damaged row.
package final class IndexRestorer {
    package let epoch: UInt64
    /// The index's clock as of the records applied.
    package private(set) var clock: UInt64
    /// Whether changes are missing between the applied ones and later ones, so that the identifiers given out then are
    /// not known: the index stands where it stood before them.
    package private(set) var isBehind = false
    /// Whether changes beyond the saved ones may have been sent, so that identifiers may have been given out that are
    /// not known here.
    package var mayHaveLost = false

    var rows: RowStore
    var slotCount: UInt32
    var generationFloor: UInt32
    /// Whether the items are detached, as nothing was told since that was saved.
    private(set) var isDetached: Bool
    var log: ChangeLog
    /// The access lists of rows and log, until they are lists of this process.
    var lists: RestoredAccessLists
    /// Those that are, by their handles from before; nil as long as none is.
    var restoredLists: [AccessListID: AccessListID]?
    /// How many slots there can be.
    private var mostSlots: Int
    /// The last clock of all that the journal says of the index, also where it does not lead on.
    private var lastClock: UInt64 = 0
    /// The clock of the last change that was told; nil where none was.
    private var loggedClock: UInt64?

    /// The daemon's sequence from which on all records are seen; to be set before the first is applied.
    package var historyStart: UInt64 = 0
    /// The daemon's sequence at each change in the log.
    private var ticks: [UInt64] = []
    private var tickBase: UInt64 = 0
    private var tickFloor: UInt64 = 0

    private var commonNumbers: [CommonAttributes: UInt32]?
    private var xattrNumbers: [ExtraAttributes: UInt32]?
    // Buffers for the record at hand, kept for their memory.
    private var set = ChangeSet()
    private var localLists = SnapshotAccessLists()
    private var localCommon: [UInt32] = []
    private var localXattrs: [UInt32] = []
    private var localRecords: [ExtraAttributes] = []

    init(
        epoch: UInt64, clock: UInt64, rows: RowStore, slotCount: UInt32, generationFloor: UInt32, isDetached: Bool,
        lists: RestoredAccessLists = RestoredAccessLists(), log: ChangeLog = ChangeLog()
    ) {
        self.epoch = epoch
        self.clock = clock
        self.rows = rows
        self.slotCount = slotCount
        self.generationFloor = generationFloor
        self.isDetached = isDetached
        self.lists = lists
        self.log = log
        mostSlots = Int(slotCount) + JournalFormat.largestUnrecorded
    }

    /// Forgets the changes that were told so far, as something is missing behind them; the daemon's sequence is given.
    package func cutLog(at sequence: UInt64) {
        loggedClock = nil
        historyStart = sequence
    }

    /// No later record leads on from here: it was made of a state that is not known.
    package func end() { isBehind = true }

    /// Applies a record, in the order of the journal; one that is in the rows already is only remembered for
    /// subscribers that come back. Records of other indexes are passed over.
    ///
    /// - Throws: where the record cannot be; the index is of no use then.
    package func apply(_ record: JournalRecord) throws(RestoreError) {
        guard record.epoch == epoch else { return }
        if record.kind != .floor { lastClock = max(lastClock, try SnapshotFormat.checked(clock: record.clock)) }
        // Generations given out since then are not given again, wherever the rows stand.
        guard !isBehind || record.kind == .floor else { return }
        switch record.kind {
        case .floor:
            guard let floor = UInt32(exactly: record.clock) else { throw .malformed("a generation") }
            generationFloor = max(generationFloor, floor)
        case .removed, .ended, .accessChanged: break
        case .unrecorded:
            try check(record)
            restartLog(at: record.clock, sequence: record.sequence)
            loggedClock = record.clock
            if record.clock > clock { isBehind = true }
        case .changes:
            try check(record)
            let isNew = record.clock > clock
            guard !isNew || record.clock == clock + 1 else {
                isBehind = true
                return
            }
            if isNew, isDetached {
                // Changes made while they are detached are not journaled: they are back, as many as this says.
                isDetached = false
                vacateAll()
            }
            guard try read(record, isNew: isNew) else {
                restartLog(at: record.clock, sequence: record.sequence)
                loggedClock = record.clock
                return
            }
            if loggedClock != record.clock - 1 {
                restartLog(
                    at: record.clock - 1, sequence: loggedClock == nil ? historyStart : record.sequence - 1)
            }
            set.since = record.clock - 1
            set.clock = record.clock
            set.preImages.lend(rows)
            log.append(set)
            set.preImages.endLoan()
            note(record.sequence)
            loggedClock = record.clock
            if isNew { clock = record.clock }
            if lists.isTidyDue { tidyLists(at: record.clock) }
        }
    }

    private func check(_ record: JournalRecord) throws(RestoreError) {
        guard record.clock > 0, record.sequence > 0 else { throw .malformed("a clock") }
    }

    /// No more ticks are kept than the log may have changes; they go by halves.
    private func note(_ sequence: UInt64) {
        ticks.append(sequence)
        guard ticks.count > 2 * ChangeLog.maximumChanges else { return }
        tickFloor = ticks[ChangeLog.maximumChanges - 1]
        tickBase += UInt64(ChangeLog.maximumChanges)
        ticks.removeFirst(ChangeLog.maximumChanges)
    }

    private func restartLog(at clock: UInt64, sequence: UInt64) {
        log.cut(at: clock)
        ticks = []
        tickBase = clock
        tickFloor = sequence
    }

    /// Where the index's clock stood against the daemon's sequence: `sequences` are those of the changes after the clock
    /// `base`, and before the sequence `floor` nothing is known. The journal ended at the sequence `end`.
    package func clockTicks(end: UInt64) -> (base: UInt64, floor: UInt64, sequences: [UInt64]) {
        // Changes sent at the sequence `end` itself are ahead of these rows.
        if isBehind { return (finishedClock, end &+ 1, []) }
        if loggedClock.map({ $0 != clock }) == true { return (clock, end, []) }
        if loggedClock == nil { return (clock, historyStart, []) }
        return (tickBase, tickFloor, ticks)
    }

    /// Behind all clocks that there were, where changes are missing: no two states have one clock, else the next start
    /// would apply to the one state the changes of the other. Not the next one, so that none leads on to it.
    private var finishedClock: UInt64 { isBehind ? max(clock, lastClock) + 1 : clock }

    /// The log for the clock that the rows have.
    private var finishedLog: ChangeLog {
        var log = log
        if isBehind || loggedClock != clock { log.cut(at: finishedClock) }
        return log
    }

    // MARK: The end

    /// The index alone: see ``finish(_:concurrently:)``.
    package func finish(concurrently: Concurrently = inOrder) throws(RestoreError) -> MetadataIndex {
        var allowance = AccessListAllowance()
        return try finish(&allowance, concurrently: concurrently)
    }

    /// The index, after a look at all of it. The restorer is of no use afterwards. The access lists that only its past has are
    /// as many as the allowance leaves.
    ///
    /// Complexity: O(rows). The parts that are handed to `concurrently` take half of it.
    package func finish(
        _ allowance: inout AccessListAllowance, concurrently: Concurrently = inOrder
    ) throws(RestoreError) -> MetadataIndex {
        try restoreLists()
        var log = finishedLog
        restoreLists(of: &log, at: try SnapshotFormat.checked(clock: finishedClock), &allowance)
        var assembly = IndexAssembly(rows: rows, slotCount: slotCount, key: .random(in: .min ... .max))
        rows = RowStore()
        var floor = generationFloor
        if isBehind || mayHaveLost {
            guard let raised = assembly.raisedGeneration(above: floor) else { throw .malformed("the generations") }
            floor = raised
        }
        var storage = try assembly.assemble(generationFloor: floor, concurrently: concurrently)
        storage.recorder = ChangeRecorder(log: log, clock: finishedClock)
        if isDetached { storage.detachAll(isRecorded: false) }
        return MetadataIndex(epoch: epoch, storage: storage)
    }

    // MARK: One record

    /// Reads a record of changes. False, and nothing is read, where there were more slots then than there are: it followed on a
    /// gap, and these rows come from before that.
    private func read(_ record: JournalRecord, isNew: Bool) throws(RestoreError) -> Bool {
        var reader = ByteReader(record.body)
        let slots = try reader.number(UInt32.self)
        let count = Int(try reader.number(UInt32.self))
        var changes = ByteReader(try reader.bytes(Int(try reader.number(UInt32.self))))
        localLists = try SnapshotAccessLists(from: &reader, &lists)
        try readCommon(&reader)
        try readXattrs(&reader)
        try reader.end()
        guard count > 0, count <= JournalFormat.largestSet else { throw .malformed("the number of changes") }
        if isNew {
            mostSlots += count
            guard slots >= slotCount, slots < Row.none, Int(slots) <= mostSlots else {
                throw .malformed("the number of rows")
            }
            extend(to: slots)
        } else if slots > slotCount {
            return false
        }
        set.changes.removeAll(keepingCapacity: true)
        set.preImages.records.removeAll(keepingCapacity: true)
        set.preImages.names.removeAll(keepingCapacity: true)
        set.preImages.sharedXattrs = SharedXattrs()
        set.preImages.packages.removeAll(keepingCapacity: true)
        set.preImages.conflicts.removeAll(keepingCapacity: true)
        for _ in 0..<count { try readChange(&changes, isNew: isNew) }
        try changes.end()
        return true
    }

    private func readCommon(_ reader: inout ByteReader) throws(RestoreError) {
        var numbers = commonNumbers ?? [:]
        if commonNumbers == nil {
            for (number, attributes) in rows.common.enumerated() { numbers[attributes] = UInt32(number) }
        }
        commonNumbers = nil
        let count = try reader.count(of: CommonAttributes.codeSize)
        localCommon.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            let attributes = try CommonAttributes(from: &reader, localLists)
            if let known = numbers[attributes] {
                localCommon.append(known)
            } else {
                let number = UInt32(rows.common.count)
                rows.common.append(attributes)
                numbers[attributes] = number
                localCommon.append(number)
            }
        }
        commonNumbers = numbers
    }

    private func readXattrs(_ reader: inout ByteReader) throws(RestoreError) {
        let count = try reader.count(of: ExtraAttributes.smallestCode)
        localXattrs.removeAll(keepingCapacity: true)
        localRecords.removeAll(keepingCapacity: true)
        guard count > 0 else { return }
        var numbers = xattrNumbers ?? [:]
        if xattrNumbers == nil {
            for number in 2..<UInt32(rows.xattrList.count) { numbers[rows.xattrList[number]] = number }
        }
        xattrNumbers = nil
        for _ in 0..<count {
            let record = try ExtraAttributes(from: &reader)
            if let known = numbers[record] {
                localRecords.append(rows.xattrList[known])
                localXattrs.append(known)
            } else {
                let number = UInt32(rows.xattrList.count)
                rows.xattrList.append(record)
                localRecords.append(record)
                numbers[record] = number
                localXattrs.append(number)
            }
        }
        xattrNumbers = numbers
    }

    /// Slots that came, as if somebody had been in each and gone.
    private func extend(to slots: UInt32) {
        while slotCount < slots {
            let row = slotCount
            if RowStore.block(row) == rows.blocks.count { rows.blocks.append(BlockStorage()) }
            let block = rows.writable(row)
            let slot = RowStore.slot(row)
            block.setValues(
                slot,
                RowValues(size: 0, created: 0, modified: 0, changed: 0, inode: 0, common: 0, links: 0, kind: .file))
            block.parent[slot] = 0
            block.generation[slot] = generationFloor
            block.name[slot] = UInt32(truncatingIfNeeded: block.header.pointee.nameEnd << 8)
            block.header.pointee.used = slot + 1
            slotCount += 1
        }
    }

    private func readChange(_ reader: inout ByteReader, isNew: Bool) throws(RestoreError) {
        let row = try reader.number(UInt32.self)
        guard row > 0, row < slotCount else { throw .malformed("a row") }
        let presence = try reader.number(UInt8.self)
        guard presence <= JournalFormat.Presence.all else { throw .malformed("a change") }
        var preImage = ChangeSet.noPreImage
        if presence & JournalFormat.Presence.preImage != 0 {
            let state = try savedRow(&reader)
            let name = try readName(&reader)
            preImage = UInt32(set.preImages.records.count)
            var xattrs = state.xattrs
            if xattrs > XattrTable.empty {
                xattrs = set.preImages.sharedXattrs.place(of: localRecords[Int(xattrs) - 2]) + 2
            }
            set.preImages.records.append(
                PreImageStore.Record(
                    values: state.values, generation: state.generation, parent: state.parent,
                    nameOffset: set.preImages.names.count, xattrs: xattrs,
                    nameLength: UInt16(truncatingIfNeeded: name.count)))
            if let package = state.package { set.preImages.packages[set.preImages.names.count] = package }
            if presence & JournalFormat.Presence.conflicts != 0 {
                let beside = try reader.number(UInt32.self)
                let count = ConflictCount(beside: beside, inside: try reader.number(UInt32.self))
                set.preImages.conflicts[set.preImages.names.count] = count
            }
            set.preImages.names.append(contentsOf: name)
        }
        set.changes.append(ChangeSet.Change(row: row, preImage: preImage))
        guard presence & JournalFormat.Presence.current != 0 else {
            let generation = try reader.number(UInt32.self)
            if isNew { vacate(row, generation) }
            return
        }
        let state = try savedRow(&reader)
        guard presence & JournalFormat.Presence.sameName == 0 else {
            if isNew {
                guard rows.isLive(row) else { throw .malformed("a change of nobody") }
                occupy(row, state, name: nil)
            }
            return
        }
        let name = try readName(&reader)
        if isNew { occupy(row, state, name: name) }
    }

    /// A state with the combination's number of ours; the number of its extended attributes still the record's.
    private func savedRow(_ reader: inout ByteReader) throws(RestoreError) -> SnapshotRow {
        var state = try SnapshotRow(from: &reader, localLists)
        guard Int(state.values.common) < localCommon.count else { throw .malformed("an owner") }
        state.values.common = localCommon[Int(state.values.common)]
        guard Int(state.xattrs) < localXattrs.count + 2 else { throw .malformed("extras") }
        return state
    }

    private func readName(_ reader: inout ByteReader) throws(RestoreError) -> UnsafeRawBufferPointer {
        let name = try reader.bytes(Int(try reader.number(UInt16.self)))
        guard isValidName(name) else { throw .malformed("a name") }
        // A former name counts, too: changes since then are sent to subscribers that come back.
        if ArchiveName.isName(name) { rows.hasArchives = true }
        return name
    }

    private func occupy(_ row: UInt32, _ state: SnapshotRow, name: UnsafeRawBufferPointer?) {
        let block = rows.writable(row)
        let slot = RowStore.slot(row)
        let wasLive = block.isLive(slot)
        if let name { block.setName(slot, name, replacing: wasLive) }
        block.setValues(slot, state.values)
        block.parent[slot] = state.parent
        block.generation[slot] = state.generation
        block.setXattrs(slot, state.xattrs > XattrTable.empty ? localXattrs[Int(state.xattrs) - 2] : state.xattrs)
        if state.package != nil || !rows.packages.isEmpty { rows.packages[row] = state.package }
        guard !wasLive else { return }
        block.isLive[slot >> 6] |= 1 << UInt64(slot & 63)
        block.header.pointee.live += 1
    }

    /// All items have gone. The same record names those that are back.
    private func vacateAll() {
        for row in 1..<slotCount where rows.isLive(row) {
            let generation = rows.generation(row)
            vacate(row, generation == .max ? generation : max(generation + 1, generationFloor))
        }
    }

    private func vacate(_ row: UInt32, _ generation: UInt32) {
        let block = rows.writable(row)
        let slot = RowStore.slot(row)
        block.generation[slot] = generation
        guard block.isLive(slot) else { return }
        if !rows.packages.isEmpty { rows.packages[row] = nil }
        block.dropName(slot)
        block.setXattrs(slot, XattrTable.unknown)
        block.isLive[slot >> 6] &= ~(1 << UInt64(slot & 63))
        block.header.pointee.live -= 1
    }
}

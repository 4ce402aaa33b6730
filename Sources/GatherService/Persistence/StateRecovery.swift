// Reads the saved state and decides how much of it is usable.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import MetadataIndex

/// Reads the saved state: the index of each container, then the segments of the journal in order.
///
/// A damaged index is set aside. Its container is read again and all clocks are forgotten, so that subscribers get its
/// items again. A missing segment invalidates the clocks that would need it.
///
/// Unused indexes stay on the disk (``RecoveredState/useless``). If this start fails, the next one finds them and forgets
/// the clocks, too.
struct StateRecovery {
    private struct Candidate {
        let name: String
        let configuration: ContainerConfiguration
        var description: SnapshotDescription
        let restorer: IndexRestorer
        let savedClock: UInt64
        let savedBytes: Int
        var journaledBytes = 0
        /// Whether the journal read so far continues from the index.
        var isActive = true
    }

    private let files: PersistentFiles
    private let boot: JournalSegmentHeader.BootIdentifier
    private var state = RecoveredState()
    private var candidates: [UInt64: Candidate] = [:]
    /// The epochs of indexes that the journal names.
    private var mentioned: Set<UInt64> = []

    /// The number of threads besides the calling one.
    private static let others = 1

    init(files: PersistentFiles, boot: JournalSegmentHeader.BootIdentifier) {
        self.files = files
        self.boot = boot
    }

    /// Returns the saved state of these containers. Complexity: O(rows and journal). No other code may use the
    /// directory meanwhile.
    static func load(
        _ files: PersistentFiles, _ containers: [ContainerConfiguration], boot: JournalSegmentHeader.BootIdentifier
    ) -> RecoveredState {
        var loader = StateRecovery(files: files, boot: boot)
        return loader.load(containers)
    }

    private mutating func load(_ containers: [ContainerConfiguration]) -> RecoveredState {
        let (indexes, segments) = files.list()
        var byName: [String: ContainerConfiguration] = [:]
        for container in containers { byName[PersistentFiles.indexName(container.identifier)] = container }
        for name in indexes {
            if let container = byName[name] {
                loadIndex(name, container)
            } else {
                markUseless(name)
            }
        }
        readJournal(segments)
        finish()
        return state
    }

    // MARK: Indexes

    private mutating func loadIndex(_ name: String, _ configuration: ContainerConfiguration) {
        do throws(RestoreError) {
            let file = try SavedFile(files.path(name))
            let reader = try SnapshotReader(file)
            guard let description = SnapshotDescription(reader.attachment) else { throw .malformed("the description") }
            guard description.fits(configuration) else { return readAnew(name, configuration) }
            let restorer = try reader.restorer { Threads.perform($0, others: StateRecovery.others, $1) }
            guard candidates[reader.epoch] == nil else { throw .malformed("an index that is there twice") }
            candidates[reader.epoch] = Candidate(
                name: name, configuration: configuration, description: description, restorer: restorer,
                savedClock: reader.clock, savedBytes: file.byteCount)
        } catch {
            setAside(name, configuration.identifier, error)
        }
    }

    private mutating func readAnew(_ name: String, _ configuration: ContainerConfiguration) {
        state.notes.append(
            "the settings of container '\(configuration.identifier)' have changed, so its saved index is not used; it is being read again"
        )
        markUseless(name)
    }

    /// Notes an unused index. Its items were published, so earlier clocks are forgotten.
    private mutating func markUseless(_ name: String, isKept: Bool = false) {
        state.useless.append(RecoveredState.Useless(name: name, isKept: isKept))
        state.hasVanished = true
    }

    private mutating func setAside(_ name: String, _ identifier: String, _ error: RestoreError) {
        markUseless(name, isKept: true)
        state.notes.append(
            "the saved index of container '\(identifier)' cannot be used: \(error); it was set aside as *.damaged, and the container is being read again"
        )
    }

    // MARK: The journal

    private mutating func readJournal(_ segments: [(name: String, number: UInt64, isCut: Bool)]) {
        /// Whether the next segment cannot continue from here.
        var isBroken = false
        var mayHaveLost = segments.isEmpty
        for (name, number, isCut) in segments {
            state.nextSegment = max(state.nextSegment, number &+ 1)
            mayHaveLost = false
            do throws(RestoreError) {
                let bytes = try files.read(name, limit: PersistenceLimits.largestJournal)
                let (end, isWhole, endedCleanly) = try read(bytes, name, number, isBroken: &isBroken)
                state.segments.append(RecoveredState.Segment(name: name, number: number, byteCount: end))
                if !isWhole {
                    state.repairs.append(.truncate(name: name, byteCount: end))
                    state.notes.append(
                        "the journal ends in the middle of a record; later changes are found by comparison")
                }
                if isCut {
                    let plain = PersistentFiles.journalName(number)
                    state.segments[state.segments.count - 1].name = plain
                    state.repairs.append(.rename(name: name, to: plain))
                }
                mayHaveLost = !isWhole || isCut || (lastBoot != boot && !endedCleanly)
            } catch {
                state.repairs.append(.setAside(name: name))
                state.lastRun = nil
                state.notes.append(
                    "a segment of the journal cannot be used: \(error); it was set aside as *.damaged, and live queries start over"
                )
                isBroken = true
                mayHaveLost = true
            }
        }
        state.isContinuation = !isBroken
        if mayHaveLost { for candidate in candidates.values { candidate.restorer.mayHaveLost = true } }
    }

    private var lastBoot: JournalSegmentHeader.BootIdentifier?

    /// Reads one segment. Returns the end of its last complete record, whether the segment ends there, and whether that
    /// record marks the end of a run.
    private mutating func read(
        _ bytes: [UInt8], _ name: String, _ number: UInt64, isBroken: inout Bool
    ) throws(RestoreError) -> (end: Int, isWhole: Bool, endedCleanly: Bool) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(RestoreError) in
            var reader = try JournalReader(UnsafeRawBufferPointer(buffer))
            let header = reader.header
            guard header.number == number else { throw .malformed("its number") }
            lastBoot = header.boot
            state.lastRun = header.run
            let leadsOn =
                !isBroken && header.isContinuation
                && (state.segments.isEmpty
                    || (state.segments.last?.number == number &- 1 && state.sequence == header.startSequence))
            begin(at: header.startSequence, leadsOn: leadsOn)
            isBroken = false
            var endedCleanly = false
            var failure: RestoreError?
            do throws(RestoreError) {
                while let record = try reader.next() {
                    endedCleanly = record.kind == .ended
                    apply(record)
                    state.sequence = record.sequence
                }
            } catch {
                failure = error
            }
            state.history.add(run: header.run, from: header.startSequence, through: state.sequence)
            if let failure, failure != .truncated { throw failure }
            return (reader.offset, failure == nil, endedCleanly)
        }
    }

    /// Begins a segment. If it does not continue from the former one, only indexes saved since then stay usable.
    private mutating func begin(at sequence: UInt64, leadsOn: Bool) {
        if leadsOn, !state.segments.isEmpty { return }
        state.history.cut()
        state.orphans += state.segments
        state.segments = []
        mentioned = []
        state.sequence = max(state.sequence, sequence)
        for (epoch, candidate) in candidates where candidate.isActive {
            if !leadsOn, candidate.description.sequence < sequence {
                candidates[epoch]?.isActive = false
                candidate.restorer.end()
            } else {
                candidate.restorer.cutLog(at: sequence)
            }
        }
    }

    private mutating func apply(_ record: JournalRecord) {
        switch record.kind {
        case .removed:
            state.lastRemoval = record.sequence
            mentioned.remove(record.epoch)
            // The file was to be removed after this record reached the disk. A later container may have the same name.
            if let gone = candidates.removeValue(forKey: record.epoch) {
                state.useless.append(RecoveredState.Useless(name: gone.name, isKept: false))
            }
        case .changes, .unrecorded: mentioned.insert(record.epoch)
        case .accessChanged:
            if let saved = candidates[record.epoch]?.description, saved.sequence < record.sequence {
                candidates[record.epoch]?.description.accessChanged = record.sequence
                candidates[record.epoch]?.description.ancestorAccess = record.note
            }
        case .floor, .ended: break
        }
        guard let candidate = candidates[record.epoch] else { return }
        do throws(RestoreError) {
            try candidate.restorer.apply(record)
            if record.kind == .changes, record.clock > candidate.savedClock {
                candidates[record.epoch]?.journaledBytes += record.byteCount
            }
        } catch {
            drop(candidate, error)
        }
    }

    private mutating func drop(_ candidate: Candidate, _ error: RestoreError) {
        candidates[candidate.restorer.epoch] = nil
        setAside(candidate.name, candidate.configuration.identifier, error)
    }

    // MARK: The end

    private mutating func finish() {
        let end = state.sequence
        // Access lists of present files take precedence over those that only the change log needs.
        for candidate in candidates.values {
            do throws(RestoreError) { try candidate.restorer.restoreLists() } catch { drop(candidate, error) }
        }
        for candidate in candidates.values { candidate.restorer.balanceLists() }
        var past = AccessListAllowance()
        for candidate in candidates.values {
            state.sequence = max(state.sequence, candidate.description.sequence)
            // Segment numbers never repeat, even if the journal is lost, since an index names the segment that it
            // needs.
            state.nextSegment = max(state.nextSegment, candidate.description.segment &+ 1)
        }
        // The next start continues the journal only if neither a segment nor a change is missing in between.
        let leadsOn = state.sequence == end && state.segments.last?.number == state.nextSegment &- 1
        state.isContinuation = state.isContinuation && leadsOn
        state.vanished = mentioned.subtracting(candidates.keys)
        if !state.vanished.isEmpty { state.hasVanished = true }
        for candidate in candidates.values {
            let restorer = candidate.restorer
            let isRaised = restorer.isBehind || restorer.mayHaveLost
            let ticks = restorer.clockTicks(end: state.sequence)
            do throws(RestoreError) {
                var description = candidate.description
                if !candidate.isActive || restorer.isBehind { description.ancestorAccess = [] }
                let index = try restorer.finish(&past) { Threads.perform($0, others: StateRecovery.others, $1) }
                // Packages were configured for a while after the save. The index lacks the items that they hid.
                if index.hasPackages, candidate.configuration.packages.isEmpty {
                    readAnew(candidate.name, candidate.configuration)
                    state.vanished.insert(restorer.epoch)
                    continue
                }
                state.containers[candidate.configuration.identifier] = RecoveredState.Container(
                    index: index, clocks: ClockMap(base: ticks.base, floor: ticks.floor, sequences: ticks.sequences),
                    description: description,
                    isDirty: index.clock != candidate.savedClock || isRaised || !state.isContinuation,
                    savedBytes: candidate.savedBytes, journaledBytes: candidate.journaledBytes,
                    isRaised: isRaised, isJournaled: state.isContinuation && !restorer.isBehind)
            } catch {
                state.vanished.insert(restorer.epoch)
                setAside(candidate.name, candidate.configuration.identifier, error)
            }
        }
    }
}

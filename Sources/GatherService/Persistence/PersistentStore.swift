// Writes the saved state while the daemon runs: the journal and the indexes.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import Metadata
import MetadataIndex
import NIOCore
import NIOPosix

/// Writes the saved state while the daemon runs. Event loop only. A thread of its own forces files to the disk and
/// writes indexes.
///
/// Before changes are published, they are appended to the journal with one write(2). So the next process knows all
/// published changes, even if this one is killed. After a failed write, changes are not saved until all indexes have
/// been saved again. Answers do not depend on it.
final class PersistentStore {
    /// The file of a segment, shared with the thread that forces it to the disk.
    private final class SegmentFile: Sendable {
        let name: String
        let descriptor: Descriptor
        init(_ name: String, _ descriptor: consuming Descriptor) {
            self.name = name
            self.descriptor = descriptor
        }
    }

    private struct Segment {
        let file: SegmentFile
        let number: UInt64
        var byteCount: Int
    }

    /// The identifier of this run of the daemon.
    let run = UInt64.random(in: 1...UInt64.max)
    /// The files; nil if no state is kept.
    private let files: PersistentFiles?
    private let boot: JournalSegmentHeader.BootIdentifier
    private let loop: any EventLoop
    private let journalBytes: Int
    private let segmentBytes: Int
    private let largestJournal: Int
    private let largestRecord: Int
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private var logger: Logger
    /// The segment in use; nil while changes are not saved.
    private var segment: Segment?
    private var closed: [RecoveredState.Segment] = []
    /// Indexes to remove when all written records are on the disk.
    private var useless: [RecoveredState.Useless]
    /// Segments before a gap. They stay until no saved index needs them.
    private var orphans: [RecoveredState.Segment] = []
    /// The size of the segment at which the next one begins, in bytes.
    private var rotatesAt = 0
    private var nextNumber: UInt64
    private var writer: JournalEncoder?
    private var synchronizing: Scheduled<Void>?
    private var isClosed = false
    private let forceToDisk: DaemonOptions.ForceToDisk
    /// Called if earlier changes turn out not to be saved. All indexes must be saved again.
    var hasLostTrack: () -> Void = {}
    /// Called after the directory was made again, with another identity perhaps.
    var hasMadeDirectory: () -> Void = {}
    /// Makes a removed state directory again, and locks it.
    private let renewDirectory: () throws(SystemError) -> Void
    /// The failure to save; nil while saving works.
    private(set) var failure: PersistenceFailure?

    /// Continues from the saved state. On return, the first segment of this run is on the disk, or saving is suspended.
    /// `willBegin` is called before that with the number of this run.
    init(
        _ files: PersistentFiles?, _ state: RecoveredState, boot: JournalSegmentHeader.BootIdentifier,
        loop: any EventLoop, logger: Logger, limits: ServiceLimits = ServiceLimits(),
        forceToDisk: @escaping DaemonOptions.ForceToDisk = DaemonOptions.forceToDisk,
        renewDirectory: @escaping () throws(SystemError) -> Void = { () throws(SystemError) in },
        failure: PersistenceFailure? = nil, willBegin: (UInt64) -> Void = { _ in }
    ) {
        self.renewDirectory = renewDirectory
        self.failure = failure
        self.forceToDisk = forceToDisk
        (journalBytes, segmentBytes) = (limits.journalBytes, limits.segmentBytes)
        (largestJournal, largestRecord) = (limits.largestJournal, limits.largestRecord)
        (self.files, self.boot, self.loop, self.logger) = (files, boot, loop, logger)
        nextNumber = state.nextSegment
        closed = state.segments
        orphans = state.orphans
        useless = state.useless
        guard files != nil else { return }
        thread.start()
        willBegin(run)
        do throws(SystemError) {
            try rotate(at: state.sequence, isContinuation: state.isContinuation)
            for container in state.containers.values where container.isRaised {
                writer?.append(
                    .floor, sequence: state.sequence, epoch: container.index.epoch,
                    clock: UInt64(container.index.generationFloor))
            }
            commit()
        } catch {
            suspend(error)
        }
        do throws(SystemError) {
            try forceBeginning()
        } catch {
            if segment != nil { suspend(error) }
        }
        if segment != nil { repair(state.repairs) }
    }

    /// Forces the first segment and its name to the disk, or the mark on the former segment if there is none.
    ///
    /// The former segment may record a clean end. After a loss of power, only the new name shows that a run followed,
    /// so that no identifier is given out twice. No caller waits yet.
    private func forceBeginning() throws(SystemError) {
        guard let files else { return }
        if let segment { try forceToDisk(segment.file.descriptor) }
        try forceToDisk(files.open())
    }

    /// The identifier of this boot of the machine; zero if the kernel does not have one.
    static var currentBoot: JournalSegmentHeader.BootIdentifier {
        var digits: [UInt8] = []
        if let file = try? Entry.openForReading("/proc/sys/kernel/random/boot_id") {
            withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
                let count = (try? file.read(into: buffer)) ?? 0
                digits = buffer[..<count].filter { $0 != UInt8(ascii: "-") && $0 > UInt8(ascii: " ") }
            }
        }
        let text = String(decoding: digits, as: UTF8.self)
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return .init(low: 0, high: 0) }
        return .init(low: low, high: high)
    }

    /// The identity of the directory with the files; nil if no state is kept.
    var place: FileIdentity? {
        guard let files, let status = try? EntryStatus(of: files.directory, in: Entry.workingDirectory) else {
            return nil
        }
        return FileIdentity(device: status.device, inode: status.inode, created: nil)
    }

    /// Whether any state is kept.
    var isPersistent: Bool { files != nil }

    private func repair(_ repairs: [RecoveredState.Repair]) {
        guard let files else { return }
        for repair in repairs {
            switch repair {
            case .truncate(let name, let byteCount):
                guard let file = try? Entry.openForWriting(files.path(name), mode: 0o600, truncate: false) else {
                    continue
                }
                try? file.truncate(to: byteCount)
            case .rename(let name, let plain): try? Entry.rename(files.path(name), to: files.path(plain))
            case .setAside(let name): files.setAside(name)
            }
        }
    }

    // MARK: The journal

    /// Whether changes are not saved at present.
    var isSuspended: Bool { segment == nil }

    /// Whether the segment is so large that the next one should begin.
    var isSegmentFull: Bool { segment.map { $0.byteCount > rotatesAt } ?? false }

    /// Returns the bytes of the journal from a segment on.
    func byteCount(since number: UInt64) -> Int {
        closed.reduce(segment?.byteCount ?? 0) { $1.number >= number ? $0 + $1.byteCount : $0 }
    }

    /// The bytes of all segments on the disk.
    private var byteCount: Int { orphans.reduce(byteCount(since: 0)) { $0 + $1.byteCount } }

    /// Appends a change set that was just taken from an index. Returns its size in bytes. Nil if it is not written, and
    /// the index must be saved again.
    func append(_ changes: borrowing ChangeSet, of index: MetadataIndex, sequence: UInt64) -> Int? {
        let before = writer?.bytes.count ?? 0
        guard writer?.append(changes, of: index, sequence: sequence) == true else { return nil }
        return (writer?.bytes.count ?? 0) - before
    }

    /// Records that an index changed in a way that the journal does not have.
    func appendUnrecorded(_ index: MetadataIndex, sequence: UInt64) {
        writer?.append(.unrecorded, sequence: sequence, epoch: index.epoch, clock: index.clock)
    }

    /// Records that the access to a container changed, with the present access (``SavedAncestorAccess``).
    func appendAccessChange(_ index: MetadataIndex, sequence: UInt64, ancestorAccess: [UInt8]) {
        writer?.append(.accessChanged, sequence: sequence, epoch: index.epoch, note: ancestorAccess)
    }

    /// Records that the container with this index was removed.
    func appendRemoval(of epoch: UInt64, sequence: UInt64) {
        writer?.append(.removed, sequence: sequence, epoch: epoch)
    }

    /// Writes the appended records. The changes may be published afterwards.
    func commit() {
        guard let bytes = writer?.bytes, !bytes.isEmpty, let segment else { return }
        writer?.removeAll()
        do throws(SystemError) {
            guard byteCount + bytes.count <= largestJournal else { throw SystemError(code: EFBIG) }
            try segment.file.descriptor.writeAll(bytes)
            self.segment?.byteCount += bytes.count
            scheduleSynchronizing()
        } catch {
            try? segment.file.descriptor.truncate(to: segment.byteCount)
            suspend(error)
        }
    }

    private func suspend(_ error: SystemError) {
        guard let files else { return }
        sayThatChangesAreUnsaved(error)
        orphans += closed
        if let segment {
            files.markCut(segment.file.name)
            orphans.append(
                RecoveredState.Segment(name: segment.file.name, number: segment.number, byteCount: segment.byteCount))
        } else if let last = closed.last {
            // This run has no segment. Its changes are missing after the segment of the former run.
            files.markCut(last.name)
        }
        segment = nil
        writer = nil
        closed = []
    }

    /// Notes a failure to write. Returns whether saving worked before.
    @discardableResult
    func noteFailure(_ error: SystemError) -> Bool {
        let text = "\(files?.directory ?? ""): \(error)"
        guard failure == nil else {
            failure?.error = text
            return false
        }
        failure = PersistenceFailure(error: text, since: Timestamp.now)
        return true
    }

    /// Notes that everything is saved. Returns whether saving failed before.
    func noteSaved() -> Bool {
        defer { failure = nil }
        return failure != nil
    }

    private func sayThatChangesAreUnsaved(_ error: SystemError) {
        guard noteFailure(error) || isClosed else { return }
        let prospect =
            isClosed
            ? "the next start compares all containers, and live queries start over"
            : "until a later attempt succeeds, a restart compares all containers and live queries start over"
        logger.error(
            "changes cannot be saved in \(files?.directory ?? ""): \(error); \(prospect); 'gather doctor' looks at the directory and its free space",
            metadata: ["message-id": "state-unsaved", "error": "\(error)", "path": "\(files?.directory ?? "")"])
    }

    /// Begins a segment. If that fails, the former segment continues, and the next attempt is made when it has grown by
    /// another ``PersistenceLimits/segmentBytes``.
    func rotate(at sequence: UInt64, isContinuation: Bool) throws(SystemError) {
        guard let files else { return }
        let wasSuspended = segment == nil
        let header = JournalSegmentHeader(
            number: nextNumber, run: run, startSequence: sequence, boot: boot, isContinuation: isContinuation)
        let name = PersistentFiles.journalName(nextNumber)
        do throws(SystemError) {
            if nextNumber == 1 || wasSuspended {
                try renewDirectory()
                try files.makeDirectory()
                hasMadeDirectory()
            }
            let descriptor = try Entry.openForWriting(files.path(name), mode: 0o600, truncate: true, append: true)
            let bytes = header.bytes
            do throws(SystemError) {
                try descriptor.writeAll(bytes)
            } catch {
                files.remove(name)
                throw error
            }
            if let segment {
                synchronize()
                closed.append(
                    .init(name: segment.file.name, number: segment.number, byteCount: segment.byteCount))
            }
            segment = Segment(file: SegmentFile(name, descriptor), number: nextNumber, byteCount: bytes.count)
            rotatesAt = segmentBytes
            writer = JournalEncoder(header, largestRecord: largestRecord)
            nextNumber += 1
        } catch {
            rotatesAt = (segment?.byteCount ?? 0) + segmentBytes
            throw error
        }
    }

    private func scheduleSynchronizing() {
        guard synchronizing == nil, !isClosed else { return }
        let store = NIOLoopBound(self, eventLoop: loop)
        synchronizing = loop.scheduleTask(in: PersistenceLimits.synchronizeAfter) {
            store.value.synchronizing = nil
            store.value.synchronize()
        }
    }

    /// Forces the segment to the disk, then calls `then` on the thread.
    ///
    /// A failure counts as a failed write. It is unknown which bytes are on the disk then, and a second fsync(2) would
    /// report success. A segment that is no longer at its path was removed, and counts as a failure, too.
    private func synchronize(then: @escaping @Sendable () -> Void = {}) {
        guard let file = segment?.file, let path = files?.path(file.name) else { return }
        thread.runIfActive(eventLoop: loop) { [forceToDisk] () -> SystemError? in
            do throws(SystemError) {
                try forceToDisk(file.descriptor)
                guard try file.descriptor.isFile(at: path) else { throw SystemError.noEntry }
                then()
                return nil
            } catch {
                return error
            }
        }.assumeIsolated().whenSuccess { error in
            if let error { self.markUncertain(file, error) }
        }
    }

    private func markUncertain(_ file: SegmentFile, _ error: SystemError) {
        if isClosed {
            files?.markCut(file.name)
            return sayThatChangesAreUnsaved(error)
        }
        // The segment is before a gap already, so its changes count as lost.
        guard segment?.file === file || closed.contains(where: { $0.name == file.name }) else { return }
        if segment?.file !== file { files?.markCut(file.name) }
        suspend(error)
        hasLostTrack()
    }

    // MARK: Indexes

    /// An index to save.
    struct Item: Sendable {
        let identifier: String
        let image: IndexImage
        let description: SnapshotDescription
    }

    /// The number of the segment in use.
    var segmentNumber: UInt64? { segment?.number }

    /// Saves indexes as of the beginning of the present segment. Calls `then` on the event loop with the size of each
    /// in bytes, or the error.
    ///
    /// The former segment is forced to the disk before, on the same thread: an index must not be newer than its
    /// journal.
    func save(_ items: [Item], then: @escaping ([Result<Int, SystemError>]) -> Void) {
        guard let files else { return }
        // Indexes that are overwritten need not be removed.
        let names = Set(items.map { PersistentFiles.indexName($0.identifier) })
        useless.removeAll { names.contains($0.name) }
        let former = closed.last?.name
        let forceToDisk = forceToDisk
        thread.runIfActive(eventLoop: loop) {
            items.map { item -> Result<Int, SystemError> in
                do throws(SystemError) {
                    var byteCount = 0
                    try files.write(PersistentFiles.indexName(item.identifier)) { () throws(SystemError) in
                        if let former { try forceToDisk(Entry.openForReading(files.path(former))) }
                    } _: { (write) throws(SystemError) in
                        try SnapshotWriter(item.image, attachment: item.description.bytes).write {
                            (bytes) throws(SystemError) in
                            byteCount += bytes.count
                            try write(bytes)
                        }
                    }
                    return .success(byteCount)
                } catch {
                    return .failure(error)
                }
            }
        }.assumeIsolated().whenComplete { result in
            // Fails only after the thread has ended.
            if case .success(let results) = result { then(results) }
        }
    }

    /// Forgets the index of a removed container. The file is removed later (``removeUseless()``).
    func forget(_ identifier: String) {
        useless.append(RecoveredState.Useless(name: PersistentFiles.indexName(identifier), isKept: false))
    }

    /// Removes unused indexes after all written records are on the disk. If an index were gone before its record, the
    /// next start would not forget its clocks. While changes are not saved, the indexes stay.
    func removeUseless() {
        guard let files, segment != nil, !useless.isEmpty else { return }
        let going = useless
        useless = []
        synchronize {
            for index in going {
                if index.isKept { files.setAside(index.name) } else { files.remove(index.name) }
            }
        }
    }

    /// Removes the oldest segments beyond the limit, and all before a gap, but none from `needed` on.
    func prune(needed: UInt64) {
        while let first = orphans.first, first.number < needed { remove(orphans.removeFirst()) }
        var total = closed.reduce(0) { $0 + $1.byteCount }
        while let first = closed.first, first.number < needed, total > journalBytes {
            remove(closed.removeFirst())
            total -= first.byteCount
        }
    }

    private func remove(_ segment: RecoveredState.Segment) {
        // Freeing the blocks of a large file takes time.
        thread.submit { [files] _ in files?.removeSegment(segment.number) }
    }

    // MARK: The end

    /// Ends without a record, for a daemon that never served.
    func abandon() {
        isClosed = true
        synchronizing?.cancel()
        thread.shutdownGracefully { _ in }
    }

    /// Records the end of the run and forces it to the disk. Saves in progress are finished.
    func close(at sequence: UInt64) -> EventLoopFuture<Void> {
        isClosed = true
        synchronizing?.cancel()
        writer?.append(.ended, sequence: sequence)
        commit()
        synchronize()
        segment = nil
        writer = nil
        let promise = loop.makePromise(of: Void.self)
        // Shutting down the thread would drop work that waits for it.
        thread.submit { [thread] _ in thread.shutdownGracefully { _ in promise.succeed() } }
        return promise.futureResult
    }
}

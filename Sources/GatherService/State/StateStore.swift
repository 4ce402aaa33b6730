// The saved state while the daemon runs: the journal, and the indexes as they are saved.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import Metadata
import MetadataIndex
import NIOCore
import NIOPosix

/// The saved state while the daemon runs. On the event loop, but for its own thread, which forces files to the disk and
/// writes indexes.
///
/// What a turn changed is appended to the journal with one write(2) before anybody hears of it, so whatever the daemon has
/// told is known after its end, however that came. Where that fails, changes are not saved until all indexes have been
/// saved anew; nothing else notices.
final class StateStore {
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

    /// This incarnation of the daemon.
    let run = UInt64.random(in: 1...UInt64.max)
    /// Nil where nothing is kept.
    private let files: SavedStateFiles?
    private let boot: JournalSegmentHeader.BootIdentifier
    private let loop: any EventLoop
    private let journalBytes: Int
    private let segmentBytes: Int
    private let largestJournal: Int
    private let largestRecord: Int
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private var logger: Logger
    /// Nil while changes are not saved.
    private var segment: Segment?
    private var closed: [SavedState.Segment] = []
    /// Indexes that go when what was committed is on the disk.
    private var useless: [SavedState.Useless]
    /// Segments that no clock leads to any more, until no saved index needs them either.
    private var orphans: [SavedState.Segment] = []
    /// Bytes of the segment at which the next is to begin.
    private var rotatesAt = 0
    private var nextNumber: UInt64
    private var writer: JournalWriter?
    private var synchronizing: Scheduled<Void>?
    private var isClosed = false
    private let forceToDisk: DaemonOptions.ForceToDisk
    /// Called where changes are found not to be saved when none has come: all indexes are to be saved anew.
    var hasLostTrack: () -> Void = {}

    /// Goes on from what was saved; the first segment of this incarnation is on disk when this returns, or changes are not
    /// saved. Before that `willBegin` is told its number.
    init(
        _ files: SavedStateFiles?, _ state: SavedState, boot: JournalSegmentHeader.BootIdentifier, loop: any EventLoop,
        logger: Logger, limits: ServiceLimits = ServiceLimits(),
        forceToDisk: @escaping DaemonOptions.ForceToDisk = DaemonOptions.forceToDisk,
        willBegin: (UInt64) -> Void = { _ in }
    ) {
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

    /// Forces the first segment to the disk, with its name, or the mark of the one before where there is none. That one may
    /// say that nothing was told after it: should the machine end, the next start knows by this alone that there was, and
    /// gives no identifier twice. Nobody is served yet who could wait for it.
    private func forceBeginning() throws(SystemError) {
        guard let files else { return }
        if let segment { try forceToDisk(segment.file.descriptor) }
        try forceToDisk(files.open())
    }

    /// Which start of the machine this is; zero where the kernel does not say.
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

    /// Which directory holds the files; nil where nothing is kept.
    var place: FileIdentity? {
        guard let files, let status = try? EntryStatus(of: files.directory, in: Entry.workingDirectory) else {
            return nil
        }
        return FileIdentity(device: status.device, inode: status.inode, created: nil)
    }

    /// Whether anything is kept for another run.
    var isKept: Bool { files != nil }

    private func repair(_ repairs: [SavedState.Repair]) {
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

    /// Whether the segment has grown so much that the next should begin.
    var isSegmentFull: Bool { segment.map { $0.byteCount > rotatesAt } ?? false }

    /// Bytes of the journal from a segment on.
    func byteCount(since number: UInt64) -> Int {
        closed.reduce(segment?.byteCount ?? 0) { $1.number >= number ? $0 + $1.byteCount : $0 }
    }

    /// Bytes of all that is on the disk.
    private var byteCount: Int { orphans.reduce(byteCount(since: 0)) { $0 + $1.byteCount } }

    /// A change set that was just taken from an index: how many bytes it takes. Nil where it is not written, so that the
    /// index must be saved anew.
    func append(_ changes: borrowing ChangeSet, of index: MetadataIndex, sequence: UInt64) -> Int? {
        let before = writer?.bytes.count ?? 0
        guard writer?.append(changes, of: index, sequence: sequence) == true else { return nil }
        return (writer?.bytes.count ?? 0) - before
    }

    /// That an index went on in a way that is not written.
    func appendUnrecorded(_ index: MetadataIndex, sequence: UInt64) {
        writer?.append(.unrecorded, sequence: sequence, epoch: index.epoch, clock: index.clock)
    }

    /// That others may see a container's items now, and whom the directories let pass since.
    func appendAccessChange(_ index: MetadataIndex, sequence: UInt64, passage: [UInt8]) {
        writer?.append(.accessChanged, sequence: sequence, epoch: index.epoch, note: passage)
    }

    /// That the container is gone whose index had this epoch.
    func appendRemoval(of epoch: UInt64, sequence: UInt64) {
        writer?.append(.removed, sequence: sequence, epoch: epoch)
    }

    /// Writes what was appended. Whatever follows from it may be told afterwards.
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
                SavedState.Segment(name: segment.file.name, number: segment.number, byteCount: segment.byteCount))
        } else if let last = closed.last {
            // The segment of this run could not be begun: what is told from now on is missing behind that of the one before.
            files.markCut(last.name)
        }
        segment = nil
        writer = nil
        closed = []
    }

    private func sayThatChangesAreUnsaved(_ error: SystemError) {
        let prospect = isClosed ? "the next start" : "trying again, meanwhile a restart of gatherd"
        logger.error(
            "changes cannot be saved in \(files?.directory ?? ""): \(error); \(prospect) costs a comparison and clocks",
            metadata: ["message-id": "state-unsaved", "error": "\(error)"])
    }

    /// Begins a segment. Where that cannot be the one before goes on, and is to be followed when it has grown by as much
    /// again.
    func rotate(at sequence: UInt64, isContinuation: Bool) throws(SystemError) {
        guard let files else { return }
        let wasSuspended = segment == nil
        let header = JournalSegmentHeader(
            number: nextNumber, run: run, startSequence: sequence, boot: boot, isContinuation: isContinuation)
        let name = SavedStateFiles.journalName(nextNumber)
        do throws(SystemError) {
            if nextNumber == 1 || wasSuspended { try files.makeDirectory() }
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
                    SavedState.Segment(name: segment.file.name, number: segment.number, byteCount: segment.byteCount))
            }
            segment = Segment(file: SegmentFile(name, descriptor), number: nextNumber, byteCount: bytes.count)
            rotatesAt = segmentBytes
            writer = JournalWriter(header, largestRecord: largestRecord)
            nextNumber += 1
        } catch {
            rotatesAt = (segment?.byteCount ?? 0) + segmentBytes
            throw error
        }
    }

    private func scheduleSynchronizing() {
        guard synchronizing == nil, !isClosed else { return }
        let store = NIOLoopBound(self, eventLoop: loop)
        synchronizing = loop.scheduleTask(in: StateLimits.synchronizeAfter) {
            store.value.synchronizing = nil
            store.value.synchronize()
        }
    }

    /// Forces the segment to the disk. Where that fails nobody knows what of it is there, and a second try would say that all
    /// is well (fsync(2)): it counts as a write that has failed.
    /// `then` is called on the thread, once it is there.
    private func synchronize(then: @escaping @Sendable () -> Void = {}) {
        guard let file = segment?.file else { return }
        thread.runIfActive(eventLoop: loop) { [forceToDisk] () -> SystemError? in
            do throws(SystemError) {
                try forceToDisk(file.descriptor)
                then()
                return nil
            } catch {
                return error
            }
        }.assumeIsolated().whenSuccess { error in
            if let error { self.isUncertain(file, error) }
        }
    }

    private func isUncertain(_ file: SegmentFile, _ error: SystemError) {
        if isClosed {
            files?.markCut(file.name)
            return sayThatChangesAreUnsaved(error)
        }
        // What no clock leads to any more was said to be lost.
        guard segment?.file === file || closed.contains(where: { $0.name == file.name }) else { return }
        if segment?.file !== file { files?.markCut(file.name) }
        suspend(error)
        hasLostTrack()
    }

    // MARK: Indexes

    /// An index to be saved.
    struct Item: Sendable {
        let identifier: String
        let image: IndexImage
        let description: SavedDescription
    }

    /// The number of the segment that changes are written to.
    var segmentNumber: UInt64? { segment?.number }

    /// Saves indexes as they were when the present segment began; says for each, on the loop, how many bytes it takes, or
    /// why that failed. The segments before were forced to the disk on the same thread: what leads up to an index must not
    /// be behind it there.
    func save(_ items: [Item], then: @escaping ([Result<Int, SystemError>]) -> Void) {
        guard let files else { return }
        // What is written over need not go any more.
        let names = Set(items.map { SavedStateFiles.indexName($0.identifier) })
        useless.removeAll { names.contains($0.name) }
        let former = closed.last?.name
        thread.runIfActive(eventLoop: loop) {
            items.map { item -> Result<Int, SystemError> in
                do throws(SystemError) {
                    var byteCount = 0
                    try files.write(SavedStateFiles.indexName(item.identifier)) { () throws(SystemError) in
                        if let former { try Entry.openForReading(files.path(former)).synchronize() }
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
            // It fails only when the thread has ended.
            if case .success(let results) = result { then(results) }
        }
    }

    /// Lets go of what was saved of a container that is gone, when the disk has that: see ``removeUseless()``.
    func forget(_ identifier: String) {
        useless.append(SavedState.Useless(name: SavedStateFiles.indexName(identifier), isKept: false))
    }

    /// Removes the indexes that are of no use, once everything that was committed is on the disk: were they gone before, and
    /// what says so lost, the next start would not know that clocks are to be forgotten. While changes are not saved they
    /// stay, and tell it that.
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

    /// Lets go of the oldest segments beyond what is kept, and of all that no clock leads to, but of none from `needed` on.
    func prune(needed: UInt64) {
        while let first = orphans.first, first.number < needed { remove(orphans.removeFirst()) }
        var total = closed.reduce(0) { $0 + $1.byteCount }
        while let first = closed.first, first.number < needed, total > journalBytes {
            remove(closed.removeFirst())
            total -= first.byteCount
        }
    }

    private func remove(_ segment: SavedState.Segment) {
        // To give back the room of a large file takes its time.
        thread.submit { [files] _ in files?.removeSegment(segment.number) }
    }

    // MARK: The end

    /// Ends without a word, where the daemon never began.
    func abandon() {
        isClosed = true
        synchronizing?.cancel()
        thread.shutdownGracefully { _ in }
    }

    /// Says that this is the end, and forces it to the disk; what is being saved is finished.
    func close(at sequence: UInt64) -> EventLoopFuture<Void> {
        isClosed = true
        synchronizing?.cancel()
        writer?.append(.ended, sequence: sequence)
        commit()
        synchronize()
        segment = nil
        writer = nil
        let promise = loop.makePromise(of: Void.self)
        // What waits for the thread would be given up when that is shut down.
        thread.submit { [thread] _ in thread.shutdownGracefully { _ in promise.succeed() } }
        return promise.futureResult
    }
}

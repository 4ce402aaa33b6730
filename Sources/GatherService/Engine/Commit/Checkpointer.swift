// When indexes are saved.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import MetadataIndex
import NIOCore

/// Has indexes saved when the journal does not lead up to now, else when the interval is over and it is worth it. Event loop only.
final class Checkpointer {
    /// The containers whose indexes are saved, and the engine around them.
    protocol Owner: AnyObject {
        var containers: ContainerSet { get }
        /// The daemon's clock.
        var sequence: UInt64 { get }
        func state(of record: ContainerRecord) -> WatchState
        /// Whether a file system is mounted on a container's directory.
        func isMountPoint(_ record: ContainerRecord) -> Bool
        /// The access to a container as it is saved.
        func ancestorAccess(of record: ContainerRecord) -> [UInt8]
        /// A save is due: ``Checkpointer/saveIfDue(_:)`` is to be called when there are no open changes.
        func checkpointIsDue()
        /// A save has ended.
        func checkpointEnded()
        /// Saving has begun to fail.
        func persistenceFailed(_ error: SystemError)
        /// Everything is saved again.
        func persistenceRestored()
    }

    /// The number of saved indexes, of those that could not be saved, and the nanoseconds of the last save.
    private(set) var saved: UInt64 = 0
    private(set) var failed: UInt64 = 0
    private(set) var duration: UInt64 = 0

    /// The marks of containers, for the next start.
    let marks: ContainerMarks

    private let store: PersistentStore
    private let limits: ServiceLimits
    private let loop: any EventLoop
    private let interval: TimeAmount
    /// The number of saves under way: one, and at the end those that must wait are behind it.
    private var running = 0
    private var notBefore = NIODeadline.now()
    private var retryAfter: TimeAmount
    private var timer: (time: NIODeadline, task: Scheduled<Void>)?

    init(
        _ store: PersistentStore, _ marks: ContainerMarks, interval: TimeAmount, limits: ServiceLimits,
        loop: any EventLoop
    ) {
        (self.store, self.marks, self.interval, self.limits, self.loop) = (store, marks, interval, limits, loop)
        retryAfter = limits.saveAgainAfter
    }

    /// Saves the indexes for which it is time. To be called when there are no open changes.
    func saveIfDue(_ owner: any Owner) {
        guard store.isPersistent else { return }
        for record in owner.containers where !record.snapshotMark.wasRead {
            switch owner.state(of: record) {
            case .live, .degraded: record.snapshotMark.noteRead()
            case .crawling, .verifying, .unavailable: break
            }
        }
        // A segment that cannot be followed goes on.
        if store.isSegmentFull { try? store.rotate(at: owner.sequence, isContinuation: true) }
        guard running == 0 else { return }
        if store.isSuspended {
            // The remaining journal is for the indexes alone now, as they are saved.
            prune(owner)
            for record in owner.containers where record.snapshotMark.wasRead {
                if !record.index.isBounded { record.index.isBounded = true }
                record.snapshotMark.noteSuspended()
            }
        }
        var next: NIODeadline?
        for record in owner.containers where Checkpointer.isUnsaved(record) {
            let time = dueTime(of: record)
            next = min(next ?? time, time)
        }
        guard let next else { return }
        let now = NIODeadline.now()
        let time = max(next, notBefore)
        guard time <= now else { return schedule(owner, at: time) }
        save(owner, owner.containers.filter { Checkpointer.isUnsaved($0) && dueTime(of: $0) <= now })
    }

    /// Saves the marks, and the indexes to which the journal does not lead, as this is the end.
    func close(_ owner: any Owner) {
        timer?.task.cancel()
        marks.close()
        guard store.isPersistent, !store.isSuspended else { return }
        let unsaved = owner.containers.filter { Checkpointer.isUnsaved($0) && !$0.snapshotMark.isJournaled }
        if !unsaved.isEmpty { save(owner, unsaved) }
    }

    /// Whether there is more of a container than is saved, and it can be saved now.
    private static func isUnsaved(_ record: ContainerRecord) -> Bool {
        record.snapshotMark.isUnsaved && !record.entry.isHeld && !record.index.hasChanges
    }

    private func dueTime(of record: ContainerRecord) -> NIODeadline {
        if store.isSuspended { return .uptimeNanoseconds(0) }
        return record.snapshotMark.dueTime(interval: interval) { store.byteCount(since: $0) > limits.journalBytes }
    }

    private func schedule(_ owner: any Owner, at time: NIODeadline) {
        if let timer, timer.time <= time { return }
        timer?.task.cancel()
        let bound = NIOLoopBound((self, owner), eventLoop: loop)
        let task = loop.scheduleTask(deadline: time) {
            let (checkpointer, owner) = bound.value
            checkpointer.timer = nil
            owner.checkpointIsDue()
        }
        timer = (time, task)
    }

    private func save(_ owner: any Owner, _ records: [ContainerRecord]) {
        timer?.task.cancel()
        timer = nil
        do throws(SystemError) {
            try store.rotate(at: owner.sequence, isContinuation: !store.isSuspended)
        } catch {
            noteFailure(error, owner)
            return tryAgain(owner)
        }
        guard let segment = store.segmentNumber else { return }
        running += 1
        let time = Timestamp.now
        let began = MonotonicClock.now()
        var before: [SnapshotMark] = []
        let items = records.map { record in
            before.append(record.snapshotMark.beginSnapshot())
            return PersistentStore.Item(
                identifier: record.identifier, image: record.index.image(),
                description: SnapshotDescription(
                    sequence: owner.sequence, segment: segment, time: time, configuration: record.configuration,
                    isMountPoint: owner.isMountPoint(record), accessChanged: record.access.changed,
                    ancestorAccess: owner.ancestorAccess(of: record)))
        }
        store.save(items) { results in
            self.running -= 1
            self.duration = MonotonicClock.now() &- began
            var failure: SystemError?
            for ((record, before), result) in zip(zip(records, before), results) {
                if case .failure(let error) = result { failure = failure ?? error }
                self.noteSaved(record, result, segment, time, before: before, in: owner.containers)
            }
            if let failure {
                self.noteFailure(failure, owner)
                self.tryAgain(owner)
            } else {
                if !self.store.isSuspended, self.store.noteSaved() { owner.persistenceRestored() }
                self.retryAfter = self.limits.saveAgainAfter
                // A snapshot that is being written may still need the ones before.
                if self.running == 0 { self.prune(owner) }
            }
            owner.checkpointEnded()
        }
    }

    private func noteSaved(
        _ record: ContainerRecord, _ result: Result<Int, SystemError>, _ segment: UInt64, _ time: Timestamp,
        before: SnapshotMark, in containers: ContainerSet
    ) {
        guard containers.contains(record) else {
            if containers.named(record.identifier) == nil {
                store.forget(record.identifier)
                store.removeUseless()
            }
            return
        }
        switch result {
        case .failure:
            failed += 1
            record.snapshotMark.endSnapshot(failedAfter: before)
        case .success(let bytes):
            saved += 1
            record.snapshotMark.endSnapshot(
                bytes: bytes, segment: segment, time: time,
                pause: .nanoseconds(interval.nanoseconds / PersistenceLimits.intervalParts))
            if record.snapshotMark.isJournaled { record.index.isBounded = false }
        }
    }

    private func tryAgain(_ owner: any Owner) {
        notBefore = .now() + retryAfter
        retryAfter = min(retryAfter * 2, max(interval, limits.saveAgainAfter))
        schedule(owner, at: notBefore)
    }

    private func noteFailure(_ error: SystemError, _ owner: any Owner) {
        if store.noteFailure(error) { owner.persistenceFailed(error) }
    }

    private func prune(_ owner: any Owner) {
        store.prune(needed: owner.containers.compactMap(\.snapshotMark.neededSegment).min() ?? .max)
    }
}

// When indexes are saved.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Logging
import Metadata
import MetadataIndex
import NIOCore

/// What is known of the saving of one container's index.
struct SavingMark {
    /// Whether the journal leads on from what is saved, or is just being saved.
    var isJournaled = false
    /// Whether there is anything in the journal beyond that.
    var isDirty = false
    /// Bytes of what is saved, and of the changes in the journal beyond that.
    var savedBytes = 0
    var journaledBytes = 0
    /// When it was first seen that there is more than what is saved.
    var dirtySince: NIODeadline?
    /// The segment of the journal that begins with what is saved; nil where nothing is.
    var segment: UInt64?
    /// When it was saved last.
    var time: Timestamp?
    /// Whether it is the size of a set of changes that keeps it from being journaled, and when it may be saved for that.
    var isPausing = false
    var pausesUntil = NIODeadline.uptimeNanoseconds(0)
    /// Whether the container was ever read as a whole: until then there is nothing worth saving.
    var wasRead = false
}

/// When indexes are saved.
struct SavingSchedule {
    var interval: TimeAmount
    /// How many times indexes are being saved: once, and at the end those that must wait are behind it.
    var running = 0
    var isRunning: Bool { running > 0 }
    var notBefore = NIODeadline.now()
    var retryAfter: TimeAmount
    var timer: Scheduled<Void>?
    var timerTime: NIODeadline?
}

extension Engine {
    /// Notes a change set in the journal, or that it is not there.
    func journal(_ changes: borrowing ChangeSet, of record: ContainerRecord) {
        let index = record.index
        let isTold = !changes.isEmpty && index.earliestClock != index.clock
        var isLarge = !index.isParked && changes.count > limits.largestSet
        if record.saving.isJournaled, isTold, !isLarge {
            if let count = store.append(changes, of: index, sequence: sequence) {
                record.saving.isDirty = true
                record.saving.journaledBytes += count
                return
            }
            // Few changes may be many bytes.
            isLarge = !index.isParked && !store.isSuspended
        }
        store.appendUnrecorded(index, sequence: sequence)
        if record.saving.isJournaled || index.isParked { record.saving.isPausing = isLarge }
        record.saving.isJournaled = false
    }

    /// Saves indexes where that is due: at once where the journal does not lead up to now, else when the interval is over
    /// and it is worth it. To be called when there are no open changes.
    func saveIfDue() {
        guard store.isKept else { return }
        for record in containers where !record.saving.wasRead {
            switch state(of: record) {
            case .live, .degraded: record.saving.wasRead = true
            case .crawling, .verifying, .unavailable: break
            }
        }
        // A segment that cannot be followed goes on.
        if store.isSegmentFull { try? store.rotate(at: sequence, isContinuation: true) }
        guard !schedule.isRunning else { return }
        if store.isSuspended {
            // What there is of the journal is for the indexes alone now, as they are saved.
            prune()
            for record in containers where record.saving.wasRead {
                if !record.index.isBounded { record.index.isBounded = true }
                (record.saving.isJournaled, record.saving.isDirty, record.saving.isPausing) = (false, true, false)
            }
        }
        var next: NIODeadline?
        for record in containers where isUnsaved(record) {
            let time = savingTime(of: record)
            next = min(next ?? time, time)
        }
        guard let next else { return }
        let now = NIODeadline.now()
        let time = max(next, schedule.notBefore)
        guard time <= now else { return scheduleSaving(at: time) }
        save(containers.filter { isUnsaved($0) && savingTime(of: $0) <= now })
    }

    /// When a container is to be saved of which there is more than is saved. To save it costs as much as it is large, so
    /// where little has changed it waits: the journal has that, and a restart reads it in no time.
    private func savingTime(of record: ContainerRecord) -> NIODeadline {
        if store.isSuspended { return .uptimeNanoseconds(0) }
        guard record.saving.isJournaled else {
            return record.saving.isPausing ? record.saving.pausesUntil : .uptimeNanoseconds(0)
        }
        let since = record.saving.dirtySince ?? .now()
        record.saving.dirtySince = since
        // Not when the interval is over: a million changes a minute would fill what a journal may have at most before that.
        if store.byteCount(since: record.saving.segment ?? 0) > limits.journalBytes { return .uptimeNanoseconds(0) }
        let part = max(StateLimits.leastJournaled, record.saving.savedBytes / StateLimits.savedParts)
        let isGrown = record.saving.journaledBytes > part
        return since + (isGrown ? schedule.interval : max(schedule.interval, StateLimits.longestInterval))
    }

    /// Saves what the journal does not lead up to, as this is the end.
    func saveAtEnd() {
        guard store.isKept, !store.isSuspended else { return }
        let unsaved = containers.filter { isUnsaved($0) && !$0.saving.isJournaled }
        if !unsaved.isEmpty { save(unsaved) }
    }

    /// Whether there is more of a container than is saved, and it can be saved now.
    private func isUnsaved(_ record: ContainerRecord) -> Bool {
        record.saving.wasRead && !record.entry.isHeld && !record.index.hasChanges
            && (record.saving.isDirty || !record.saving.isJournaled)
    }

    private func scheduleSaving(at time: NIODeadline) {
        if schedule.timer != nil, let there = schedule.timerTime, there <= time { return }
        schedule.timer?.cancel()
        schedule.timerTime = time
        let engine = NIOLoopBound(self, eventLoop: loop)
        schedule.timer = loop.scheduleTask(deadline: time) {
            engine.value.schedule.timer = nil
            engine.value.turn()
        }
    }

    private func save(_ records: [ContainerRecord]) {
        schedule.timer?.cancel()
        schedule.timer = nil
        let wasSuspended = store.isSuspended
        do throws(SystemError) {
            try store.rotate(at: sequence, isContinuation: !wasSuspended)
        } catch {
            sayThatSavingFailed(error)
            return tryAgain()
        }
        guard let number = store.segmentNumber else { return }
        schedule.running += 1
        let time = Timestamp.now
        let began = MonotonicClock.now()
        let before = records.map(\.saving)
        let items = records.map { record in
            record.saving.isJournaled = true
            record.saving.isDirty = false
            record.saving.journaledBytes = 0
            record.saving.dirtySince = nil
            return StateStore.Item(
                identifier: record.identifier, image: record.index.image(),
                description: SavedDescription(
                    sequence: sequence, segment: number, time: time, configuration: record.configuration,
                    isMountPoint: watcher.isMountPoint(record.number), accessChanged: record.accessChanged,
                    passage: passage(of: record)))
        }
        store.save(items) { results in
            self.schedule.running -= 1
            self.activity.snapshotDuration = MonotonicClock.now() &- began
            var failure: SystemError?
            for (place, record) in records.enumerated() {
                if case .failure(let error) = results[place] { failure = failure ?? error }
                self.wasSaved(record, results[place], number, time, before: before[place])
            }
            if let failure {
                self.sayThatSavingFailed(failure)
                self.tryAgain()
            } else {
                if !self.store.isSuspended, self.store.noteSaved() {
                    self.logger.notice("the state is saved again, so a restart continues from it")
                }
                self.schedule.retryAfter = self.limits.saveAgainAfter
                // What is being saved still may need what was saved before.
                if !self.schedule.isRunning { self.prune() }
            }
            self.tidyMemorySoon()
            self.turn()
        }
    }

    private func wasSaved(
        _ record: ContainerRecord, _ result: Result<Int, SystemError>, _ number: UInt64, _ time: Timestamp,
        before: SavingMark
    ) {
        guard isWatched(record) else {
            if container(record.identifier) == nil {
                store.forget(record.identifier)
                store.removeUseless()
            }
            return
        }
        switch result {
        case .failure:
            activity.snapshotFailures += 1
            // What was saved before still leads up to now, if the journal did before this.
            record.saving.isJournaled = record.saving.isJournaled && before.isJournaled
            record.saving.isDirty = true
            record.saving.journaledBytes += before.journaledBytes
            record.saving.dirtySince = before.dirtySince
        case .success(let byteCount):
            activity.snapshots += 1
            record.saving.savedBytes = byteCount
            record.saving.segment = number
            if record.saving.isJournaled { record.index.isBounded = false }
            record.saving.time = time
            record.saving.pausesUntil =
                .now() + .nanoseconds(schedule.interval.nanoseconds / StateLimits.intervalParts)
        }
    }

    private func tryAgain() {
        schedule.notBefore = .now() + schedule.retryAfter
        schedule.retryAfter = min(schedule.retryAfter * 2, max(schedule.interval, limits.saveAgainAfter))
        scheduleSaving(at: schedule.notBefore)
    }

    private func sayThatSavingFailed(_ error: SystemError) {
        guard store.noteFailure(error) else { return }
        logger.error(
            "the state cannot be saved: \(error); until a later attempt succeeds, a restart compares all containers; 'gather doctor' looks at the directory and its free space",
            metadata: ["message-id": "state-unsaved", "error": "\(error)"])
    }

    private func prune() {
        var needed = UInt64.max
        // Of a container that was never saved the journal has nothing that could be of use. Of one that it does not lead up
        // to it has the word of that.
        for record in containers where record.saving.isDirty || !record.saving.isJournaled {
            if let segment = record.saving.segment { needed = min(needed, segment) }
        }
        store.prune(needed: needed)
    }

    /// When the oldest of the saved indexes was saved; nil where one of them never was.
    var snapshotTime: Timestamp? {
        let times = containers.map(\.saving.time)
        guard !times.isEmpty, !times.contains(where: { $0 == nil }) else { return nil }
        return times.compactMap { $0 }.min { $0.nanoseconds < $1.nanoseconds }
    }
}

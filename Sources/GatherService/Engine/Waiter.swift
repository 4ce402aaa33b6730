// A question that waits until the answer would be exact.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import MetadataIndex
import NIOCore

/// A question that waits for what was changed before it was asked, and for containers that are being read.
final class Waiter {
    let barrier: Barrier
    /// The containers that the question is about.
    let numbers: Set<UInt32>
    /// Whether the containers must have settled, and not only have seen what was changed before.
    let needsSettled: Bool
    /// Those of them whose extra attributes must have been read.
    let extras: Set<UInt32>
    /// Called once, on the loop: empty when the answer would be exact now, else the containers that were not in time.
    let completion: ([ContainerRecord]) -> Void
    var timeout: Scheduled<Void>?
    var isDone = false

    init(
        barrier: Barrier, numbers: Set<UInt32>, needsSettled: Bool, extras: Set<UInt32>,
        completion: @escaping ([ContainerRecord]) -> Void
    ) {
        self.barrier = barrier
        self.numbers = numbers
        self.needsSettled = needsSettled
        self.extras = extras
        self.completion = completion
    }
}

extension Engine {
    /// Waits until every change made before now is in the indexes of these containers and they have settled, for at
    /// most `timeout`; without a timeout for as long as it takes. The completion may be called before this returns.
    func whenExact(
        _ records: [ContainerRecord], settled: Bool = true, extras: Bool = false, timeout: TimeAmount?,
        _ completion: @escaping ([ContainerRecord]) -> Void
    ) -> Waiter {
        whenExact(records, settled: settled, extrasOf: extras ? records : [], timeout: timeout, completion)
    }

    /// The same with extra attributes of some of them.
    func whenExact(
        _ records: [ContainerRecord], settled: Bool, extrasOf filled: [ContainerRecord], timeout: TimeAmount?,
        _ completion: @escaping ([ContainerRecord]) -> Void
    ) -> Waiter {
        for record in filled { fillExtras(record) }
        let numbers = Set(records.map(\.number))
        let waiter = Waiter(
            barrier: watcher.barrier(for: numbers), numbers: numbers, needsSettled: settled,
            extras: Set(filled.map(\.number)), completion: completion)
        waiters.append(waiter)
        if let timeout {
            let bound = NIOLoopBound((self, waiter), eventLoop: loop)
            waiter.timeout = loop.scheduleTask(in: timeout) {
                let (engine, waiter) = bound.value
                engine.finish(waiter, late: engine.unsettled(waiter))
            }
        }
        turn()
        return waiter
    }

    /// Lets go of a question whose asker is gone.
    func cancel(_ waiter: Waiter) {
        waiter.isDone = true
        waiter.timeout?.cancel()
        waiters.removeAll { $0 === waiter }
    }

    /// Answers the questions that need not wait any longer. Ten thousand may wait for one crawl, so those that wait for a
    /// container that is still being read are passed over without a closer look.
    func resolveWaiters() {
        guard !waiters.isEmpty else { return }
        let settling = Set(containers.filter { isSettling($0) }.map(\.number))
        let ready = waiters.filter { waiter in
            !(waiter.needsSettled && !waiter.numbers.isDisjoint(with: settling)) && unsettled(waiter).isEmpty
        }
        guard !ready.isEmpty else { return }
        for waiter in ready { waiter.isDone = true }
        waiters.removeAll { $0.isDone }
        for waiter in ready {
            waiter.timeout?.cancel()
            waiter.completion([])
        }
    }

    /// Whether answers about these containers would be as exact as they can be.
    func areSettled(_ records: [ContainerRecord], extras: Bool) -> Bool {
        records.allSatisfy { !isSettling($0) && (!extras || hasExtras($0)) }
    }

    /// Whether extra attributes were read, of one where there is anything to read.
    private func hasExtras(_ record: ContainerRecord) -> Bool { record.extras == .filled || isUnavailable(record) }

    private func finish(_ waiter: Waiter, late: [ContainerRecord]) {
        guard !waiter.isDone else { return }
        cancel(waiter)
        waiter.completion(late)
    }

    private func isSettling(_ record: ContainerRecord) -> Bool {
        watcher.state(of: record.number)?.isSettling ?? false
    }

    private func isUnavailable(_ record: ContainerRecord) -> Bool {
        if case .unavailable? = watcher.state(of: record.number) { true } else { false }
    }

    /// The containers that the question still waits for.
    private func unsettled(_ waiter: Waiter) -> [ContainerRecord] {
        let records = containers.filter { waiter.numbers.contains($0.number) }
        if !watcher.isReached(waiter.barrier, in: Set(records.map(\.number))) {
            let behind = records.filter { !watcher.isReached(waiter.barrier, in: [$0.number]) }
            return behind.isEmpty ? records : behind
        }
        return records.filter { record in
            (waiter.needsSettled && isSettling(record)) || (waiter.extras.contains(record.number) && !hasExtras(record))
        }
    }

    /// Begins to read extra attributes in a container, unless that was done before.
    func fillExtras(_ record: ContainerRecord) {
        guard record.extras == .off else { return }
        record.extras = .filling
        watcher.setReadsExtras(record.number) {
            record.extras = .filled
            // Changes that are not counted yet were made to items whose attributes were not known.
            record.extrasSince = self.sequence + (record.index.hasChanges ? 1 : 0)
        }
    }
}

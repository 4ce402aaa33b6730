// Questions wait until the answer would be exact.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import MetadataIndex
import NIOCore

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
        barriers.add(waiter, timeout: timeout) { self.unsettled($0) }
        turn()
        return waiter
    }

    /// Whether answers about these containers would be as exact as they can be.
    func areSettled(_ records: [ContainerRecord], extras: Bool) -> Bool {
        records.allSatisfy { !isSettling($0) && (!extras || hasExtras($0)) }
    }

    /// Whether extra attributes were read, of one where there is anything to read.
    private func hasExtras(_ record: ContainerRecord) -> Bool { record.extras == .filled || isUnavailable(record) }

    func isSettling(_ record: ContainerRecord) -> Bool {
        watcher.state(of: record.number)?.isSettling ?? false
    }

    private func isUnavailable(_ record: ContainerRecord) -> Bool {
        if case .unavailable? = watcher.state(of: record.number) { true } else { false }
    }

    /// The containers that the question still waits for.
    func unsettled(_ waiter: Waiter) -> [ContainerRecord] {
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
            record.extrasSince = self.commits.sequence + (record.index.hasChanges ? 1 : 0)
        }
    }
}

// Directories without a watch: why (ENOSPC, the share, a shortage), when they are polled, and which of them get free watches.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// A crawl goes down into the tree and takes watches as it comes by, until there are none left. Afterwards the
// directories that have none but lie nearer to their root than others that have one get theirs, in two steps: those
// others give theirs up, and the free ones then go to the nearest. Only containers that want watches give some up: one
// that is whole stays so, unless the share is lowered.
extension TreeWatcher {
    /// Applies these settings from now on.
    package func set(pollInterval: UInt64, watchShare: Double) {
        settings.pollInterval = pollInterval
        settings.watchShare = watchShare
        askForWatchLimit()
        for container in containers.values where container.polling.next != nil { pollLater(container) }
        balanceSoon()
    }

    // MARK: Polling

    /// A directory has no watch, or cannot be read, for want of something.
    func becamePolled(_ id: DirectoryID, _ reason: PollReason) {
        guard let container = containers[directories.container(of: id)] else { return }
        if reason == .watchLimit { watches.wereRefused() }
        container.polling.note(reason)
        let isOverLimit = reason == .watchShare || reason == .watchLimit
        if isOverLimit, directories[id].flags.insert(.overLimit).inserted {
            container.counts.overLimit += 1
            watches.countOverLimit(1, now: kernel.now())
        }
        if directories[id].flags.insert(.unwatched).inserted {
            container.counts.unwatched += 1
            if container.counts.unwatched == 1, isOverLimit {
                let path = path(of: directories[id].node)
                notices.append(
                    .watchLimit(container: container.number, path: path, reason: container.polling.reason ?? reason))
            }
        }
        if container.polling.next == nil { pollLater(container) }
    }

    /// We are short of something, which says nothing of the directory: it is polled until it can be read.
    func fellShort(_ id: DirectoryID, _ error: SystemError) {
        becamePolled(id, .shortage(error))
    }

    /// A directory is watched, or is left.
    func endPolling(_ id: DirectoryID) {
        guard directories[id].flags.remove(.unwatched) != nil,
            let container = containers[directories.container(of: id)]
        else { return }
        container.counts.unwatched -= 1
        container.comparison?.hasWatched = true
        if directories[id].flags.remove(.overLimit) != nil {
            container.counts.overLimit -= 1
            // It may be one that was polled and took a watch that others nearer to the root should have, or is gone and
            // leaves its watch to them.
            watches.countOverLimit(-1, now: kernel.now())
        }
        if container.counts.unwatched == 0, container.place.failure == nil {
            container.polling.forgetReason()
            notices.append(.watchLimitOver(container: container.number))
        }
    }

    func pollLater(_ container: WatchedContainer) { container.polling.schedule(kernel.now() &+ settings.pollInterval) }

    /// The limit may have been raised or lowered; and where the kernel refused a watch, another may be free now.
    func askForWatchLimit() {
        watches.budget.setLimit(kernel.userWatchLimit().map { Int(Double($0) * settings.watchShare) } ?? .max)
    }

    /// Compares the directories that are polled, when it is time: nearest to the root first, so that these get watches
    /// that are free.
    func poll() {
        for container in containers.values {
            guard let time = container.polling.next, kernel.now() >= time else { continue }
            let isPolled = container.counts.unwatched > 0 || container.polling.fileSystem != nil
            if isPolled { pollLater(container) } else { container.polling.schedule(nil) }
            if container.counts.overLimit > 0 { askForWatchLimit() }
            suspect(container.number, position: positionNow)
            guard container.comparison == nil, container.place.failure == nil else { continue }
            let isWhole = container.polling.fileSystem != nil
            let polled = directories.directories(of: container.number) { isWhole || $0.flags.contains(.unwatched) }
            pollNow(container, polled)
        }
    }

    private func pollNow(_ container: WatchedContainer, _ polled: [DirectoryID]) {
        guard !polled.isEmpty else { return }
        counters.polls += 1
        compare(
            container, origin: .unreported,
            only: polled.sorted { directories[$0].depth < directories[$1].depth })
    }

    // MARK: Balance

    func balanceSoon() { watches.balanceSoon(now: kernel.now()) }

    /// Hands free watches to the directories nearest to the roots, or takes some from those farthest away.
    func balance() {
        guard !tasksAreOutstanding, watches.takeBalance(now: kernel.now()) else { return }
        let isOver = watches.budget.room < 0
        let wanting = Set(
            containers.values.filter { isOver || $0.counts.overLimit > 0 && $0.place.failure == nil }.map(\.number))
        guard !wanting.isEmpty else { return }
        guard !watches.hasUnwanted else {
            balanceSoon()
            return
        }
        let room = watches.budget.room
        if room > 0 {
            handOut(room, to: wanting)
        } else if queuedBytes() == 0 {
            takeBack(from: wanting)
        } else {
            // Queued events are about directories that are still watched, and questions may wait for them.
            watches.balanceAgain(now: kernel.now())
        }
    }

    private func handOut(_ room: Int, to wanting: Set<UInt32>) {
        var waiting = [Int](repeating: 0, count: Int(UInt16.max) + 1)
        for record in directories.records where isWaiting(record, wanting) { waiting[Int(record.depth)] += 1 }
        var left = room
        var last = 0
        while last < waiting.count - 1, left > waiting[last] {
            left -= waiting[last]
            last += 1
        }
        var chosen: [UInt32: [DirectoryID]] = [:]
        for (slot, record) in directories.records.enumerated()
        where isWaiting(record, wanting) && Int(record.depth) <= last {
            if Int(record.depth) == last {
                guard left > 0 else { continue }
                left -= 1
            }
            chosen[record.node.container, default: []].append(directories.id(ofSlot: Int32(slot)))
        }
        for (number, ids) in chosen {
            guard let container = containers[number] else { continue }
            // Whatever is under way ends, and the balance is struck again.
            if container.comparison == nil { pollNow(container, ids) } else { balanceSoon() }
        }
    }

    private func isWaiting(_ record: DirectoryRecord, _ wanting: Set<UInt32>) -> Bool {
        record.flags.contains(.overLimit) && record.flags.contains(.alive) && record.watch < 0
            && wanting.contains(record.node.container)
    }

    private func takeBack(from wanting: Set<UInt32>) {
        var waiting = [Int](repeating: 0, count: Int(UInt16.max) + 1)
        var watched = waiting
        for record in directories.records
        where record.flags.contains(.alive) && wanting.contains(record.node.container) {
            if record.watch >= 0 {
                watched[Int(record.depth)] += 1
            } else if record.flags.contains(.overLimit) {
                waiting[Int(record.depth)] += 1
            }
        }
        // Down to where the watches would reach if the nearest had them.
        var reach = watched.reduce(0, +) + min(watches.budget.room, 0)
        var quota = watched
        for depth in watched.indices {
            quota[depth] -= min(watched[depth], max(reach, 0))
            if reach < watched[depth] + waiting[depth] {
                reach = 0
            } else {
                reach -= watched[depth] + waiting[depth]
            }
        }
        for (slot, record) in directories.records.enumerated()
        where record.flags.contains(.alive) && record.watch >= 0 && wanting.contains(record.node.container)
            && quota[Int(record.depth)] > 0 && roots.ancestor(record.watch) == nil
        {
            quota[Int(record.depth)] -= 1
            let id = directories.id(ofSlot: Int32(slot))
            setWatch(id, to: -1)
            watches.unwant(record.watch)
            becamePolled(id, .watchShare)
        }
    }
}

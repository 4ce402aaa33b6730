// Having directories read: the jobs for the threads, and the tasks that they count for.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Has a directory watched and read. The findings count for the origin's task, or for a task of its own.
    func read(_ id: DirectoryID, descends: Bool, origin: Origin) {
        let record = directories[id]
        guard let container = containers[record.node.container] else { return }
        if record.flags.contains(.reading) { return awaitRead(of: id, position: origin.position) }
        directories[id].flags.remove(.needsReading)
        var (descends, origin) = (descends, origin)
        if isDetachedRoot(id) {
            // It may be unreadable. Its entries and those below come back only after it was read. The known entries are of a
            // time before all barriers, so each barrier waits for this.
            descends = false
            origin.position = 0
        }
        let root: OpenDirectory
        do throws(SystemError) {
            root = try openRoot(container)
        } catch {
            directories[id].flags.insert(.needsReading)
            guard error.isLack else {
                suspect(container.number, position: origin.position)
                return
            }
            fellShort(id, error)
            if let comparison = container.comparison, comparison.task == origin.task {
                container.comparison?.notBefore = kernel.now() &+ settings.pollInterval
            }
            return
        }
        let isFirst = !record.flags.contains(.wasRead)
        let extends = extends(origin, container, isFirst: isFirst)
        let task = extends ? origin.task : readings.taskOfIteration(for: container, position: origin.position)
        lowerPosition(of: task, to: origin.position)
        if isFirst { directories[id].crawl = task }
        let ticket = pool.tickets(1)
        readings.submit(id, ticket: ticket, task: task, of: container)
        directories[id].flags.insert(.reading)
        directories[id].flags.subtract([.changedMeanwhile, .inaccessibleMeanwhile])
        if container.options.readsXattrs { readings.noteTouched(in: id) }
        let isMeasured = container.comparison?.isAudit == true && container.comparison?.task == task
        pool.submit(
            CrawlJob(
                ticket: ticket, task: task, root: root, path: path(of: record.node) + [0], device: record.device,
                inode: record.inode, options: container.options, descends: descends && settings.descends,
                isMeasured: isMeasured, hasWatch: record.watch >= 0))
        noteDepth(of: id)
    }

    /// Whether the reading of a directory counts for the task that has come by it. A look-up of a hard link may have
    /// come from a task of another container. Nor does the reading for an event become part of a poll: a question would
    /// wait for the whole of it. The same for a directory that a poll is the first to have read, with all that lies
    /// below: that is a crawl of its own, so that an event of the directory lets a question wait for that
    /// (``noteEvent(in:position:)``).
    private func extends(_ origin: Origin, _ container: WatchedContainer, isFirst: Bool) -> Bool {
        guard let task = readings[origin.task], task.container === container else { return false }
        return task.position < .max || origin.position == .max && !(isFirst && container.isComparison(origin.task))
    }

    /// Something has told of a directory. It may be known, and have been read, by a crawl that has begun for something
    /// later, or without an event: a barrier that waits for the directory waits for the ones below.
    func noteEvent(in id: DirectoryID, position: UInt64) { lowerPosition(of: directories[id].crawl, to: position) }

    /// Whether that is a task of a poll and the like, for which no barrier waits.
    func isPoll(_ task: UInt32) -> Bool {
        readings[task].map { $0.position == .max && $0.container.isComparison(task) } ?? false
    }

    /// Returns the origin that a result counts for.
    func origin(of result: CrawlResult) -> Origin {
        Origin(
            position: readings.position(ofTicket: result.ticket, task: result.task, now: positionNow), task: result.task
        )
    }

    /// Reads directories on the loop, where there are no threads.
    func performJobs() -> Bool {
        for _ in 0..<jobs.perIteration where !pool.performOne() { return false }
        return true
    }

    /// Takes the results of the threads. It waits in the inbox until the events that were queued by now have been read.
    func takeResults() {
        inbox.fill(position: position + queuedBytes()) { pool.take(processed: $0) }
    }

    /// Ends the tasks that have nothing outstanding.
    func finishTasks() {
        guard !readings.tasks.isEmpty else { return }
        for (number, task) in readings.tasks where task.outstanding == 0 && !lookUps.contains(task: number) {
            let container = task.container
            if container.isComparison(number) { continue }
            readings.end(number)
            lookUps.comparisons.remove(number)
            container.knowledge.endCrawl(number)
        }
        for container in containers.values where container.outstanding == 0 {
            container.openRoot = nil
            // The root may not have been read for want of permission or of descriptors.
            guard !container.knowledge.wasRead, container.knowledge.firstCrawl == nil, let root = container.root,
                directories[root].flags.contains(.wasRead)
            else { continue }
            container.knowledge.noteRead()
            notices.append(.crawled(container: container.number, directories: container.counts.directories))
        }
        if !tasksAreOutstanding {
            watches.unknown.removeAll()
            watches.forgetEnded()
            hardLinks.files.forgetSought()
            for container in containers.values where container.above.hasWideWatches {
                container.above.hasWideWatches = false
                suspect(container.number, position: positionNow)
            }
        }
    }

    /// Returns whether a directory cannot be opened, or an entry in it be looked at, for reasons that waiting for a move does
    /// not end. The look-up is dropped then. The directory is read, which shows the directory that refuses. It is read again
    /// when its mode or that of one above changes, or it is polled.
    func handleRefusal(_ id: DirectoryID, _ error: SystemError, _ origin: Origin) -> Bool {
        if error.isRefusal {
            let isNews = !directories[id].flags.contains(.unreadable)
            // It may be a directory above the container that refuses.
            if isNews { suspect(directories.container(of: id), position: origin.position) }
            becameUnreadable(id, error)
            if directories[id].flags.contains(.reading) {
                directories[id].flags.insert(.changedMeanwhile)
                awaitRead(of: id, position: origin.position)
            } else if isNews {
                read(id, descends: !directories[id].flags.contains(.wasRead), origin: origin)
            }
            return true
        }
        if error.isLack {
            fellShort(id, error)
            return true
        }
        return false
    }
}

// The self-audit: reads directories again in turn and compares them, for changes that no event reported.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// The kernel reports some changes with no event: stores through mmap until the file is closed, changes through a hard
// link outside of the containers, writes beneath an overlay or by another machine. So while a container is at rest its
// directories are compared one after the other, evenly over an interval in which each is seen once. Two things bound
// it: no wake-up sooner than some seconds after the last, and the processor time of each slice, which is measured and
// followed by a pause that keeps it below the share that was set. Where the share is too small for the interval, a pass
// takes longer. Where a watchdog wants to hear of the daemon now and then, the slices are taken in those iterations, and
// nothing else wakes it.
extension TreeWatcher {
    /// Sets in how many nanoseconds the whole of each container is seen once, 0 for never, and the share of one
    /// processor that this may take.
    package func setAudit(interval: UInt64, share: Double) {
        guard interval != settings.auditInterval || share != settings.auditShare else { return }
        settings.auditInterval = interval
        settings.auditShare = share
        auditSchedule.reset()
        for container in containers.values { container.audit = nil }
    }

    /// Begins a slice where one is due, and says when the next is.
    func audit() {
        guard settings.auditInterval > 0, !containers.isEmpty else {
            auditSchedule.stop()
            return
        }
        let now = kernel.now()
        guard auditSchedule.isDue(at: now) else { return }
        var next = UInt64.max
        for container in containers.values { next = min(next, auditSlice(of: container, now)) }
        // The cost of a slice is known when the slice has ended, and delays this time.
        auditSchedule.schedule(next, now: now, pause: settings.auditPause)
    }

    /// Has as many directories compared as are due. Returns when the next is.
    private func auditSlice(of container: WatchedContainer, _ now: UInt64) -> UInt64 {
        // A container that is polled as a whole is compared all the time.
        guard container.place.failure == nil, container.knowledge.wasRead, container.polling.fileSystem == nil,
            container.counts.directories > 0
        else {
            container.audit = nil
            return .max
        }
        var pass = container.audit ?? AuditPass(began: now)
        defer { container.audit = pass }
        let total = Double(container.counts.directories)
        let interval = min(Double(settings.auditInterval), WatchLimits.auditIntervalLimit)
        func time(of count: Int) -> UInt64 { pass.began &+ UInt64(interval * min(Double(count) / total, 1)) }
        if now >= time(of: pass.directories + 1), container.comparison == nil, container.outstanding == 0 {
            let due = total * Double(now &- pass.began) / interval - Double(pass.directories)
            let slice = nextDirectories(of: container, &pass, Int(min(due, Double(settings.comparisonWindow))))
            if !slice.isEmpty {
                compare(container, origin: .unreported, only: slice)
                container.comparison?.beginAudit()
            } else {
                endAuditPass(of: container, &pass, now)
            }
        }
        return max(time(of: pass.directories + 1), now)
    }

    /// The next directories in turn: so many at most, and no more when there is much in them.
    private func nextDirectories(of container: WatchedContainer, _ pass: inout AuditPass, _ limit: Int) -> [DirectoryID]
    {
        var found: [DirectoryID] = []
        var entries = 0
        while pass.cursor < directories.records.count, found.count < max(limit, 1), entries < settings.auditEntries {
            let record = directories.records[pass.cursor]
            if record.flags.contains([.alive, .wasRead]), record.node.container == container.number {
                found.append(directories.id(ofSlot: Int32(pass.cursor)))
                entries += tree.childCount(of: record.node)
            }
            pass.cursor += 1
        }
        pass.directories += found.count
        return found
    }

    /// Each directory was seen: the next pass begins when this one's time is over.
    private func endAuditPass(of container: WatchedContainer, _ pass: inout AuditPass, _ now: UInt64) {
        counters.auditPasses += 1
        notices.append(
            .audited(container: container.number, directories: pass.directories, counts: pass.counts))
        let interval = UInt64(min(Double(settings.auditInterval), WatchLimits.auditIntervalLimit))
        pass = AuditPass(began: max(pass.began &+ interval, now))
    }

    /// All was read, and the differences were noted. They are looked at after the events queued until now were read and
    /// the entries these name were looked at.
    func settleAudit(_ container: WatchedContainer) {
        let end = position + queuedBytes()
        let files = container.comparison?.settleAudit(at: end) ?? []
        events.force(to: end)
        applied.noteBarrier(at: end)
        holdOldPlaces(of: files, in: container)
    }

    /// A file with one name that was found and not known there has moved if it is known elsewhere: its old place counts
    /// as one where it is missing. One search for all that the slice has found.
    private func holdOldPlaces(of files: Set<InodeNumber>, in container: WatchedContainer) {
        guard !files.isEmpty else { return }
        var found: [TreeNode] = []
        tree.forEachNodeWithOneLink(among: files, in: container.number) { found.append($0) }
        for node in found {
            guard let parent = tree.parent(of: node), let above = directories.directory(at: parent) else { continue }
            var name: [UInt8] = []
            tree.appendName(of: node, to: &name)
            holdRemoval(above, name, identity: fileIdentities.identity(of: tree.status(of: node)), in: container)
        }
    }
}

// Hard links: an event names one name of a file, and its change is true of all of them.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The findings of look-ups about a file with several names, for the names in no event.
struct LinkNews {
    /// Its status at the last look-up.
    var status: FileStatus
    var xattrs: [UInt8]?
    /// It was only come by, by the reading of a directory.
    var wasCrawled = false
    /// One of its names has come to an end: the others must be looked at.
    var lostName = false
    /// It may have names that are not known.
    var searches = false
    var origin: Origin
}

extension TreeWatcher {
    /// Gives every entry of a file its present status: no event names them. It is done once for each file when the
    /// look-ups have been made, since going through ten thousand names for each of ten thousand events would hold up
    /// the loop for minutes.
    func publishLinks(of status: FileStatus, xattrs: UnsafeRawBufferPointer?, searches: Bool, origin: Origin) {
        pool.raiseLinkEpoch()
        note(status, origin) {
            $0.status = status
            $0.wasCrawled = false
            $0.xattrs = xattrs.map { Array($0) }
            if searches { $0.searches = true }
        }
    }

    /// A file with several names was found in a directory that was read for the first time. That name may have been
    /// made, and the file changed by it, before the directory was watched: the known status of its other names is then
    /// out of date.
    func cameBy(_ status: FileStatus, origin: Origin) {
        let isKnown = hardLinks.files.news[InodeNumber(device: status.device, inode: status.inode)] != nil
        note(status, origin) {
            if !isKnown { $0.wasCrawled = true }
            $0.searches = true
        }
    }

    /// Has every entry of a file looked at, one of whose names has come to an end.
    func lookAtLinks(of status: FileStatus, origin: Origin) {
        pool.raiseLinkEpoch()
        note(status, origin) { $0.lostName = true }
    }

    private func note(_ status: FileStatus, _ origin: Origin, _ change: (inout LinkNews) -> Void) {
        let file = InodeNumber(device: status.device, inode: status.inode)
        if let earlier = hardLinks.files.news[file], !fileIdentities.isSame(earlier.status, status) {
            // The inode has been handed out again meanwhile.
            _ = hardLinks.files.takeNews(of: file)
            settle(earlier, areOthersWaiting: mayFindDirectories)
        }
        hardLinks.files.change(file, new: LinkNews(status: status, origin: origin)) { news in
            news.origin.position = min(news.origin.position, origin.position)
            if news.origin.task == 0 { news.origin.task = origin.task }
            change(&news)
        }
    }

    func settle(_ news: LinkNews, areOthersWaiting: Bool) {
        let known = links(of: news.status)
        if let node = known.first, hardLinks.unlinked.hasNames { hardLinks.unlinked.came(news.status, node) }
        if news.lostName {
            for node in known { lookAt(node, origin: news.origin) }
            if !known.isEmpty {
                noteUnresolvedLink(
                    news.status, position: news.origin.position, in: Set(known.map(\.container)),
                    areOthersWaiting: areOthersWaiting)
            }
        } else if news.wasCrawled {
            for node in known where tree.status(of: node) != news.status { lookAt(node, origin: news.origin) }
        } else {
            // Some of these names, and of the one that was looked at where that has one link already, are gone without
            // an event.
            let count = known.count + (news.status.links == 1 ? 1 : 0)
            if count > news.status.links { for node in known { uncertain.provisional.doubt(node) } }
            for node in known {
                var status = news.status
                if containers[node.container]?.options.readsXattrs == true {
                    guard let xattrs = news.xattrs else {
                        // Found out where extended attributes are not read: neither are they known, nor the access control list.
                        lookAt(node, origin: news.origin)
                        continue
                    }
                    xattrs.withUnsafeBytes { _ = publish(node, status, xattrs: $0) }
                } else {
                    status.accessList = .none
                    publish(node, status, xattrs: nil)
                }
            }
        }
        guard news.searches, known.count < news.status.links else { return }
        findLinksLater(of: news.status, news.origin)
        // A name that is not known may be unlinked before its look-up. That look-up then tells of no file that is known.
        if !news.wasCrawled, !known.isEmpty {
            noteUnresolvedLink(
                news.status, position: news.origin.position, in: Set(known.map(\.container)), areOthersWaiting: true)
        }
    }

    func lookAt(_ node: TreeNode, origin: Origin) {
        guard let parent = tree.parent(of: node), let above = directories.directory(at: parent) else { return }
        withName(of: node) { lookUps.add($0, in: above, origin: origin, isExpected: true) }
    }

    /// Not all names of a file are known. The others lie outside of the containers, or one is known with one link and
    /// cannot be found by its inode: `link(2)` tells nothing of the old name.
    func findLinksLater(of status: FileStatus, _ origin: Origin) {
        hardLinks.files.want(
            InodeNumber(device: status.device, inode: status.inode), origin,
            crawledIn: readings[origin.task]?.container.number)
    }

    /// Whether there is something for ``findLinks()``; see ``LinkedFiles/hasWanted(forced:isReading:)``.
    var hasLinksToFind: Bool { hardLinks.files.hasWanted(forced: events.forcedPosition, isReading: isReading) }

    /// Whether directories of a container are being read, or of any.
    private func isReading(_ container: UInt32?) -> Bool {
        container.map { containers[$0]?.outstanding ?? 0 > 0 } ?? tasksAreOutstanding
    }

    func takeLinksToFind() -> [InodeNumber: Origin] {
        let wanted = hardLinks.files.takeWanted(forced: events.forcedPosition, isReading: isReading)
        if tasksAreOutstanding {
            hardLinks.files.noteSought(wanted.keys, limit: settings.limits.soughtLinks, ticket: pool.tickets(1))
        }
        return wanted
    }

    /// Looks again at the files that a crawl found with more links than it found names: a name may have been unlinked after
    /// the file was read, in a directory that had no watch yet.
    func lookAtCrawled(_ files: [InodeNumber: Origin]) {
        for (file, origin) in files where origin.task != 0 {
            let known = links(of: file)
            guard let first = known.first, known.count < tree.status(of: first).links else { continue }
            for node in known { lookAt(node, origin: origin) }
            // A watched directory may lose it after this look.
            guard hardLinks.files.unresolved.count < settings.limits.soughtLinks else { continue }
            noteUnresolvedLink(
                tree.status(of: first), position: origin.position, in: Set(known.map(\.container)),
                areOthersWaiting: mayFindDirectories)
        }
    }

    func links(of status: FileStatus) -> [TreeNode] {
        links(of: InodeNumber(device: status.device, inode: status.inode)).filter {
            fileIdentities.isSame(tree.status(of: $0), status)
        }
    }

    /// The entries of an inode that is no directory, as far as it has several links.
    func links(of file: InodeNumber) -> [TreeNode] {
        var nodes: [TreeNode] = []
        for number in containers.keys {
            tree.forEachNode(inode: file.inode, device: file.device, in: number) { nodes.append($0) }
        }
        return nodes.filter { !tree.status(of: $0).kind.isDirectory }
    }

    /// Files below a directory that have other names, each once.
    func linkedFiles(below node: TreeNode) -> [FileStatus] {
        var found: [FileIdentity: FileStatus] = [:]
        tree.forEachLinkedFile(below: node) {
            let status = tree.status(of: $0)
            found[self.fileIdentities.identity(of: status)] = status
        }
        return Array(found.values)
    }

    /// Has the names of a file looked at again when the work under way is done. A file that waits already keeps its
    /// time: with one more name lost each millisecond the time would never come, nor any barrier behind it.
    /// `areOthersWaiting`: other look-ups.
    func noteUnresolvedLink(
        _ status: FileStatus, position lost: UInt64, in numbers: Set<UInt32>, areOthersWaiting: Bool,
        attempts: UInt8 = 0
    ) {
        let file = InodeNumber(device: status.device, inode: status.inode)
        if let waiting = hardLinks.files.unresolved[file], waiting.position != .max {
            hardLinks.files.unresolved[file]?.status = status
            hardLinks.files.unresolved[file]?.containers.formUnion(numbers)
            hardLinks.files.unresolved[file]?.again = min(waiting.again ?? .max, lost)
            return
        }
        let queued = queuedBytes()
        // No barrier waits for a poll.
        let reading = readings.tasks.filter { $0.value.position != .max }
        guard queued > 0 || areOthersWaiting || !renames.isEmpty || !reading.isEmpty,
            attempts < settings.limits.lookUpAttempts
        else { return }
        let own = reading.filter { numbers.contains($0.value.container.number) }.keys
        hardLinks.files.unresolved[file] = UnresolvedLink(
            status: status, position: lost, containers: numbers, end: position + queued,
            tasks: Set(own), otherTasks: Set(reading.keys).subtracting(own), attempts: attempts)
    }

    /// Whether look-ups wait by which a directory may be found that was not read yet, in which there may be other names.
    var mayFindDirectories: Bool {
        !lookUps.isEmpty || !deferredLookUps.isEmpty || (!directories.unreadable.isEmpty && lookUps.hasPatient)
    }
}

// Hard links: an event names one name of a file, and what it tells is true of all of them.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// What look-ups found out about a file with several names, for those that no event named.
struct LinkNews {
    /// What it was when it was looked at last.
    var status: FileStatus
    var extras: [UInt8]?
    /// It was only come by, by the reading of a directory.
    var wasCrawled = false
    /// One of its names has come to an end: what the others are now must be looked at.
    var lostName = false
    /// It may have names that are not known.
    var searches = false
    var origin: Origin
}

extension TreeWatcher {
    /// Has every entry of a file told what the file is now: no event names them. It is done once for each file when
    /// the look-ups have been made, since going through ten thousand names for each of ten thousand events would hold
    /// up the loop for minutes.
    func tellLinks(of status: FileStatus, extras: UnsafeRawBufferPointer?, searches: Bool, origin: Origin) {
        pool.raiseLinkEpoch()
        note(status, origin) {
            $0.status = status
            $0.wasCrawled = false
            $0.extras = extras.map { Array($0) }
            if searches { $0.searches = true }
        }
    }

    /// A file with several names was found in a directory that was read for the first time. That name may have been made, and
    /// the file changed by it, before the directory was watched: what is known of its others is then out of date.
    func cameBy(_ status: FileStatus, origin: Origin) {
        let isKnown = linkedFiles.news[InodeNumber(device: status.device, inode: status.inode)] != nil
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
        if let earlier = linkedFiles.news[file], !fileIdentities.isSame(earlier.status, status) {
            // The inode has been handed out again meanwhile.
            _ = linkedFiles.takeNews(of: file)
            settle(earlier, areOthersWaiting: mayFindDirectories)
        }
        linkedFiles.change(file, new: LinkNews(status: status, origin: origin)) { news in
            news.origin.cause = min(news.origin.cause, origin.cause)
            if news.origin.task == 0 { news.origin.task = origin.task }
            change(&news)
        }
    }

    /// Tells the names of the files that came up, and has them looked at where a name has ended.
    func settleLinks() {
        resolveNames()
        guard !linkedFiles.news.isEmpty else { return }
        // Not those that it asks for itself.
        let areOthersWaiting = mayFindDirectories
        while let news = linkedFiles.takeNews() { settle(news, areOthersWaiting: areOthersWaiting) }
    }

    private func settle(_ news: LinkNews, areOthersWaiting: Bool) {
        let known = links(of: news.status)
        if let node = known.first, unlinkedNames.hasNames { unlinkedNames.came(news.status, node) }
        if news.lostName {
            for node in known { lookAt(node, origin: news.origin) }
            if !known.isEmpty {
                noteStray(
                    news.status, cause: news.origin.cause, in: Set(known.map(\.container)),
                    areOthersWaiting: areOthersWaiting)
            }
        } else if news.wasCrawled {
            for node in known where tree.status(of: node) != news.status { lookAt(node, origin: news.origin) }
        } else {
            // Of these names and the one that was looked at, where that has one link already, some are gone, unheard.
            let count = known.count + (news.status.links == 1 ? 1 : 0)
            if count > news.status.links { for node in known { ahead.doubt(node) } }
            for node in known {
                var status = news.status
                if containers[node.container]?.options.readsExtras == true {
                    guard let extras = news.extras else {
                        // Found out where extras are not read: neither are they known, nor who may read them.
                        lookAt(node, origin: news.origin)
                        continue
                    }
                    extras.withUnsafeBytes { _ = tell(node, status, extras: $0) }
                } else {
                    status.accessList = .none
                    tell(node, status, extras: nil)
                }
            }
        }
        guard news.searches, known.count < news.status.links else { return }
        findLinksLater(of: news.status, news.origin)
        // A name that is not known may be unlinked before its look-up. That look-up then tells of no file that is known.
        if !news.wasCrawled, !known.isEmpty {
            noteStray(
                news.status, cause: news.origin.cause, in: Set(known.map(\.container)), areOthersWaiting: true)
        }
    }

    func lookAt(_ node: TreeNode, origin: Origin) {
        guard let parent = tree.parent(of: node), let above = directories.directory(at: parent) else { return }
        withName(of: node) { lookUps.add($0, in: above, origin: origin, isExpected: true) }
    }

    /// Not all names of a file are known. The others lie outside of the containers, or one is known with one link and
    /// cannot be found by its inode: `link(2)` tells nothing of the old name.
    func findLinksLater(of status: FileStatus, _ origin: Origin) {
        linkedFiles.want(
            InodeNumber(device: status.device, inode: status.inode), origin,
            crawledIn: readings[origin.task]?.container.number)
    }

    /// Whether there is something for ``findLinks()``; see ``LinkedFiles/hasWanted(forced:isReading:)``.
    var hasLinksToFind: Bool { linkedFiles.hasWanted(forced: forcedPosition, isReading: isReading) }

    /// Whether directories of a container are being read, or of any.
    private func isReading(_ container: UInt32?) -> Bool {
        container.map { containers[$0]?.outstanding ?? 0 > 0 } ?? tasksAreOutstanding
    }

    private func takeLinksToFind() -> [InodeNumber: Origin] {
        let wanted = linkedFiles.takeWanted(forced: forcedPosition, isReading: isReading)
        if tasksAreOutstanding {
            linkedFiles.noteSought(wanted.keys, limit: settings.limits.soughtLinks, ticket: pool.tickets(1))
        }
        return wanted
    }

    /// Looks for the entries whose files have got more names, all in one search, and has them looked at.
    func findLinks() {
        guard hasLinksToFind else { return }
        let wanted = takeLinksToFind()
        var found: [(TreeNode, Origin)] = []
        let inodes = Set(wanted.keys)
        for number in containers.keys {
            tree.forEachNodeWithOneLink(among: inodes, in: number) { node in
                let status = tree.status(of: node)
                guard let origin = wanted[InodeNumber(device: status.device, inode: status.inode)] else { return }
                found.append((node, origin))
            }
        }
        for (node, origin) in found { lookAt(node, origin: origin) }
        lookAtCrawled(wanted)
        runLookUps()
    }

    /// Looks again at the files that a crawl found with more links than it found names: a name may have been unlinked after
    /// the file was read, in a directory that had no watch yet.
    private func lookAtCrawled(_ files: [InodeNumber: Origin]) {
        for (file, origin) in files where origin.task != 0 {
            let known = links(of: file)
            guard let first = known.first, known.count < tree.status(of: first).links else { continue }
            for node in known { lookAt(node, origin: origin) }
            // A watched directory may lose it after this look.
            guard linkedFiles.strays.count < settings.limits.soughtLinks else { continue }
            noteStray(
                tree.status(of: first), cause: origin.cause, in: Set(known.map(\.container)),
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
}

// The changes that gatherd reports.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

extension ContainerSession {
    /// Matches every item, also those inside of packages and below `.gather`.
    static let everything = "inPackage == TRUE OR inPackage == FALSE OR path CONTAINS '/.gather/'"
    static let attributes = ["path", "kind", "size", "modified", "changed", "inode"]

    /// Starts the feed of changes after a clock.
    func watch(since clock: String) async throws -> VarlinkReplies {
        try await gatherd.connect().callMore(
            QueryInterface.Watch.self,
            QueryInterface.Watch.Request(
                predicate: ContainerSession.everything, scopes: [container], attributes: ContainerSession.attributes,
                since: clock, heartbeat: SyncLimits.heartbeat))
    }

    /// Reads the feed until it ends.
    func read(_ replies: VarlinkReplies) async throws {
        let replies = FeedReader(replies)
        while let reply = try await TimeLimit.run(
            "the feed of changes", SyncLimits.silence, { try await replies.next() })
        { take(try reply.reply(of: QueryInterface.Watch.self)) }
        throw SessionError.ended
    }

    private func take(_ reply: QueryInterface.Watch.Reply) {
        // gatherd does not know what changed since the clock, and lists all items.
        feed.beginReply(listsAll: reply.event == .started ? reply.fresh == true : nil)
        for item in reply.added ?? [] { note(item, isNew: true) }
        for item in reply.changed ?? [] { note(item, isNew: item.previousPath != nil) }
        for item in reply.removed ?? [] { note(item.path, .removed) }
        if feed.endReply(clock: reply.clock, isGathered: reply.event == .gathered) {
            for index in folders.indices { folders[index].scans.addAll() }
        }
        guard !feed.isListing else { return }
        for index in folders.indices {
            claimCopies(index)
            startScan(index)
            verify(index)
        }
        signals.wakeAll()
    }

    private func note(_ item: Item, isNew: Bool) {
        // A file that is not here has no inode, and needs no scan.
        guard let path = item.path, item.inode != 0 else { return }
        if let previous = item.previousPath { note(previous, .removed) }
        switch item.kind {
        case .directory, .package:
            // The time of a directory changes with each of its entries, which are in the feed themselves. A change of
            // its mode or attributes changes the other time only.
            let changed = item.modified == item.changed ? nil : item.changed
            if isNew || changed != nil { note(path, .directory(changed: changed)) } else { noteChange(path) }
        case .file:
            if let size = item.size, let modified = item.modified {
                note(path, .file(size: size, modified: modified))
            } else {
                note(path, .other)
            }
        case .fifo, .socket, .characterDevice, .blockDevice:
            noteChange(path)
            if let (index, part) = ResolvedPath.below(directory, path).flatMap({ folder(of: $0) }) {
                folders[index].unshared.note(special: part)
            }
        default: note(path, .other)
        }
    }

    private func noteChange(_ path: String) {
        if let below = ResolvedPath.below(directory, path) { feed.note(below) }
    }

    private func note(_ path: String, _ change: FeedChange) {
        guard let below = ResolvedPath.below(directory, path), let (index, part) = folder(of: below) else { return }
        feed.note(below)
        // A scan of all follows.
        guard !feed.isListing else { return }
        if case .file = change { folders[index].copies.note(part) }
        folders[index].unshared.note(part, isRemoved: change == .removed)
        if folders[index].scans.add(part, change), case .file = change { readChange(part, index) }
    }
}

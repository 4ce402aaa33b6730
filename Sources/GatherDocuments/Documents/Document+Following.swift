// Following the file of an open document with a live query.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import SaveFiles

extension Document {
    /// The task that follows the file, and the facts that it found. The document owns it.
    struct Follower {
        let task: Task<Void, Never>
        var state: DocumentFollowing
        /// The identity of the item; nil if it is not known.
        var item: MetadataItem.ID?
        /// Is resumed when the first attempt to follow the file has an end.
        var isFirst: CheckedContinuation<Void, Never>?
        /// Tells the follower from an earlier one, whose last events may come late.
        let number: UInt64
    }

    /// Follows the file. Returns when a live query has begun, when the first attempt has failed, or if the daemon does not
    /// answer in time.
    func startFollowing() async {
        guard options.followsChanges, model != nil, follower == nil else { return }
        followers += 1
        let number = followers
        await withCheckedContinuation { continuation in
            let loop = FollowLoop(
                daemon: options.daemon, isPackage: Contents.self is any PackageContents.Type)
            let task = Task { [weak self] in
                await loop.run(
                    place: { [weak self] in await self?.place(number) },
                    receive: { [weak self] event in await self?.receive(event, number) ?? .close })
                await self?.followingEnded(number)
            }
            follower = Follower(
                task: task, state: .paused(reason: "not begun"), isFirst: continuation, number: number)
            Task { [weak self, timeout = options.daemonTimeout] in
                try? await Task.sleep(for: timeout)
                await self?.daemonIsSilent(number)
            }
        }
    }

    private func daemonIsSilent(_ number: UInt64) {
        guard follower?.number == number, follower?.isFirst != nil else { return }
        setFollowing(.paused(reason: "gatherd does not answer"))
    }

    /// The document was closed before a live query began.
    private func followingEnded(_ number: UInt64) {
        guard follower?.number == number, model == nil else { return }
        stopFollowing()
    }

    func stopFollowing() {
        follower?.task.cancel()
        follower?.isFirst?.resume()
        follower = nil
    }

    /// The place of the file now, by which its item is found. Nil if the document is closed.
    private func place(_ number: UInt64) async -> FollowLoop.Place? {
        guard follower?.number == number, let loaded else { return nil }
        let location = location
        // A rename may have given the file a name that no document has.
        guard let path = try? DocumentPath(location, isVersion: true) else { return nil }
        let now = try? await BlockingWork.run { () throws(DocumentError) in
            try Folder(path.folder).status(of: path.name).map { FileStamp($0) }
        }
        let stamp = now.flatMap { $0 }
        return FollowLoop.Place(
            folder: path.folder, name: path.name, device: (stamp ?? loaded.stamp).device,
            inode: (stamp ?? loaded.stamp).inode, isAtPath: stamp != nil, item: follower?.item)
    }

    /// Handles an event of the follower.
    private func receive(_ event: FollowLoop.Event, _ number: UInt64) async -> FollowLoop.Reaction {
        guard follower?.number == number, model != nil else { return .close }
        switch event {
        case .live(let item):
            follower?.item = item.rawValue.isEmpty ? nil : item
            setFollowing(.live)
        case .paused(let reason):
            setFollowing(.paused(reason: reason))
        case .item(let path, let conflictVersions):
            await turn.begin()
            defer { turn.end() }
            guard follower?.number == number, model != nil else { return .close }
            if let path, path != location {
                switch await whereabouts(path) {
                case .isSame: break
                case .hasMoved: move(to: path)
                case .isAnother:
                    // Another file has the document's path now, or the file went where no document is.
                    follower?.item = nil
                    try? await lookAtFile()
                    return .lookAgain
                }
            }
            if let conflictVersions, !(Contents.self is any PackageContents.Type) {
                conflicts.versions = conflictVersions
                holder.set(.inConflict, conflicts.isInConflict)
            }
            // An error is in the state, and the next event or save looks again.
            try? await lookAtFile()
        case .gone:
            await turn.begin()
            defer { turn.end() }
            follower?.item = nil
            try? await lookAtFile()
        }
        return follower?.number == number && model != nil ? .goOn : .close
    }

    /// The relation of an item's path to the document's.
    private enum Whereabouts {
        /// Both lead to one file, such as two spellings of a path with symbolic links.
        case isSame
        case hasMoved
        case isAnother
    }

    /// A program may rename the file of a document to a conflict version or a backup, and put another in its place. The document
    /// stays at its path then. It does not follow its file into the trash.
    private func whereabouts(_ path: FilePath) async -> Whereabouts {
        let location = location
        let stamps = try? await BlockingWork.run { () throws(DocumentError) in
            func stamp(_ path: FilePath) throws(DocumentError) -> FileStamp? {
                let path = try DocumentPath(path, isVersion: true)
                do throws(DocumentError) {
                    return try Folder(path.folder).status(of: path.name).map { FileStamp($0) }
                } catch {
                    guard error.code == .notFound else { throw error }
                    return nil
                }
            }
            return (here: try stamp(location), there: try stamp(path))
        }
        guard let stamps else { return .isSame }
        if let here = stamps.here {
            guard let there = stamps.there else { return .isSame }
            return here.inode == there.inode && here.device == there.device ? .isSame : .isAnother
        }
        guard let place = try? DocumentPath(path, isVersion: true), (try? place.requireDocument()) != nil,
            !Trash.holds(path)
        else { return .isAnother }
        return .hasMoved
    }

    private func setFollowing(_ state: DocumentFollowing) {
        follower?.isFirst?.resume()
        follower?.isFirst = nil
        guard follower != nil, follower?.state != state else { return }
        follower?.state = state
        changeBroadcast.send(.following(state))
    }

    private func move(to path: FilePath) {
        location = path
        changeBroadcast.send(.moved(path: path))
    }

    /// If the file is not at its path, asks the daemon for its new path. A rename may not have been told yet.
    func findMovedFile() async {
        guard let item = follower?.item, follower?.state == .live else { return }
        let location = location
        let isThere = try? await BlockingWork.run { () throws(DocumentError) in
            let path = try DocumentPath(location, isVersion: true)
            do throws(DocumentError) {
                return try Folder(path.folder).status(of: path.name) != nil
            } catch {
                guard error.code == .notFound else { throw error }
                return false
            }
        }
        guard isThere == false else { return }
        let (client, timeout) = (GatherClient(daemon: options.daemon), options.daemonTimeout)
        let items = await FollowLoop.answer(within: timeout) {
            try? await client.find("id == '\(item)' AND \(FollowLoop.anywhere)", attributes: [.path], limit: 1).items
        }
        if let path = items?.first?.filePath, path != location, await whereabouts(path) == .hasMoved { move(to: path) }
    }
}

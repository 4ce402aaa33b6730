// The live query that follows one file.
// SPDX-License-Identifier: Apache-2.0

/// Finds the item of a file and follows it with a live query, and again after the file or the daemon was away.
struct FollowLoop: Sendable {
    /// A file as its document knows it.
    struct Place: Sendable, Hashable {
        let folder: [UInt8]
        let name: [UInt8]
        let device: UInt64
        let inode: UInt64
        /// Whether the file has its path now. Otherwise it was moved, or is gone.
        let isAtPath: Bool
        /// The item that was followed last; nil if it is gone.
        let item: MetadataItem.ID?
    }

    /// The answer of the document to an event.
    enum Reaction: Sendable {
        case goOn
        /// The item is not the file of the document any more.
        case lookAgain
        /// The document is closed.
        case close
    }

    /// News of the file.
    enum Event: Sendable {
        /// A live query follows the item.
        case live(MetadataItem.ID)
        /// No live query follows the file, for this reason.
        case paused(String)
        /// The item has this path and this number of conflict versions, as far as they are known. Its contents may have changed.
        case item(path: FilePath?, conflictVersions: Int?)
        /// The item does not exist any more.
        case gone
    }

    let daemon: Daemon
    /// Whether the entries inside are followed, too.
    let isPackage: Bool

    /// The first and the longest pause after a failure.
    private static let pauses: (first: Duration, longest: Duration) = (.milliseconds(500), .seconds(30))

    /// How many times a file is looked for before the loop pauses.
    private static let attempts = 3

    /// The end of following an item.
    private enum End {
        case isClosed
        /// The item matched, and is gone.
        case wasThere
        /// The item was gone before the query began.
        case wasNeverThere
    }

    /// Returns the answer of a daemon; nil for a failure, and after a time: one that does not answer would hold the document up.
    static func answer<Value: Sendable>(
        within timeout: Duration, _ body: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Items inside packages match predicates that name the attribute.
    static let anywhere = "inPackage IN {TRUE, FALSE}"

    /// Follows the file until the task is cancelled, or `receive` says that the document is closed.
    func run(
        place: @escaping @Sendable () async -> Place?, receive: @escaping @Sendable (Event) async -> Reaction
    ) async {
        var pause = FollowLoop.pauses.first
        var misses = 0
        while !Task.isCancelled {
            guard let now = await place() else { return }
            do {
                if let item = try await find(now) {
                    misses = 0
                    switch try await follow(item, at: now, receive) {
                    case .isClosed: return
                    case .wasThere:
                        pause = FollowLoop.pauses.first
                        continue
                    case .wasNeverThere: break
                    }
                } else if !now.isAtPath {
                    guard await receive(.gone) != .close else { return }
                    guard try await awaitFile(now, place, receive) else { return }
                    pause = FollowLoop.pauses.first
                    continue
                } else {
                    // Another program may have replaced the file in this moment.
                    misses += 1
                    if misses < FollowLoop.attempts { continue }
                    guard await receive(.paused("gatherd does not watch this file")) != .close else { return }
                }
            } catch {
                if Task.isCancelled { return }
                guard await receive(.paused("\(error)")) != .close else { return }
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, FollowLoop.pauses.longest)
        }
    }

    /// Finds the item of a file. One that is not at its path is known by its item alone: its inode may be another file's by now.
    private func find(_ place: Place) async throws -> MetadataItem.ID? {
        let client = GatherClient(daemon: daemon)
        guard place.isAtPath else {
            guard let item = place.item else { return nil }
            let result = try await client.find("id == '\(item)' AND \(FollowLoop.anywhere)", attributes: [.path])
            return result.items.isEmpty ? nil : item
        }
        let result = try await client.find(
            "inode == \(place.inode) AND \(FollowLoop.anywhere)",
            scopes: [.directory(FilePath(bytes: place.folder))], attributes: [.device, .path, .name])
        // A hard link has the same inode. One of the same name may lie in a folder below.
        let found = result.items.filter {
            $0.device.map { UInt64($0) } == place.device && $0.nameBytes ?? Array(($0.name ?? "").utf8) == place.name
        }
        return found.min { ($0.pathBytes?.count ?? 0) < ($1.pathBytes?.count ?? 0) }?.id
    }

    /// Follows an item until it is gone. With a package, its entries are followed by a second query, until the package has another path.
    private func follow(
        _ item: MetadataItem.ID, at place: Place, _ receive: @escaping @Sendable (Event) async -> Reaction
    ) async throws -> End {
        guard isPackage else { return try await follow(item, under: nil, receive) }
        let path = FilePath(bytes: DocumentPath.join(place.folder, place.name))
        return try await withThrowingTaskGroup(of: End.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await follow(item, under: path, receive) }
            group.addTask { try await followEntries(of: path, receive) }
            return try await group.next() ?? .isClosed
        }
    }

    /// Follows the entries of a package, and lets the document look at them after each change.
    private func followEntries(
        of path: FilePath, _ receive: @Sendable (Event) async -> Reaction
    ) async throws -> End {
        let query = MetadataQuery(
            predicate: FollowLoop.anywhere, scopes: [.directory(path)], attributes: [.inode, .size, .modified],
            daemon: daemon)
        try await query.start()
        defer { query.stop() }
        for try await notification in query.notifications {
            switch notification {
            // Changes between the loading of the document and the answer are not told.
            case .gathered, .updated, .reconnected:
                switch await receive(.item(path: nil, conflictVersions: nil)) {
                case .goOn: break
                case .lookAgain: return .wasThere
                case .close: return .isClosed
                }
            default: break
            }
        }
        return .isClosed
    }

    /// Follows an item until it is gone, or until it has another path than the one that is given.
    private func follow(
        _ item: MetadataItem.ID, under path: FilePath?, _ receive: @Sendable (Event) async -> Reaction
    ) async throws -> End {
        let query = MetadataQuery(
            predicate: "id == '\(item)' AND \(FollowLoop.anywhere)", attributes: FollowLoop.attributes, daemon: daemon)
        try await query.start()
        defer { query.stop() }
        for try await notification in query.notifications {
            var reaction = Reaction.goOn
            switch notification {
            case .gathered:
                if query.resultCount == 0 { return .wasNeverThere }
                reaction = await receive(.live(item))
            case .reconnecting(let error): reaction = await receive(.paused(error.message))
            case .reconnected: reaction = await receive(.live(item))
            case .progress(let changes), .updated(let changes):
                if let item = (changes.added + changes.changed).last {
                    reaction = await receive(
                        .item(path: item.filePath, conflictVersions: Int(item.conflictVersions ?? 0)))
                    if reaction == .goOn, let path, let now = item.filePath, now != path { return .wasThere }
                }
                if reaction == .goOn, !changes.removed.isEmpty { return .wasThere }
            default: break
            }
            switch reaction {
            case .goOn: break
            case .lookAgain: return .wasThere
            case .close: return .isClosed
            }
        }
        return .isClosed
    }

    private static let attributes: [Attribute] = [.path, .inode, .size, .modified, .changed, .conflictVersions]

    /// Waits until the file is at its path again. False if the document is closed.
    private func awaitFile(
        _ former: Place, _ place: @Sendable () async -> Place?, _ receive: @Sendable (Event) async -> Reaction
    ) async throws -> Bool {
        let query = MetadataQuery(
            predicate:
                "name == \(PredicateText.literal(String(decoding: former.name, as: UTF8.self))) AND \(FollowLoop.anywhere)",
            scopes: [.directory(FilePath(bytes: former.folder))], attributes: [.path, .inode], daemon: daemon)
        try await query.start()
        defer { query.stop() }
        for try await notification in query.notifications {
            switch notification {
            case .gathered:
                guard await receive(.live("")) != .close else { return false }
            case .progress(let changes), .updated(let changes):
                guard !changes.added.isEmpty || !changes.changed.isEmpty else { continue }
                // It may be a file of the same name in a folder below.
                guard let now = await place() else { return false }
                guard now.isAtPath else { continue }
                return await receive(.item(path: nil, conflictVersions: nil)) != .close
            case .reconnecting(let error):
                guard await receive(.paused(error.message)) != .close else { return false }
            case .reconnected:
                guard await receive(.live("")) != .close else { return false }
            default: break
            }
        }
        return false
    }
}

// A daemon without sockets, for the state machine of a live query.
// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import GatherKit

/// A daemon that is a set of files, and tells what changes as the contract says.
struct PlayedDaemon {
    private(set) var files: [MetadataItem.ID: PlayedFile] = [:]
    private var nextID = 0
    private var nextInode: Int64 = 100
    private var time: Int64 = 1000
    private(set) var clock = 0
    private var epoch = 0
    /// The sets at each clock, for `since`.
    private var history: [DaemonClock: [MetadataItem.ID: PlayedFile]] = [:]

    var clockText: DaemonClock { DaemonClock(rawValue: "\(epoch):\(clock)") }

    init() { history[clockText] = files }

    /// One random change; nil where nothing can be changed.
    mutating func change(_ generator: inout SeededGenerator) -> QueryChanges {
        time += 1
        clock += 1
        defer { history[clockText] = files }
        let victim = files.values.sorted { $0.id.rawValue < $1.id.rawValue }.randomElement(using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4:
            let path = "/c/\(Int.random(in: 0..<40, using: &generator))"
            guard !files.values.contains(where: { $0.path == path }) else { return QueryChanges() }
            let file = make(path)
            return QueryChanges(added: [file.item()])
        case 4..<6:
            guard let victim else { return QueryChanges() }
            files[victim.id] = nil
            return QueryChanges(removed: [victim.removal])
        case 6..<8:
            guard var file = victim else { return QueryChanges() }
            file.size += 1
            file.changed = time
            files[file.id] = file
            return QueryChanges(changed: [file.item()])
        default:
            guard var file = victim else { return QueryChanges() }
            let path = "/c/\(Int.random(in: 0..<40, using: &generator))"
            guard !files.values.contains(where: { $0.path == path }) else { return QueryChanges() }
            let former = file.path
            file.path = path
            file.changed = time
            files[file.id] = file
            return QueryChanges(changed: [file.item(previousPath: former)])
        }
    }

    private mutating func make(_ path: String) -> PlayedFile {
        nextID += 1
        nextInode += 1
        let file = PlayedFile(
            id: MetadataItem.ID(rawValue: "\(epoch)-\(nextID)"), path: path, size: 0, inode: nextInode, created: time,
            changed: time)
        files[file.id] = file
        return file
    }

    /// Forgets everything but the files, as a daemon without saved state does: other identities, other clocks.
    mutating func forget() {
        epoch += 1
        history = [:]
        var renumbered: [MetadataItem.ID: PlayedFile] = [:]
        for var file in files.values {
            nextID += 1
            file.id = MetadataItem.ID(rawValue: "\(epoch)-\(nextID)")
            renumbered[file.id] = file
        }
        files = renumbered
        history[clockText] = files
    }

    /// The answer to a Watch up to gathered.
    func gather(since: DaemonClock?) -> [QueryReply] {
        guard let since, let former = history[since] else {
            let added = files.values.map { $0.item() }
            let half = added.count / 2
            return [
                .started(fresh: true), .progress(QueryChanges(added: Array(added[..<half]))),
                .progress(QueryChanges(added: Array(added[half...]))), .gathered(clock: clockText),
            ]
        }
        var difference = QueryChanges()
        for (id, file) in files {
            if let old = former[id] {
                if old != file { difference.changed.append(file.item(previousPath: old.path)) }
            } else {
                difference.added.append(file.item())
            }
        }
        for (id, file) in former where files[id] == nil { difference.removed.append(file.removal) }
        return [.started(), .progress(difference), .gathered(clock: clockText)]
    }
}

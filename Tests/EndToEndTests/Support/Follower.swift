// The answers to a change that two kinds of subscriber receive: the lines of `gather watch`, and a query of GatherKit.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Glibc
import TestSupport
import Testing

/// The net effect of what a subscriber was told, by paths relative to the container.
struct NetEffect: Equatable, CustomStringConvertible {
    var added: Set<String> = []
    var changed: Set<String> = []
    var removed: Set<String> = []
    /// From the old path to the new.
    var moved: [String: String] = [:]

    var description: String {
        var parts = added.sorted().map { "+\($0)" } + changed.sorted().map { "~\($0)" }
        parts += removed.sorted().map { "-\($0)" } + moved.sorted { $0.key < $1.key }.map { "\($0.key)>\($0.value)" }
        return parts.joined(separator: " ")
    }

    mutating func add(_ path: String) {
        if removed.remove(path) != nil { changed.insert(path) } else { added.insert(path) }
    }

    mutating func change(_ path: String) {
        // A new or moved path is told anyway.
        if !added.contains(path), !moved.values.contains(path) { changed.insert(path) }
    }

    mutating func remove(_ path: String) {
        changed.remove(path)
        if added.remove(path) != nil { return }
        if let old = moved.first(where: { $0.value == path })?.key {
            moved[old] = nil
            removed.insert(old)
        } else {
            removed.insert(path)
        }
    }

    mutating func move(_ old: String, _ new: String) {
        changed.remove(old)
        if added.remove(old) != nil {
            added.insert(new)
        } else if let first = moved.first(where: { $0.value == old })?.key {
            moved[first] = first == new ? nil : new
        } else {
            moved[old] = new
        }
    }
}

/// Follows everything in the container `box` twice: through `gather watch`, and through GatherKit.
struct Follower {
    private let daemon: TestDaemon
    private let watch: ChildProcess
    private let query: MetadataQuery
    private var notifications: MetadataQuery.Notifications.Iterator
    private var sentinels = 0

    /// The lines that `gather watch` printed before the first change.
    private(set) var firstLines: [String] = []

    init(_ daemon: TestDaemon, _ predicate: String = "") async throws {
        self.daemon = daemon
        // Sentinels match whatever the predicate says.
        let whole = predicate.isEmpty ? "" : "(\(predicate)) OR name BEGINSWITH '.sentinel-'"
        query = MetadataQuery(predicate: whole, scopes: [.container("box")], attributes: [.path], socket: daemon.socket)
        try await query.start()
        notifications = query.notifications.makeAsyncIterator()
        while let notification = try await notifications.next(), notification != .gathered {}
        watch = ChildProcess(.gather, ["watch", whole, "--container", "box", "--socket", daemon.socket.path])
        // The watch is live when it tells of the first sentinel.
        let (lines, _) = try await sentinel()
        firstLines = lines
    }

    /// Makes `change` and returns the net effect that both were told.
    mutating func effect(of change: () throws -> Void) async throws -> (lines: NetEffect, query: NetEffect) {
        let (lines, updates) = try await told(of: change)
        var effects = (lines: NetEffect(), query: NetEffect())
        for line in lines { try apply(line, to: &effects.lines) }
        for update in updates { apply(update, to: &effects.query) }
        return effects
    }

    /// Makes `change` and returns what both were told, as it came.
    mutating func told(
        of change: () throws -> Void
    ) async throws -> (lines: [String], updates: [QueryChanges]) {
        try change()
        try await daemon.client.flush()
        return try await sentinel()
    }

    func stop() { watch.kill(SIGKILL) }

    /// Makes a file that both hear of, and returns what they heard before.
    private mutating func sentinel() async throws -> (lines: [String], updates: [QueryChanges]) {
        sentinels += 1
        let path = daemon.box + "/.sentinel-\(sentinels)"
        try Change.write("", to: path)
        var lines: [String] = []
        while true {
            let line = try #require(await watch.nextLine(), "the watch ended")
            if line.hasSuffix(path) { break }
            if !line.contains("/.sentinel-") { lines.append(line) }
        }
        var updates: [QueryChanges] = []
        while true {
            let notification = try #require(try await notifications.next(), "the query ended")
            guard case .updated(let changes) = notification else { continue }
            updates.append(
                QueryChanges(
                    added: changes.added.filter { !$0.isSentinel }, changed: changes.changed.filter { !$0.isSentinel },
                    removed: changes.removed))
            if changes.added.contains(where: { $0.path == path }) { break }
        }
        return (lines, updates)
    }

    private func apply(_ changes: QueryChanges, to effect: inout NetEffect) {
        for removal in changes.removed { effect.remove(relative(removal.pathBytes)) }
        for item in changes.changed {
            let path = relative(item.pathBytes ?? [])
            if let previous = item.previousFilePath {
                effect.move(relative(previous.bytes), path)
            } else {
                effect.change(path)
            }
        }
        for item in changes.added { effect.add(relative(item.pathBytes ?? [])) }
    }

    private func apply(_ line: String, to effect: inout NetEffect) throws {
        let text = String(line.dropFirst(2))
        switch line.prefix(2) {
        case "+ ": effect.add(relative(Array(text.utf8)))
        case "- ": effect.remove(relative(Array(text.utf8)))
        case "~ ":
            let paths = text.components(" -> ")
            if paths.count == 2 {
                effect.move(relative(Array(paths[0].utf8)), relative(Array(paths[1].utf8)))
            } else {
                effect.change(relative(Array(text.utf8)))
            }
        default: Issue.record("a line of no kind: \(line)")
        }
    }

    private func relative(_ path: [UInt8]) -> String {
        let path = String(decoding: path, as: UTF8.self)
        return path.hasPrefix(daemon.box + "/") ? String(path.dropFirst(daemon.box.utf8.count + 1)) : path
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        guard let range = firstRange(of: separator) else { return [self] }
        return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
    }
}

extension MetadataItem {
    fileprivate var isSentinel: Bool { path?.contains("/.sentinel-") ?? false }
}

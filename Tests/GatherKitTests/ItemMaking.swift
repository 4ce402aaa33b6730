// Items and replies for tests, made of the JSON in which they travel.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import TestSupport
import Varlink

@testable package import GatherKit

extension DaemonClock: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(rawValue: text) }
}

/// A file as a played daemon knows it.
struct PlayedFile: Hashable {
    var id: MetadataItem.ID
    var path: String
    var size: Int64 = 0
    var inode: Int64 = 1
    var created: Int64 = 1
    var changed: Int64 = 1

    var json: String {
        func time(_ second: Int64) -> String { Timestamp(seconds: second, nanoseconds: 0).rfc3339 }
        let name = path.split(separator: "/").last ?? ""
        return """
            {"id":"\(id)","name":"\(name)","path":"\(path)","size":\(size),"inode":\(inode),\
            "created":"\(time(created))","changed":"\(time(changed))"}
            """
    }

    func item(previousPath: String? = nil) -> MetadataItem {
        let item: Item = try! JSONBytes(json).decode()
        return MetadataItem(item, previousPathBytes: previousPath.map { Array($0.utf8) })
    }

    var removal: RemovedItem { RemovedItem(id: id, filePath: FilePath(path)) }
}

extension QueryReply {
    static func started(fresh: Bool = false) -> QueryReply { QueryReply(event: .started, fresh: fresh) }
    static func progress(_ changes: QueryChanges) -> QueryReply { QueryReply(event: .progress, changes: changes) }
    static func gathered(clock: DaemonClock) -> QueryReply { QueryReply(event: .gathered, clock: clock) }
    static func updated(_ changes: QueryChanges, clock: DaemonClock) -> QueryReply {
        QueryReply(event: .updated, changes: changes, clock: clock)
    }
}

extension QueryConfiguration {
    static func everything(since clock: DaemonClock? = nil) -> QueryConfiguration {
        QueryConfiguration(
            predicate: "", scopes: [], attributes: [.name, .path, .size], batchingInterval: .zero, resumeClock: clock)
    }
}

/// A reader that holds notifications to the letter: an added item was not there, a changed or removed one was.
struct StrictReader {
    private(set) var items: [MetadataItem.ID: MetadataItem] = [:]
    private(set) var isGathered = false
    private(set) var isStarted = false
    private(set) var violations: [String] = []

    mutating func hear(_ notification: QueryNotification) {
        switch notification {
        case .started:
            isStarted = true
            isGathered = false
            items = [:]
        case .progress(let changes):
            if isGathered { violations.append("progress after gathered") }
            apply(changes)
        case .gathered:
            if isGathered { violations.append("gathered twice") }
            isGathered = true
        case .updated(let changes):
            if !isGathered { violations.append("updated before gathered") }
            if changes.isEmpty { violations.append("an update of nothing") }
            apply(changes)
        case .reconnecting, .reconnected: break
        }
    }

    private mutating func apply(_ changes: QueryChanges) {
        if !isStarted { violations.append("changes before started") }
        for removal in changes.removed where items.removeValue(forKey: removal.id) == nil {
            violations.append("removed \(removal.path), which was not there")
        }
        for item in changes.changed {
            if let former = items.updateValue(item, forKey: item.id) {
                if let previous = item.previousPath, previous != former.path {
                    violations.append("\(item.path ?? "") came from \(former.path ?? ""), not from \(previous)")
                }
            } else {
                violations.append("changed \(item.path ?? ""), which was not there")
            }
        }
        for item in changes.added where items.updateValue(item, forKey: item.id) != nil {
            violations.append("added \(item.path ?? ""), which was there")
        }
    }
}

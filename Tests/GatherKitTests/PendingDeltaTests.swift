// Merging changes, against a model that keeps the whole set.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import GatherKit

struct PendingDeltaTests {
    @Test(arguments: 0..<40)
    func `Merged changes lead to the same set as each in turn`(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var before: [MetadataItem.ID: PlayedFile] = [:]
        var now: [MetadataItem.ID: PlayedFile] = [:]
        var pending = PendingDelta()
        for _ in 0..<300 {
            let id = MetadataItem.ID(rawValue: "\(Int.random(in: 0..<8, using: &generator))")
            if let file = now[id] {
                if Bool.random(using: &generator) {
                    now[id] = nil
                    pending.merge(QueryChanges(removed: [file.removal]))
                } else {
                    var moved = file
                    moved.path = "/\(id)/\(Int.random(in: 0..<3, using: &generator))"
                    moved.size += 1
                    now[id] = moved
                    pending.merge(QueryChanges(changed: [moved.item(previousPath: file.path)]))
                }
            } else {
                let file = PlayedFile(id: id, path: "/\(id)/\(Int.random(in: 0..<3, using: &generator))")
                now[id] = file
                pending.merge(QueryChanges(added: [file.item()]))
            }
            guard Int.random(in: 0..<10, using: &generator) == 0 else { continue }
            let delta = pending.take()
            #expect(Set(delta.added.map(\.id)) == Set(now.keys).subtracting(before.keys), "seed \(seed)")
            #expect(Set(delta.removed.map(\.id)) == Set(before.keys).subtracting(now.keys), "seed \(seed)")
            for item in delta.changed {
                #expect(item.path == now[item.id]?.path && before[item.id] != nil, "seed \(seed)")
                let moved = before[item.id]?.path != now[item.id]?.path
                #expect(item.previousPath == (moved ? before[item.id]?.path : nil), "seed \(seed)")
            }
            // Every difference is told.
            let told = Set(delta.changed.map(\.id))
            for (id, file) in now where before[id].map({ $0 != file }) ?? false {
                #expect(told.contains(id), "seed \(seed)")
            }
            #expect(pending.isEmpty)
            before = now
        }
    }

    @Test func `An item that comes and goes for ever takes no room`() {
        var pending = PendingDelta()
        let file = PlayedFile(id: "a", path: "/a")
        let other = PlayedFile(id: "b", path: "/b")
        pending.add(other.item())
        for _ in 0..<10_000 {
            pending.add(file.item())
            pending.remove(file.removal)
        }
        #expect(pending.storedCount < 200)
        #expect(pending.take() == QueryChanges(added: [other.item()]))
    }
}

// The limits of a key-value store, and its notifications.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatherDocuments

@Suite struct KeyValueStoreLimitTests {
    let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func open(_ device: String = "AAAAAAA") throws -> KeyValueStore {
        let device = try #require(DeviceIdentifier(text: device, name: "test"))
        let store = try KeyValueStore(
            directory: FilePath(scratch.path), device: device, settings: KeyValueSettings(autosaveDelay: nil))
        try store.readFiles()
        return store
    }

    private func next(_ iterator: inout KeyValueChanges.Iterator) async throws -> KeyValueChange {
        try #require(await iterator.next())
    }

    @Test func `Each limit has an error and a notification, and changes nothing`() async throws {
        let store = try open()
        var changes = store.changes.makeAsyncIterator()
        let key = String(repeating: "ü", count: 32)
        try store.set(1, forKey: key)
        #expect(throws: DocumentError.keyTooLong(key: key + "k")) { try store.set(1, forKey: key + "k") }
        #expect(try await next(&changes) == KeyValueChange(reason: .quotaViolation, keys: [key + "k"]))

        var nested: KeyValue = 1
        for _ in 0..<KeyValueLimits.deepestNesting { nested = [nested] }
        try store.set(nested, forKey: "nested")
        #expect(throws: DocumentError.nestedTooDeeply(key: "deeper")) { try store.set([nested], forKey: "deeper") }
        #expect(throws: DocumentError.nestedTooDeeply(key: "deeper")) {
            try store.set(["a": nested], forKey: "deeper")
        }
        #expect(try await next(&changes) == KeyValueChange(reason: .quotaViolation, keys: ["deeper"]))

        let rest = KeyValueLimits.largestContents - 8 - nested.byteCount
        let text = String(repeating: "x", count: rest)
        try store.set(.string(text), forKey: "large")
        #expect(throws: DocumentError.tooManyBytes(key: "more", excess: 1)) { try store.set(true, forKey: "more") }
        #expect(try await next(&changes) == KeyValueChange(reason: .quotaViolation, keys: ["more"]))
        #expect(throws: DocumentError.tooManyBytes(key: "large", excess: 1)) {
            try store.set(.string(text + "x"), forKey: "large")
        }
        #expect(try await next(&changes) == KeyValueChange(reason: .quotaViolation, keys: ["large"]))
        try store.set(.string(String(repeating: "y", count: rest)), forKey: "large")
        #expect(store.dictionary.count == 3)

        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: DocumentError.notFinite(key: "number")) {
                try store.set(.double(number), forKey: "number")
            }
            #expect(throws: DocumentError.notFinite(key: "number")) {
                try store.set(["a": [.double(number)]], forKey: "number")
            }
        }
        try await store.synchronize()
        #expect(try open("BBBBBBB").dictionary == store.dictionary)
    }

    @Test func `The number of keys is limited`() async throws {
        let store = try open()
        for number in 0..<KeyValueLimits.mostKeys { try store.set(1, forKey: "\(number)") }
        #expect(throws: DocumentError.tooManyKeys(key: "one more")) { try store.set(1, forKey: "one more") }
        var changes = store.changes.makeAsyncIterator()
        #expect(try await next(&changes) == KeyValueChange(reason: .quotaViolation, keys: ["one more"]))
        try store.set("replaced", forKey: "0")
        try store.removeValue(forKey: "1")
        try store.set(1, forKey: "one more")
        #expect(store.dictionary.count == KeyValueLimits.mostKeys)
    }

    @Test func `Two devices within the limits merge to more, and no key is dropped`() async throws {
        let (first, second) = (try open("AAAAAAA"), try open("BBBBBBB"))
        for number in 0..<1_000 {
            try first.set("first", forKey: "a\(number)")
            try second.set("second", forKey: "b\(number)")
        }
        let half = String(repeating: "x", count: KeyValueLimits.largestContents - 10_000)
        try first.set(.string(half), forKey: "large a")
        try second.set(.string(half), forKey: "large b")
        try await first.synchronize()
        try await second.synchronize()
        try await first.synchronize()
        #expect(first.dictionary.count == 2_002 && first.dictionary == second.dictionary)
        #expect(throws: DocumentError.tooManyKeys(key: "new")) { try first.set(1, forKey: "new") }
        #expect(throws: DocumentError.self) { try first.set("larger", forKey: "a0") }
        try first.set("other", forKey: "b0")
        try first.set("equal!", forKey: "b1")
        try first.removeValue(forKey: "large a")
        try first.removeValue(forKey: "large b")
        try first.set("much larger", forKey: "a0")
        #expect(throws: DocumentError.tooManyKeys(key: "new")) { try first.set(1, forKey: "new") }
        try await first.synchronize()
        try await second.synchronize()
        #expect(first.dictionary.count == 2_000 && first.dictionary == second.dictionary)
    }

    // MARK: Notifications

    @Test func `Only changes from outside are notified, with their keys`() async throws {
        let (first, second) = (try open("AAAAAAA"), try open("AAAAAAA"))
        var (firstChanges, secondChanges) = (first.changes.makeAsyncIterator(), second.changes.makeAsyncIterator())
        try first.set(1, forKey: "a")
        try first.set(2, forKey: "b")
        try await first.synchronize()
        try await second.synchronize()
        #expect(try await next(&secondChanges) == KeyValueChange(reason: .serverChange, keys: ["a", "b"]))
        try second.set(3, forKey: "a")
        // The same value again: the stamp changes, the value does not.
        try second.set(2, forKey: "b")
        try await second.synchronize()
        try await first.synchronize()
        #expect(try await next(&firstChanges) == KeyValueChange(reason: .serverChange, keys: ["a"]))
        try await first.close()
        #expect(await firstChanges.next() == nil)
    }

    @Test func `The first values of other devices are the initial synchronization`() async throws {
        let store = try open("AAAAAAA")
        try store.set("mine", forKey: "mine")
        try await store.synchronize()
        let other = try open("BBBBBBB")
        var otherChanges = other.changes.makeAsyncIterator()
        #expect(try await next(&otherChanges) == KeyValueChange(reason: .initialSynchronization, keys: ["mine"]))
        try other.set("theirs", forKey: "theirs")
        try await other.synchronize()
        var changes = store.changes.makeAsyncIterator()
        try await store.synchronize()
        #expect(try await next(&changes) == KeyValueChange(reason: .initialSynchronization, keys: ["theirs"]))
        #expect(store.dictionary == ["mine": "mine", "theirs": "theirs"])
        try other.set("again", forKey: "theirs")
        try await other.synchronize()
        try store.set("mine", forKey: "mine too")
        try await store.synchronize()
        #expect(try await next(&changes) == KeyValueChange(reason: .serverChange, keys: ["theirs"]))
        try await store.close()
        // The next process of the device has seen the other one, too.
        let reopened = try open("AAAAAAA")
        var last = reopened.changes.makeAsyncIterator()
        #expect(try await next(&last).reason == .serverChange)
    }

    @Test func `A reader that begins later gets all changes, merged`() async throws {
        let (first, second) = (try open("AAAAAAA"), try open("AAAAAAA"))
        for number in 0..<10 {
            try first.set(1, forKey: "\(number)")
            try await first.synchronize()
            try await second.synchronize()
        }
        var changes = second.changes.makeAsyncIterator()
        let keys = Set((0..<10).map { "\($0)" })
        #expect(try await next(&changes) == KeyValueChange(reason: .serverChange, keys: keys))
        let reading = Task { [changes = second.changes] in
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        try await second.close()
        #expect(await reading.value == 1)
    }

    @Test func `A cancelled reader ends`() async throws {
        let store = try open()
        let reading = Task { [changes = store.changes] in
            for await _ in changes {}
            return true
        }
        await Task.yield()
        reading.cancel()
        #expect(await reading.value)
    }
}

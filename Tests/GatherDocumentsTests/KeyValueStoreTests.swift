// The key-value store as an application sees it.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Metadata
import Testing

@testable import GatherDocuments

@Suite struct KeyValueStoreTests {
    let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    /// Opens a store that writes only when asked to.
    private func open(
        _ device: String = "AAAAAAA", now: Int64 = 1_000_000, delay: Duration? = nil
    ) throws -> KeyValueStore {
        let device = try #require(DeviceIdentifier(text: device, name: "test"))
        let store = try KeyValueStore(
            directory: FilePath(scratch.path), device: device,
            settings: KeyValueSettings(autosaveDelay: delay, now: { now }))
        try store.readFiles()
        return store
    }

    // MARK: Values

    @Test func `Values keep their types`() async throws {
        let store = try open()
        try store.set("text", forKey: "string")
        try store.set(42, forKey: "integer")
        try store.set(0.5, forKey: "double")
        try store.set(false, forKey: "boolean")
        try store.set(.date(Timestamp(nanoseconds: 7)), forKey: "date")
        try store.set(.data([1, 2]), forKey: "data")
        try store.set(["a", 1], forKey: "array")
        try store.set(["a": 1], forKey: "dictionary")
        try await store.synchronize()
        for store in [store, try open("BBBBBBB")] {
            #expect(store.string(forKey: "string") == "text")
            #expect(store.integer(forKey: "integer") == 42)
            #expect(store.double(forKey: "double") == 0.5)
            #expect(store.double(forKey: "integer") == 42)
            #expect(store.boolean(forKey: "boolean") == false)
            #expect(store.date(forKey: "date") == Timestamp(nanoseconds: 7))
            #expect(store.data(forKey: "data") == [1, 2])
            #expect(store.array(forKey: "array") == ["a", 1])
            #expect(store.dictionary(forKey: "dictionary") == ["a": 1])
            #expect(store.string(forKey: "integer") == nil && store.integer(forKey: "missing") == nil)
            #expect(store.dictionary.count == 8)
        }
    }

    @Test func `A removed key stays removed, whichever file is read first`() async throws {
        let first = try open("AAAAAAA")
        try first.set("old", forKey: "key")
        try await first.synchronize()
        let old = try scratch.read("AAAAAAA-0.keyvalues")
        let second = try open("BBBBBBB")
        try second.removeValue(forKey: "key")
        try second.removeValue(forKey: "missing")
        try await second.synchronize()
        try await first.synchronize()
        #expect(first.dictionary.isEmpty)
        try await first.close()
        try scratch.replace("AAAAAAA-0.keyvalues", with: old)
        #expect(try open("CCCCCCC").dictionary.isEmpty)
    }

    // MARK: Files

    @Test func `Processes of a device take a file each, and go on with those that are free`() async throws {
        let first = try open()
        let second = try open()
        try first.set(1, forKey: "a")
        try second.set(2, forKey: "b")
        try await first.synchronize()
        try await second.synchronize()
        #expect(scratch.names == ["AAAAAAA-0.keyvalues", "AAAAAAA-1.keyvalues"])
        try await first.close()
        let third = try open()
        try third.set(3, forKey: "c")
        try await third.synchronize()
        #expect(scratch.names == ["AAAAAAA-0.keyvalues", "AAAAAAA-1.keyvalues"])
        try await second.synchronize()
        #expect(second.dictionary == ["a": 1, "b": 2, "c": 3])
    }

    @Test func `A store that only reads writes nothing`() async throws {
        let store = try open()
        try await store.synchronize()
        try await store.close()
        #expect(scratch.names.isEmpty)
    }

    @Test func `A file that another program replaced is left to its new holder`() async throws {
        let first = try open()
        try first.set(1, forKey: "a")
        try await first.synchronize()
        try scratch.remove("AAAAAAA-0.keyvalues")
        let second = try open()
        try second.set(2, forKey: "b")
        try await second.synchronize()
        try first.set(3, forKey: "c")
        try await first.synchronize()
        try await second.synchronize()
        #expect(second.dictionary == ["a": 1, "b": 2, "c": 3])
        #expect(scratch.names == ["AAAAAAA-0.keyvalues", "AAAAAAA-1.keyvalues"])
    }

    @Test func `A file that another process made in place of a removed one does not hide that it is missing`()
        async throws
    {
        let first = try open()
        try first.set(1, forKey: "a")
        try await first.synchronize()
        try scratch.remove("AAAAAAA-0.keyvalues")
        let second = try open()
        try second.set(2, forKey: "b")
        try await second.synchronize()
        try await first.synchronize()
        #expect(try open("BBBBBBB").dictionary == ["a": 1, "b": 2])
    }

    @Test func `A file that was removed is written again`() async throws {
        let store = try open()
        try store.set(1, forKey: "a")
        try await store.synchronize()
        try scratch.remove("AAAAAAA-0.keyvalues")
        try await store.synchronize()
        #expect(try open("BBBBBBB").dictionary == ["a": 1])
    }

    @Test func `A directory that was replaced is used again, and its parents are not made`() async throws {
        let device = try #require(DeviceIdentifier(text: "AAAAAAA", name: "test"))
        let settings = KeyValueSettings(autosaveDelay: nil)
        let path = scratch.path + "/box/.gather/key-values"
        #expect(throws: DocumentError.self) {
            try KeyValueStore(directory: FilePath(path), device: device, settings: settings)
        }
        #expect(scratch.names.isEmpty)
        mkdir(scratch.path + "/box", 0o755)
        let store = try KeyValueStore(directory: FilePath(path), device: device, settings: settings)
        try store.set(1, forKey: "a")
        try await store.synchronize()
        rename(scratch.path + "/box", scratch.path + "/gone")
        try store.set(2, forKey: "b")
        await #expect(throws: DocumentError.self) { try await store.synchronize() }
        mkdir(scratch.path + "/box", 0o755)
        try await store.synchronize()
        let other = try KeyValueStore(directory: FilePath(path), device: device, settings: settings)
        try other.readFiles()
        #expect(other.dictionary == ["a": 1, "b": 2])
    }

    @Test func `Damaged and newer files are skipped, named and kept`() async throws {
        let damaged = Array("gather key-values 1 5 0000000000000000\nhello".utf8)
        let newer = Array("gather key-values 2 anything".utf8) + [10, 255]
        try scratch.write(damaged, to: "AAAAAAA-0.keyvalues")
        try scratch.write(newer, to: "AAAAAAA-1.keyvalues")
        try scratch.write([], to: "BBBBBBB-0.keyvalues")
        mkdir(scratch.path + "/AAAAAAA-2.keyvalues", 0o755)
        symlink("/etc/passwd", scratch.path + "/AAAAAAA-3.keyvalues")
        mkfifo(scratch.path + "/CCCCCCC-0.keyvalues", 0o644)
        try scratch.write([], to: "CCCCCCC-1.keyvalues")
        // The file system's largest file, without blocks.
        truncate(scratch.path + "/CCCCCCC-1.keyvalues", Int.max)
        try scratch.write([1], to: "other")
        let store = try open()
        try store.set(1, forKey: "a")
        try await store.synchronize()
        #expect(store.problems.count == 7)
        let reasons = Dictionary(
            uniqueKeysWithValues: store.problems.map { ($0.path.dropFirst(scratch.path.count + 1), $0.reason) })
        #expect(reasons["AAAAAAA-0.keyvalues"] == .damaged)
        #expect(reasons["AAAAAAA-1.keyvalues"] == .newerFormat(version: 2))
        #expect(reasons["BBBBBBB-0.keyvalues"] == .damaged)
        #expect(try scratch.read("AAAAAAA-0.keyvalues") == damaged)
        #expect(try scratch.read("AAAAAAA-1.keyvalues") == newer)
        #expect(scratch.names.contains("AAAAAAA-4.keyvalues"))
        #expect(try open().dictionary == ["a": 1])
    }

    @Test func `A conflict version of a file is read, and removed when its values are elsewhere`() async throws {
        let first = try open()
        try first.set(1, forKey: "a")
        try await first.synchronize()
        try await first.close()
        let name = "AAAAAAA-0.sync-conflict-20261125-140509-BBBBBBB.keyvalues"
        try scratch.write(try scratch.read("AAAAAAA-0.keyvalues"), to: name)
        try scratch.remove("AAAAAAA-0.keyvalues")
        let second = try open("BBBBBBB")
        #expect(second.dictionary == ["a": 1])
        try await second.synchronize()
        #expect(scratch.names == ["BBBBBBB-0.keyvalues"])
        #expect(try open("CCCCCCC").dictionary == ["a": 1])
    }

    @Test func `A directory that cannot be written keeps changes in memory`() async throws {
        let store = try open()
        try store.set(1, forKey: "a")
        // The temporary name is taken by a directory.
        mkdir(scratch.path + "/.syncthing.gather.part-AAAAAAA-0.keyvalues.tmp", 0o755)
        await #expect(throws: DocumentError.self) { try await store.synchronize() }
        #expect(store.savingError != nil)
        #expect(store.integer(forKey: "a") == 1)
        rmdir(scratch.path + "/.syncthing.gather.part-AAAAAAA-0.keyvalues.tmp")
        try await store.synchronize()
        #expect(store.savingError == nil)
        #expect(try open("BBBBBBB").dictionary == ["a": 1])
    }

    @Test func `Changes are written after a while, and by closing`() async throws {
        let store = try open(delay: .milliseconds(1))
        try store.set(1, forKey: "a")
        while !scratch.names.contains("AAAAAAA-0.keyvalues") { await Task.yield() }
        let slow = try open("CCCCCCC", delay: .seconds(3_600))
        try slow.set(2, forKey: "b")
        try await slow.close()
        #expect(try open("DDDDDDD").dictionary == ["a": 1, "b": 2])
        #expect(throws: DocumentError.closed) { try slow.set(3, forKey: "b") }
        await #expect(throws: DocumentError.closed) { try await slow.synchronize() }
        try await slow.close()
        #expect(slow.integer(forKey: "b") == 2)
        var changes = slow.changes.makeAsyncIterator()
        #expect(await changes.next() == KeyValueChange(reason: .initialSynchronization, keys: ["a"]))
        #expect(await changes.next() == nil)
    }

    // MARK: Folding in

    @Test func `A device that leaves is folded in, and its old files change nothing`() async throws {
        let leaving = try open("LLLLLLL")
        try leaving.set(1, forKey: "a")
        try leaving.set(1, forKey: "b")
        try await leaving.synchronize()
        try leaving.removeValue(forKey: "b")
        let old = try scratch.read("LLLLLLL-0.keyvalues")
        try await leaving.close()
        let store = try open()
        #expect(try await store.devices() == ["LLLLLLL"])
        try await store.foldIn("LLLLLLL")
        #expect(scratch.names == ["AAAAAAA-0.keyvalues"])
        #expect(store.dictionary == ["a": 1])
        try store.set(2, forKey: "a")
        try await store.close()
        try scratch.write(old, to: "LLLLLLL-0.keyvalues")
        #expect(try open("BBBBBBB").dictionary == ["a": 2])
        await #expect(throws: DocumentError.closed) { try await store.foldIn("LLLLLLL") }
        let next = try open()
        await #expect(throws: DocumentError.notAnotherDevice("AAAAAAA")) { try await next.foldIn("AAAAAAA") }
        await #expect(throws: DocumentError.notAnotherDevice("../..")) { try await next.foldIn("../..") }
        try scratch.write([], to: "LLLLLLL-1.keyvalues")
        await #expect(throws: DocumentError.self) { try await next.foldIn("LLLLLLL") }
        #expect(scratch.names.contains("LLLLLLL-0.keyvalues"))
    }

    // MARK: Clocks

    @Test func `A clock far ahead affects only the keys that its device set`() async throws {
        let now: Int64 = 1_700_000_000_000
        let ahead = try open("ZZZZZZZ", now: now + 1_000_000_000_000)
        try ahead.set("ahead", forKey: "a")
        try await ahead.synchronize()
        let store = try open("AAAAAAA", now: now)
        try store.set("seen", forKey: "a")
        try store.set("other", forKey: "b")
        try await store.synchronize()
        let stamps = try KeyValueFile(try scratch.read("AAAAAAA-0.keyvalues")).table
        #expect(try #require(stamps["a"]).stamp.time == now + 1_000_000_000_000)
        #expect(try #require(stamps["b"]).stamp.time <= now + KeyValueLimits.longestLead)
        try await ahead.synchronize()
        #expect(ahead.dictionary == ["a": "seen", "b": "other"])
    }

    @Test func `A clock that was set back goes on from what is on disk`() async throws {
        let store = try open(now: 1_000_000)
        try store.set(1, forKey: "a")
        try await store.close()
        let next = try open(now: 500_000)
        try next.set(2, forKey: "b")
        try await next.close()
        let stamps = try KeyValueFile(try scratch.read("AAAAAAA-0.keyvalues")).table
        #expect(try #require(stamps["a"]).stamp < #require(stamps["b"]).stamp)
    }

    @Test func `A key with the latest possible time cannot be changed`() throws {
        var table = KeyValueTable()
        let stamp = KeyValueStamp(
            time: KeyValueLimits.latestTime, counter: KeyValueLimits.largestCounter, device: "ZZZZZZZ")
        table.merge(KeyValueEntry(key: "a", stamp: stamp, value: 1))
        try scratch.write(KeyValueFile(table: table).bytes, to: "ZZZZZZZ-0.keyvalues")
        let store = try open(now: .max)
        #expect(throws: DocumentError.clockExhausted(key: "a")) { try store.set(2, forKey: "a") }
        try store.set(2, forKey: "b")
        #expect(store.dictionary == ["a": 1, "b": 2])
    }
}

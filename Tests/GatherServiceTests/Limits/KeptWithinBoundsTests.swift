// Bounds on what the daemon keeps of others' doing: past them it knows that it forgot, and takes nothing else for it.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import GatherProtocol
import Glibc
import Metadata
import Testing
import Varlink

@testable import GatherService

struct KeptWithinBoundsTests {
    @Test func `Clocks of too long ago are known not to be known`() {
        var map = ClockMap(indexClock: 10)
        let count = UInt64(3 * ClockMap.maximumTicks)
        // Each tick of the index is two of the daemon.
        for tick in 1...count { map.note(2 * tick) }
        #expect(map.indexClock(at: 2 * count) == 10 + count)
        #expect(map.indexClock(at: 2 * count - 1) == 9 + count)
        #expect(map.indexClock(at: 0) == nil && map.indexClock(at: 2) == nil)
        // The first that is known still stands for itself, and so does each from there on.
        let first = (1...count).first { map.indexClock(at: 2 * $0) != nil } ?? 0
        #expect(first > 1 && count - first <= UInt64(2 * ClockMap.maximumTicks))
        #expect(stride(from: first, through: count, by: 101).allSatisfy { map.indexClock(at: 2 * $0) == 10 + $0 })
    }

    @Test func `Access through very many directories is not saved, and equals nothing`() {
        func bytes(_ count: Int) -> [UInt8] {
            let access = FileAccess(mode: 0o755, owner: 0, group: 0, accessList: .none)
            return SavedAncestorAccess.bytes(above: Array(repeating: access, count: count), root: access)
        }
        let one = bytes(0).count
        let most = SavedAncestorAccess.largest / one - 1
        #expect(bytes(most).count == (most + 1) * one && bytes(most + 1).isEmpty && bytes(100_000).isEmpty)
        let text = SavedAncestorAccess.text(bytes(most))
        #expect(SavedAncestorAccess.bytes(text: text[...]) == bytes(most))
        #expect(
            SavedAncestorAccess.bytes(text: String(repeating: "00", count: SavedAncestorAccess.largest + 1)[...]) == nil
        )
    }

    @Test func `However many users there are, each is measured as one`() {
        let workload = Workload(ServiceLimits())
        let first = workload.meter(of: 0) { _ in }
        for user in 1..<UInt32(Workload.metersKept) { _ = workload.meter(of: user) { _ in } }
        #expect(workload.meter(of: 0) { _ in } === first)
        let next = workload.meter(of: .max) { _ in }
        #expect(workload.meter(of: .max) { _ in } === next)
        let again = workload.meter(of: 0) { _ in }
        #expect(again !== first)
        #expect(workload.meter(of: 0) { _ in } === again)
    }

    private func file(_ name: String, _ text: String, bytes: Int, in directory: TemporaryDirectory) throws -> String {
        try directory.write(text, to: name)
        // The rest is a hole.
        #expect(truncate(directory.path + "/" + name, off_t(bytes)) == 0)
        return directory.path + "/" + name
    }

    @Test func `A file of accounts that is none is not read`() throws {
        let directory = try TemporaryDirectory()
        let line = "somebody:x:41000:41000::/:/bin/sh\n"
        let whole = try file("whole", line, bytes: 4_096, in: directory)
        let large = try file("large", line, bytes: AccountFile.largestFile + 1, in: directory)
        #expect(AccountFile(whole).name(of: 41_000) == Array("somebody".utf8))
        #expect(AccountFile(large).name(of: 41_000) == nil)
        #expect(AccountFile(directory.path).name(of: 41_000) == nil)
    }

    @Test func `A database of types that is none is not read`() throws {
        let directory = try TemporaryDirectory()
        let line = "50:text/x-known:*.known\n"
        for (name, bytes) in [("whole", 4_096), ("large", ContentTypeFiles.largestFile + 1)] {
            _ = try file("\(name)/mime/globs2", line, bytes: bytes, in: directory)
        }
        func type(_ name: String) -> String? {
            let types = ContentTypeFiles.read([directory.path + "/" + name])
            return Array("a.known".utf8).withUnsafeBytes { types.type(ofName: $0) }.map { types.text(of: $0) }
        }
        #expect(type("whole") == "text/x-known")
        #expect(type("large") == nil)
    }

    @Test func `However small its items are, a reply has only so many`() async throws {
        var size = ReplySize()
        for bytes in [1, 1_000, 100_000_000] {
            size.note(items: 1_000, bytes: bytes)
            #expect((1...Limits.itemsPerReply).contains(size.items))
        }
        let files = 2 * Limits.itemsPerReply
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        for number in 0..<files { try directory.write("", to: "tree/\(number)") }
        try await DaemonFixture.run(directory: directory) { daemon in
            let caller = try RawCaller(daemon)
            caller.call("Query.Find", "{\"predicate\":\"\",\"attributes\":[]}", ",\"more\":true")
            var counts: [Int] = []
            while true {
                let reply = caller.next()
                counts.append(reply.split(separator: "\"id\":").count - 1)
                guard reply.contains("\"continues\":true") else { break }
            }
            #expect(counts.reduce(0, +) == files && counts.max() == Limits.itemsPerReply, "\(counts)")
        }
    }
}

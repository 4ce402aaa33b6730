// The lists of evicted files: those of other devices, and those that cannot be read or are too long.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import SyncService

struct EvictedListTests {
    private let folder = NSTemporaryDirectory() + "gather-evicted-\(UUID().uuidString.prefix(8))"

    init() throws { try #require(mkdir(folder, 0o755) == 0) }

    @Test func listsOfOtherDevicesAreRead() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (device, paths) in [("AAAAAAA", ["a", "d/b"]), ("BBBBBBB", ["c"])] as [(String, Set<String>)] {
            try EvictedList.write(paths, of: device, in: folder)
        }
        try Data("x\n".utf8).write(to: URL(filePath: folder + "/.gather-sync/evicted-no device"))
        let lists = EvictedList.all(in: folder, but: "AAAAAAA")
        #expect(lists.keys.sorted() == ["BBBBBBB"] && lists["BBBBBBB"]?.paths == ["c"])
        let own = EvictedList.read("AAAAAAA", in: folder)
        #expect(own.mayHave("d/b") && !own.mayHave("c") && !own.isUnknown)
        try EvictedList.write([], of: "AAAAAAA", in: folder)
        #expect(EvictedList.read("AAAAAAA", in: folder) == EvictedList())
    }

    /// The contents are unknown, and any file may be one of them.
    @Test func aListThatIsNoFileMayHaveAnything() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try #require(mkdir(folder + "/.gather-sync", 0o755) == 0)
        try #require(mkdir(folder + "/.gather-sync/evicted-AAAAAAA", 0o755) == 0)
        let list = EvictedList.read("AAAAAAA", in: folder)
        #expect(list.isUnknown && list.mayHave("anything"))
    }

    @Test func aListThatNoDeviceWouldReadIsRefused() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let paths = Set((0..<5_000).map { "\($0)" + String(repeating: "x", count: 4_000) })
        #expect(throws: SystemError.tooLarge) { try EvictedList.write(paths, of: "AAAAAAA", in: folder) }
    }
}

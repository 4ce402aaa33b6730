// The heap gives back what was freed.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

struct HeapTests {
    /// Blocks that stay among those that go keep the heap from shrinking by itself.
    @Test(.disabled(if: HeapTests.isSanitized, "the sanitizers' own allocators keep what was freed"))
    func `What was freed between blocks that stay goes back to the system`() throws {
        let blocks = (0..<65_536).map { _ in
            let block = malloc(2_048)!
            memset(block, 1, 2_048)
            return block
        }
        for (place, block) in blocks.enumerated() where place % 64 != 0 { free(block) }
        let before = try residentPages()
        Heap.giveBackUnused()
        let after = try residentPages()
        for (place, block) in blocks.enumerated() where place % 64 == 0 { free(block) }
        // 128 MB were taken; other tests take and free some meanwhile.
        #expect((before - after) * sysconf(CInt(_SC_PAGESIZE)) > 64 << 20)
    }

    /// `Packaging/sanitize` sets one of them.
    fileprivate static let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil

    private func residentPages() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        try #require(fgets(&line, 256, file) != nil)
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return try #require(Int(fields[1]))
    }
}

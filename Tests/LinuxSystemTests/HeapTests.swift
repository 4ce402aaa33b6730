// The heap gives back what was freed.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

struct HeapTests {
    /// Blocks that stay among those that go keep the heap from shrinking by itself.
    @Test(.disabled(if: HeapTests.isSanitized, "the sanitizers' own allocators keep what was freed"))
    func `Memory freed between blocks that stay goes back to the system`() throws {
        let blocks = (0..<65_536).map { _ in
            let block = malloc(2_048)!
            memset(block, 1, 2_048)
            return block
        }
        for (place, block) in blocks.enumerated() where place % 64 != 0 { free(block) }
        let before = resident(blocks)
        Heap.giveBackUnused()
        let after = resident(blocks)
        for (place, block) in blocks.enumerated() where place % 64 == 0 { free(block) }
        // 128 MB were taken. Other tests may take some of it meanwhile.
        #expect((before - after) * sysconf(CInt(_SC_PAGESIZE)) > 64 << 20)
    }

    /// `Packaging/dev/sanitize` sets one of them.
    fileprivate static let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil

    /// How many of the pages in which the blocks begin are in memory (mincore(2)): of these alone, since other tests run
    /// beside.
    private func resident(_ blocks: [UnsafeMutableRawPointer]) -> Int {
        let size = UInt(sysconf(CInt(_SC_PAGESIZE)))
        let pages = Set(blocks.map { UInt(bitPattern: $0) / size })
        return pages.count { page in
            var isResident: UInt8 = 0
            return mincore(UnsafeMutableRawPointer(bitPattern: page * size), 1, &isResident) == 0 && isResident & 1 != 0
        }
    }
}

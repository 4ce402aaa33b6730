// Memory that is mapped twice in a row.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Testing

struct DoubledMemoryTests {
    @Test(arguments: [1 << 16, 1 << 20]) func `Each byte is in both halves`(size: Int) throws {
        let memory = try DoubledMemory(size: size)
        let bytes = UnsafeMutableRawBufferPointer(start: memory.base, count: 2 * size)
        #expect(bytes.allSatisfy { $0 == 0 })
        for place in stride(from: 0, to: 2 * size, by: 4_093) {
            bytes[place] = UInt8(truncatingIfNeeded: place % 251 + 1)
            #expect(bytes[(place + size) % (2 * size)] == bytes[place])
        }
        // A write over the end of the first half goes on at its beginning.
        bytes[(size - 2)..<(size + 2)].copyBytes(from: [1, 2, 3, 4])
        #expect(Array(bytes[..<2]) == [3, 4])
    }
}

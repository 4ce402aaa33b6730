// The state of an unfinished loop iteration, in the memory that outlives its process.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import FileWatching

@Suite struct IterationStateTests {
    private func state() -> IterationState {
        var state = IterationState()
        state.received = 4_096
        state.provisionalRows = [
            .init(key: 1, row: 2, doubt: .unknown, end: 5_000), .init(key: 3, row: 4, doubt: .new, end: 6_000),
        ]
        state.files = [InodeNumber(device: 7, inode: 8)]
        state.names = [
            .init(key: 1, directory: InodeNumber(device: 7, inode: 9), name: Array("a b".utf8)),
            .init(key: 1, directory: InodeNumber(device: 7, inode: 9), name: []),
        ]
        state.renames = [.init(cookie: 11, key: 3, row: 12)]
        state.detached = [.init(key: 3, bytes: [1, 2, 3]), .init(key: 1, bytes: [])]
        return state
    }

    @Test func isReadBackForItsNumberAlone() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        defer { bytes.deallocate() }
        #expect(IterationState(UnsafeRawBufferPointer(bytes), sequence: 5) == nil)
        state().write(to: bytes, sequence: 5, count: 3)
        #expect(IterationState(UnsafeRawBufferPointer(bytes), sequence: 4) == nil)
        let found = try #require(IterationState(UnsafeRawBufferPointer(bytes), sequence: 5))
        #expect(found.received == 4_096 && found.isWhole && found.count == 3)
        #expect(
            found.provisionalRows == state().provisionalRows && found.files == state().files
                && found.names == state().names)
        #expect(found.renames == state().renames && found.detached == state().detached)
    }

    @Test(arguments: [".", "..", "a/b", "/"]) func `A name that leads elsewhere is not believed`(_ name: String) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        defer { bytes.deallocate() }
        var state = state()
        state.names.append(.init(key: 1, directory: InodeNumber(device: 7, inode: 9), name: Array(name.utf8)))
        state.write(to: bytes, sequence: 5, count: 3)
        #expect(IterationState(UnsafeRawBufferPointer(bytes), sequence: 5) == nil)
    }

    @Test func namesWithoutRoomAreSaidToBeMissing() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 160, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        defer { bytes.deallocate() }
        state().write(to: bytes, sequence: 5, count: 1)
        let found = try #require(IterationState(UnsafeRawBufferPointer(bytes), sequence: 5))
        #expect(!found.isWhole && found.names.isEmpty)
    }

    @Test func `Where detached rows have no room the rest is whole`() throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        defer { bytes.deallocate() }
        var state = state()
        state.detached.append(.init(key: 3, bytes: Array(repeating: 1, count: 512)))
        state.write(to: bytes, sequence: 5, count: 1)
        let found = try #require(IterationState(UnsafeRawBufferPointer(bytes), sequence: 5))
        #expect(found.isWhole && found.names == state.names && found.detached.isEmpty)
    }

    @Test func anythingMayBeFound() throws {
        let seed = TestLength.seed(1)
        var random = SeededGenerator(seed: seed)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 8)
        defer { bytes.deallocate() }
        for _ in 0..<5_000 {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            state().write(to: bytes, sequence: 5, count: 1)
            for _ in 0..<3 { bytes[Int.random(in: 8..<300, using: &random)] = .random(in: 0...255, using: &random) }
            guard let found = IterationState(UnsafeRawBufferPointer(bytes), sequence: 5) else { continue }
            #expect(found.names.allSatisfy { $0.name.count <= 255 && !$0.name.contains(0) }, "seed \(seed)")
        }
    }
}

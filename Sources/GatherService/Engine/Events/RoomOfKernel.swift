// Buffers over the memory that outlives the process.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
@_spi(CustomByteBufferAllocator) import NIOCore
import NIOPosix

/// Has a channel read into memory that the kernel gives, where it gives any. Such a buffer is made for each read, since
/// the next one goes elsewhere; no code frees the memory. On the loop.
///
/// The channel's pool keeps as many buffers as it reads at a time, of such a channel one, and that is copied before
/// anything is read into it. If a read went into a copy elsewhere, its events would be lost with the process as long as
/// they are only there, and the copy would never be freed. So the room that the copy is given is the one that it is a
/// copy of.
struct RoomOfKernel: RecvByteBufferAllocator {
    let kernel: LinuxKernel
    let usualSize: Int

    /// A room of which the pool may make a copy before it is read into.
    ///
    /// Unchecked: it is the variable of one thread alone.
    private final class Offer: @unchecked Sendable {
        let kernel: LinuxKernel
        let room: UnsafeMutableRawBufferPointer

        init(_ kernel: LinuxKernel, _ room: UnsafeMutableRawBufferPointer) { (self.kernel, self.room) = (kernel, room) }
    }

    /// The allocation is done in a C function, which knows nothing but the thread that it is called on.
    private static let offer = ThreadSpecificVariable<Offer>()

    /// The allocator of buffers over given memory: it never frees that, and one that had to grow would be none of ours.
    private static let given = ByteBufferAllocator(
        allocate: { RoomOfKernel.offered($0) ?? malloc($0) },
        reallocate: { former, count, size in
            let room = malloc(size)
            if let former, let room { memcpy(room, former, min(count, size)) }
            return room
        }, deallocate: { _ in }, copy: { if UnsafeRawPointer($0) != $1 { $0.copyMemory(from: $1, byteCount: $2) } })

    private static func offered(_ size: Int) -> UnsafeMutableRawPointer? {
        guard let offer = offer.currentValue, offer.room.count == size else { return nil }
        RoomOfKernel.offer.currentValue = nil
        offer.kernel.expectRoom()
        return offer.room.baseAddress
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        guard let room = kernel.room() else { return allocator.buffer(capacity: usualSize) }
        if !kernel.readsInPlace { RoomOfKernel.offer.currentValue = Offer(kernel, room) }
        return ByteBuffer(takingOwnershipOf: room, allocator: RoomOfKernel.given, readerIndex: 0, writerIndex: 0)
    }

    /// As if the next buffer were a larger one: then it is not the one before once more.
    mutating func record(actualReadBytes: Int) -> Bool {
        // The buffer was not copied.
        if !kernel.readsInPlace { RoomOfKernel.offer.currentValue = nil }
        return true
    }
}

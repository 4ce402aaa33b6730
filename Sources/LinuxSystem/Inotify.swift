// The inotify descriptor and its watches (inotify(7)).
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// An inotify instance. Its queue is first-in first-out, and an event is in it before the system call that caused it
/// returns. Watches may be added from any thread; one thread reads.
package struct Inotify: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// A new instance, not blocking (inotify_init1(2)).
    package init() throws(SystemError) {
        descriptor = Descriptor(owning: CInt(try systemCall { clinux_inotify_init() }))
    }

    /// An instance that another process has made and left, with its watches and its queue. Whether the descriptor is one cannot
    /// be asked, but for what reading ``watches()`` says.
    package init(owning descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// The number, to poll it.
    package var number: CInt { descriptor.number }

    /// Returns another descriptor of the instance, for an event loop that closes its descriptors (`F_DUPFD_CLOEXEC`, fcntl(2)).
    package func duplicate() throws(SystemError) -> Descriptor {
        Descriptor(owning: CInt(try systemCall { clinux_duplicate(descriptor.number) }))
    }

    /// Watches an open directory (inotify_add_watch(2) on its link in `/proc/self/fd`). A directory that is watched already
    /// keeps its watch descriptor and gets the new mask, unless `.addToMask` is in it.
    package func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32 {
        Int32(
            truncatingIfNeeded: try systemCall {
                clinux_inotify_add_watch(descriptor.number, directory, mask.rawValue)
            })
    }

    /// Ends a watch; the kernel queues `IN_IGNORED` for it. `EINVAL` where it is gone already.
    package func removeWatch(_ watch: Int32) throws(SystemError) {
        try systemCall { clinux_inotify_rm_watch(descriptor.number, watch) }
    }

    /// Reads whole records into the buffer; 0 when there are none. A buffer too small for the next one is `EINVAL`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        do throws(SystemError) {
            return try descriptor.read(into: buffer)
        } catch {
            if error == .wouldBlock { return 0 }
            throw error
        }
    }

    /// Bytes in the queue (`FIONREAD`).
    package func queuedBytes() throws(SystemError) -> Int { try descriptor.readableBytes() }

    /// The watches that there are, by the numbers of their inodes (`/proc/self/fdinfo`, proc_pid_fdinfo(5)). Takes 3 µs for
    /// each, so it is not for an event loop. From any thread.
    package func watches() throws(SystemError) -> [Int32: UInt64] {
        let file = try Entry.openForReading("/proc/self/fdinfo/\(number)")
        var text: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            if count == 0 { return Inotify.parse(text) }
            text.append(contentsOf: buffer[..<count])
        }
    }

    /// Lines such as `inotify wd:1 ino:9e7e sdev:800013 mask:800afce ignored_mask:0 …`, numbers in hexadecimal.
    static func parse(_ text: [UInt8]) -> [Int32: UInt64] {
        var found: [Int32: UInt64] = [:]
        func number(_ field: ArraySlice<UInt8>, after key: StaticString) -> UInt64? {
            let count = key.utf8CodeUnitCount
            guard field.count > count, key.withUTF8Buffer({ field.prefix(count).elementsEqual($0) }) else { return nil }
            var value: UInt64 = 0
            for byte in field.dropFirst(count) {
                let digit: UInt8
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
                default: return nil
                }
                guard value >> 60 == 0 else { return nil }
                value = value << 4 | UInt64(digit)
            }
            return value
        }
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
            guard fields.count > 2, fields[0].elementsEqual("inotify".utf8),
                let watch = number(fields[1], after: "wd:"), let inode = number(fields[2], after: "ino:")
            else { continue }
            if let watch = Int32(exactly: watch) { found[watch] = inode }
        }
        return found
    }
}

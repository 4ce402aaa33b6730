// What is mounted where, and hearing of it when that changes.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file system, or a part of one, in its place.
package struct Mount: Hashable, Sendable {
    /// The mount's number, unique while it lasts.
    package var number: Int
    /// The directory or file that it covers, as this process sees it.
    package var path: [UInt8]

    package init(number: Int, path: [UInt8]) {
        self.number = number
        self.path = path
    }
}

/// The mounts that this process sees (`/proc/self/mountinfo`, proc_pid_mountinfo(5)).
package enum MountTable {
    static let file = "/proc/self/mountinfo"

    package static func read() throws(SystemError) -> Set<Mount> {
        let file = try Entry.openForReading(file)
        var text: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            if count == 0 { return parse(text) }
            text.append(contentsOf: buffer[..<count])
        }
    }

    static func parse(_ text: [UInt8]) -> Set<Mount> {
        var mounts: Set<Mount> = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // Number, parent, device, root, mount point.
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard fields.count > 4, let number = Int(String(decoding: fields[0], as: UTF8.self)) else { continue }
            mounts.insert(Mount(number: number, path: unescaped(fields[4])))
        }
        return mounts
    }

    /// Blanks, tabs, newlines and backslashes are written as `\` and three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return bytes
    }
}

/// Asks whether something was mounted or unmounted, without waiting.
package final class MountChanges: Sendable {
    private let file: Descriptor

    package init() throws(SystemError) { file = try Entry.openForReading(MountTable.file) }

    /// Whether there was a change since this was made, or since it was asked last.
    package func take() -> Bool {
        var descriptor = pollfd(fd: file.number, events: CShort(POLLPRI), revents: 0)
        return poll(&descriptor, 1, 0) > 0 && CInt(descriptor.revents) & POLLPRI != 0
    }
}

/// Says when something is mounted or unmounted. At idle its thread sleeps in poll(2).
package final class MountWatch: Sendable {
    private let file: Descriptor
    private let thread: ReadinessThread

    /// `wake` is called from the thread, which then waits for ``arm()``.
    package init(wake: @escaping @Sendable () -> Void) throws(SystemError) {
        file = try Entry.openForReading(MountTable.file)
        // It can always be read; a change is an exceptional condition, told once.
        thread = try ReadinessThread(descriptor: file.number, events: CShort(POLLPRI), wake: wake)
    }

    /// Waits for the next change. Call it before ``MountTable/read()``; from any thread.
    package func arm() { thread.arm() }

    /// Ends the thread. Not from the thread itself, that is, not from `wake`.
    package func stop() { thread.stop() }
}

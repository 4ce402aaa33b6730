// The mount table, and notice of its changes.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A file system, or a part of one, in its place.
package struct Mount: Hashable, Sendable {
    /// The mount's number, unique while it lasts.
    package var number: Int
    /// The directory or file that it covers, as this process sees it.
    package var path: [UInt8]
    /// The device, as in `st_dev`.
    package var device: UInt64
    /// The type of the file system, such as `ext4` or `fuse.sshfs`; empty if it is not known.
    package var type: String

    package init(number: Int, path: [UInt8], device: UInt64 = 0, type: String = "") {
        self.number = number
        self.path = path
        self.device = device
        self.type = type
    }

    /// The path as text.
    package var text: String { String(decoding: path, as: UTF8.self) }

    /// Whether calls on it may wait for another program or machine. Calls on a file system of an unknown type may.
    package var mayHang: Bool { !type.isEmpty && !Mount.localTypes.contains(type) }

    /// File systems that this kernel serves alone, from its memory or from its devices.
    private static let localTypes = Set(
        [
            "adfs affs apparmorfs bcachefs bdev befs bfs binfmt_misc bpf btrfs cgroup cgroup2 configfs cpuset cramfs",
            "debugfs devpts devtmpfs ecryptfs efivarfs efs erofs exfat ext2 ext3 ext4 f2fs fusectl hfs hfsplus hpfs",
            "hugetlbfs iso9660 jffs2 jfs minix mqueue msdos nilfs2 nsfs ntfs ntfs3 omfs overlay proc pstore ramfs",
            "reiserfs resctrl romfs rootfs rpc_pipefs securityfs selinuxfs smackfs squashfs sysfs tmpfs tracefs ubifs",
            "udf ufs vfat xfs zfs zonefs",
        ].flatMap { $0.split(separator: " ").map(String.init) })
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
            // Number, parent, device, root, mount point, options, optional fields, a hyphen, type.
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count > 4, let number = Int(String(decoding: fields[0], as: UTF8.self)) else { continue }
            let hyphen = fields.dropFirst(6).firstIndex { $0.elementsEqual([UInt8(ascii: "-")]) }
            let type = hyphen.flatMap { $0 + 1 < fields.count ? fields[$0 + 1] : nil }
            mounts.insert(
                Mount(
                    number: number, path: unescaped(fields[4]), device: device(fields[2]),
                    type: type.map { String(decoding: $0, as: UTF8.self) } ?? ""))
        }
        return mounts
    }

    /// A device such as `8:1`; 0 where it is none.
    private static func device(_ field: ArraySlice<UInt8>) -> UInt64 {
        let numbers = field.split(separator: UInt8(ascii: ":")).compactMap {
            UInt32(String(decoding: $0, as: UTF8.self))
        }
        return numbers.count == 2 ? clinux_device(numbers[0], numbers[1]) : 0
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

/// Reports each mount and unmount. At idle its thread sleeps in poll(2).
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

    /// Ends the thread. It must not be called from the thread itself, so not from `wake`.
    package func stop() { thread.stop() }
}

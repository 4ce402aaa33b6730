// Opening directories without following anything, and reading their entries in place.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// Calls on directories by descriptor, and on the entries in them by name.
package enum Directory {
    /// How a directory is opened.
    package enum Access: Sendable {
        /// For look-ups in it only (`O_PATH`): needs no permission on the directory itself.
        case path
        /// To read its entries and to watch it.
        case reading
    }

    /// The restrictions of an openat2(2) within a tree and its file system.
    static let beneath = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV)
    /// The restrictions of an openat2(2) within a tree, which may have mount points.
    static let beneathMounts = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)

    /// Whether directories below others are opened step by step, as on kernels without openat2(2). For tests.
    package static var opensByStep: Bool {
        get { stepwise.load(ordering: .relaxed) }
        set { stepwise.store(newValue, ordering: .relaxed) }
    }
    private static let stepwise = Atomic(false)

    static func flags(_ access: Access) -> CInt {
        O_DIRECTORY | O_CLOEXEC | (access == .path ? pathOnly : O_RDONLY | O_NONBLOCK)
    }

    private static let pathOnly: CInt = 0o10000000

    /// Opens a directory by a path of any form, following symlinks (openat(2)).
    package static func open(_ path: UnsafePointer<CChar>, access: Access) throws(SystemError) -> Descriptor {
        let flags = flags(access)
        return Descriptor(owning: CInt(try systemCall { clinux_openat(AT_FDCWD, path, flags, 0) }))
    }

    /// Opens a directory below another: nothing that leaves it, no symlink and no mount point on the way
    /// (`RESOLVE_BENEATH`, `RESOLVE_NO_SYMLINKS`, `RESOLVE_NO_XDEV` of openat2(2)). A symlink is `ELOOP`. A mount point is `EXDEV`,
    /// unless it may be crossed.
    package static func open(
        _ path: UnsafePointer<CChar>, beneath directory: CInt, access: Access, crossingMounts: Bool = false
    ) throws(SystemError) -> Descriptor {
        let (flags, resolve) = (UInt64(flags(access)), crossingMounts ? beneathMounts : beneath)
        let isByStep = opensByStep
        // EAGAIN: something was renamed or mounted meanwhile and the kernel could not be sure; it asks for a retry.
        for _ in 0..<16 {
            do throws(SystemError) {
                return Descriptor(
                    owning: CInt(
                        try systemCall {
                            isByStep
                                ? clinux_open_beneath(directory, path, flags, resolve)
                                : clinux_openat2(directory, path, flags, resolve)
                        }))
            } catch {
                if error != .wouldBlock { throw error }
            }
        }
        throw .wouldBlock
    }

    /// Fills the buffer with the next entries (getdents64(2)); 0 at the end. Read them with ``forEachEntry(in:_:)``.
    package static func readEntries(
        of directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try systemCall { clinux_getdents64(directory, buffer.baseAddress, buffer.count) }
    }

    /// Passes the name of each entry to `body`, in no order. The directory is opened anew, since the position belongs to a
    /// descriptor, which may have several readers. The bytes are lent for the call.
    package static func forEachName(
        in directory: CInt, _ body: (_ name: UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) {
        let list = try open(".", beneath: directory, access: .reading)
        try forEachName(reading: list, body)
    }

    /// Passes the name of each entry that a descriptor has not read yet.
    private static func forEachName(
        reading list: borrowing Descriptor, _ body: (_ name: UnsafeRawBufferPointer) -> Void
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: namesBufferBytes, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = try readEntries(of: list.number, into: buffer)
            if count == 0 { return }
            forEachEntry(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), body)
        }
    }

    /// Returns the names in a directory, given by its path, that are UTF-8, in order.
    package static func names(in path: String) throws(SystemError) -> [String] {
        let directory = try open(path, access: .reading)
        var names: [String] = []
        try forEachName(reading: directory) { name in
            if let name = String(validating: name, as: UTF8.self) { names.append(name) }
        }
        return names.sorted()
    }

    private static let namesBufferBytes = 1 << 16

    /// The entries in a buffer filled by ``readEntries(of:into:)``, without `.` and `..`: each name ends with a NUL
    /// that is not counted, and lives as long as the buffer. Stops at a record that does not fit.
    @inlinable package static func forEachEntry(
        in buffer: UnsafeRawBufferPointer, _ body: (_ name: UnsafeRawBufferPointer) -> Void
    ) {
        var offset = 0
        while offset + nameOffset < buffer.count {
            // struct linux_dirent64: d_ino 8, d_off 8, d_reclen 2, d_type 1, d_name.
            let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 16, as: UInt16.self))
            guard length > nameOffset, offset + length <= buffer.count else { return }
            let room = UnsafeRawBufferPointer(rebasing: buffer[offset + nameOffset..<offset + length])
            var count = 0
            while count < room.count, room[count] != 0 { count += 1 }
            offset += length
            guard count > 0, count < room.count else { continue }
            if room[0] == dot, count == 1 || (count == 2 && room[1] == dot) { continue }
            body(UnsafeRawBufferPointer(rebasing: room[..<count]))
        }
    }

    @usableFromInline static let nameOffset = 19
    @usableFromInline static let dot = UInt8(ascii: ".")

    /// File systems whose directories keep inode number and birth time over mounts and restarts, and of which no two have both: ext4,
    /// XFS, Btrfs, F2FS, bcachefs, ZFS, and tmpfs, whose files do not outlast a mount. exFAT takes the time of the mount for the birth of
    /// its root, FAT has 0 there, and network and FUSE file systems number as they like.
    private static let withLastingIdentities: Set<UInt64> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0xCA45_1A4E, 0x2FC1_2FC1, 0x0102_1994,
    ]

    /// Whether inode number and birth time tell a directory from every other one, also after a restart, on a file system of this type.
    package static func keepsIdentities(onFileSystem type: UInt64) -> Bool { withLastingIdentities.contains(type) }

    /// The type of the file system that a directory lies in (`f_type` of fstatfs(2)).
    package static func fileSystemType(of directory: CInt) throws(SystemError) -> UInt64 {
        var type: UInt64 = 0
        try systemCall { clinux_file_system_type(directory, &type) }
        return type
    }

    /// Makes a directory (mkdirat(2)).
    package static func make(
        _ path: UnsafePointer<CChar>, in directory: CInt = AT_FDCWD, mode: UInt32
    ) throws(SystemError) { try systemCall { clinux_mkdirat(directory, path, mode) } }

    /// Makes a directory, and those above it, as far as they are missing, for their owner alone unless there is another mode. Returns
    /// those that were made, the outermost first.
    @discardableResult
    package static func makeWithParents(_ path: String, mode: UInt32 = 0o700) throws(SystemError) -> [String] {
        do {
            try make(path, mode: mode)
            return [path]
        } catch SystemError.exists {
            // A file, or a symbolic link that leads nowhere, is no directory.
            _ = try open(path, access: .path)
            return []
        } catch SystemError.noEntry {
            guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw .noEntry }
            let made = try makeWithParents(String(path[..<slash]), mode: mode)
            do {
                try make(path, mode: mode)
                return made + [path]
            } catch {
                if error != .exists { throw error }
                return made
            }
        }
    }

    /// Removes directories that were made, as far as they are empty, the last one first.
    package static func unmake(_ paths: [String]) {
        for path in paths.reversed() { try? Entry.remove(path, isDirectory: true) }
    }
}

// Small files: read whole.
// SPDX-License-Identifier: Apache-2.0

/// Reading small files, and making their directories.
package enum FileBytes {
    /// Returns the contents of a regular file.
    ///
    /// - Throws: `EFBIG` (`.tooLarge`) if it has more than `limit` bytes, and `EINVAL` for another kind of file.
    package static func read(
        _ path: String, in directory: CInt = Entry.workingDirectory, limit: Int
    ) throws(SystemError) -> [UInt8] { try read(try Entry.openForReading(path, in: directory), limit: limit) }

    /// Returns the contents of an open regular file.
    package static func read(_ file: borrowing Descriptor, limit: Int) throws(SystemError) -> [UInt8] {
        let status = try EntryStatus(of: "", in: file.number)
        guard status.type == .regular else { throw .invalid }
        guard status.size <= limit else { throw .tooLarge }
        // Files of the kernel have no size, and others may grow meanwhile. One byte more than the size tells.
        var bytes: [UInt8] = []
        var room = Int(clamping: status.size) + 1
        while true {
            guard bytes.count <= limit else { throw .tooLarge }
            let chunk = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(max(room, 4_096), limit + 1), alignment: 1)
            defer { chunk.deallocate() }
            let count = try file.read(into: chunk, at: bytes.count)
            bytes.append(contentsOf: chunk[..<count])
            if count < chunk.count { break }
            room = 1 << 16
        }
        guard bytes.count <= limit else { throw .tooLarge }
        return bytes
    }

    /// Forces the entries of a path's directory to the disk.
    private static func synchronizeParent(of path: [UInt8]) throws(SystemError) {
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { Array(path[..<max($0, 1)]) } ?? [UInt8(ascii: ".")]
        try Directory.open(cString(parent), access: .reading).synchronize()
    }

    /// Makes a directory, and at most so many missing directories above it, on disk. `ENOENT` if more are missing.
    package static func makeDirectories(_ path: [UInt8], mode: UInt32, parents: Int = .max) throws(SystemError) {
        do throws(SystemError) {
            try Directory.make(cString(path), mode: mode)
        } catch {
            if error == .exists { return }
            guard error == .noEntry, parents > 0, let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0
            else {
                throw error
            }
            try makeDirectories(Array(path[..<slash]), mode: mode, parents: parents - 1)
            do throws(SystemError) { try Directory.make(cString(path), mode: mode) } catch  where error == .exists {
                return
            }
        }
        do throws(SystemError) { try synchronizeParent(of: path) } catch  where error == .noAccess {
            // A directory that may be written and not read cannot be opened for fsync(2).
        }
    }

    private static func cString(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
}

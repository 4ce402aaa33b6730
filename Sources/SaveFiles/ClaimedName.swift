// The name of a conflict version that follows from its contents.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Metadata

/// The name of a conflict version that follows from its time and its contents. Syncthing names copies by the second and by the
/// device that won, so copies of several conflicts can have one name, and a conflict of a copy loses one. Such a name is the
/// same on each device and in each process that makes it, and another for each version.
package enum ClaimedName {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    /// The number of bytes that are read at once.
    private static let pieceBytes = 1 << 16

    /// Returns the name for the file of a version; nil if the file cannot be read, or if its name is that of no version.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: Its name, or another one that it is to have.
    package static func of(_ path: String, named name: String) -> String? {
        guard let version = ConflictName(name), let file = try? ContainerRoots.openFile(path) else { return nil }
        return of(file, version: version.original).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Returns the name for an open file that is to be a version of another one. Nil if it is no regular file, if it cannot be read, or
    /// if the other one can have no versions.
    ///
    /// - Parameters:
    ///   - file: The file, open for reading.
    ///   - original: The name of the other file.
    package static func of(_ file: borrowing Descriptor, version original: [UInt8]) -> ConflictName? {
        guard let status = try? EntryStatus(of: "", in: file.number), status.type == .regular, let hash = hash(of: file)
        else { return nil }
        let digits = (0..<ConflictName.deviceLength).map { alphabet[Int(hash >> (5 * UInt64($0)) & 31)] }
        return ConflictName(of: original, time: time(status), device: String(decoding: digits, as: UTF8.self))
    }

    /// Whether the time in the name of a file's version is that of ``of(_:named:)``. The contents are not read.
    ///
    /// - Parameter path: The path of the file.
    package static func isLike(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/"), let name = ConflictName(String(path[slash...].dropFirst())),
            let status = try? ContainerRoots.status(of: path)
        else { return false }
        return name.time == time(status)
    }

    /// The date and time of the contents, in UTC: devices in several time zones make one name.
    private static func time(_ status: EntryStatus) -> String {
        VersionTime.universal(Int(status.modified.seconds))
    }

    private static func hash(of file: borrowing Descriptor) -> UInt64? {
        var hash = FNV1a()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            guard let count = try? file.read(into: buffer, at: offset) else { return nil }
            if count == 0 { return hash.value }
            hash.combine(buffer[..<count])
            offset += count
        }
    }
}

// A version of a file as the devices know it again.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// A version of a file: its contents, and the time at which they were saved. Both travel with the file, into its copies too. The
/// time tells apart two devices that saved equal contents.
struct SavedVersion: Sendable, Hashable {
    /// SHA-256 of the contents, in hexadecimal digits.
    let hash: String
    let modified: Timestamp

    /// Reads a version from the two parts of ``text``; nil for another form.
    init?(hash: Substring, modified: Substring) {
        guard hash.utf8.count == 2 * SHA256.byteCount, hash.utf8.allSatisfy(SavedVersion.isDigit),
            let time = Timestamp(rfc3339: modified), time.rfc3339 == modified
        else { return nil }
        (self.hash, self.modified) = (String(hash), time)
    }

    private init(_ hash: [UInt8], _ modified: Timestamp) {
        let digits = Array("0123456789abcdef".utf8)
        self.hash = String(
            decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        self.modified = modified
    }

    /// The hash and the time, with a blank between.
    var text: String { hash + " " + modified.rfc3339 }

    /// Returns the version that a regular file has now; nil if it cannot be read, has more than ``SyncLimits/hashedBytes``, or changes
    /// meanwhile. Other tasks have their turn after each piece.
    static func read(_ path: String) async -> SavedVersion? {
        guard let file = try? ContainerRoots.openFile(path), let before = try? EntryStatus(of: "", in: file.number),
            before.type == .regular, before.size <= SyncLimits.hashedBytes
        else { return nil }
        var hash = SHA256()
        var offset = 0
        while true {
            guard let piece = try? readPiece(of: file, at: offset), offset <= SyncLimits.hashedBytes else { return nil }
            if piece.isEmpty { break }
            offset += piece.count
            piece.withUnsafeBytes { hash.update($0) }
            await Task.yield()
        }
        guard let after = try? EntryStatus(of: "", in: file.number), after.size == before.size, offset == after.size,
            after.modified == before.modified
        else { return nil }
        return SavedVersion(
            hash.finish(),
            Timestamp(seconds: after.modified.seconds, nanoseconds: Int64(after.modified.nanoseconds)))
    }

    private static func readPiece(of file: borrowing Descriptor, at offset: Int) throws(SystemError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        return Array(buffer[..<(try file.read(into: buffer, at: offset))])
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
    }
}

// Comparing the contents of two files.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Compares the contents of files, of any size.
package enum SameContents {
    /// The number of bytes of each file that are compared at once.
    private static let pieceBytes = 1 << 16

    /// Returns whether an entry of a folder is a regular file with the contents of another file. One that cannot be read is another.
    ///
    /// - Parameters:
    ///   - file: The other file, open for reading; nil if it cannot be read.
    ///   - stamp: Its stamp.
    ///   - name: The name of the entry.
    ///   - folder: The open folder.
    package static func have(
        _ file: borrowing Descriptor?, _ stamp: FileStamp, _ name: [UInt8], in folder: CInt
    ) throws(SystemError) -> Bool {
        let name = name.map { CChar(bitPattern: $0) } + [0]
        guard let status = try? EntryStatus(of: name, in: folder), status.type == .regular, status.size == stamp.size
        else { return false }
        // A second name of the file, whose first one a killed process did not remove.
        if FileStamp(status).isSameFile(as: stamp) { return true }
        guard let other = try? Entry.openForReading(name, in: folder) else { return false }
        switch file {
        case .some(let file): return try areEqual(file, other)
        case .none: return false
        }
    }

    private static func areEqual(
        _ one: borrowing Descriptor, _ other: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        let first = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
        let second = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
        defer {
            first.deallocate()
            second.deallocate()
        }
        var offset = 0
        while true {
            let count = try one.read(into: first, at: offset)
            guard try other.read(into: second, at: offset) == count, first[..<count].elementsEqual(second[..<count])
            else { return false }
            if count == 0 { return true }
            offset += count
        }
    }
}

// The file that a killed process left beside its document.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import SaveFiles

/// The file `.syncthing.gather-NAME.tmp` of a process that was killed while it saved NAME. It may be the only copy of a version.
/// Syncthing never sends it, and removes it after a day. GatherDocuments completes such a save when a program opens the document
/// again, which may be later.
enum LeftSave {
    /// Returns the name of the document if a name is that of such a file.
    static func document(of name: some StringProtocol) -> String? {
        guard let bytes = SaveName.complete.document(of: Array(name.utf8)),
            let document = String(validating: bytes, as: UTF8.self), isDocument(document)
        else { return nil }
        return document
    }

    /// Makes the file the document if that is missing, or else a conflict version of it. Removes it if another file has its contents.
    ///
    /// - Parameter isEvicted: Whether the document is missing since it was evicted. Then its name stays free.
    /// - Returns: The names that are new in the directory. Nil while a process saves: it has the directory's lock.
    static func adopt(_ name: String, in directory: String, isEvicted: Bool) throws(SystemError) -> [String]? {
        guard let document = document(of: name) else { return [] }
        let folder = try ContainerRoots.open(Array(directory.utf8))
        let lockFile: DirectoryLockFile?
        do throws(SystemError) { lockFile = try folder.lockDirectory() } catch {
            if error == .wouldBlock || error == .busy { return nil }
            throw error
        }
        // The lock of the directory ends with its descriptor.
        defer { withExtendedLifetime(lockFile) {} }
        guard try status(of: name, in: folder.number)?.type == .regular else { return [] }
        if !isEvicted, try status(of: document, in: folder.number) == nil {
            do throws(SystemError) {
                try Entry.renameToFree(name, in: folder.number, to: document, in: folder.number)
                return [document]
            } catch {
                if error != .exists { throw error }
            }
        }
        if try areEqual(name, document, in: folder.number) {
            try Entry.remove(name, in: folder.number)
            return []
        }
        guard let file = try? Entry.openForReading(name, in: folder.number),
            let version = ClaimedName.of(file, version: Array(document.utf8)).map({
                String(decoding: $0.bytes, as: UTF8.self)
            })
        else { return [] }
        do throws(SystemError) {
            // The item's identifier would go with a rename.
            try Entry.link(name, in: folder.number, to: version, in: folder.number)
        } catch {
            switch error {
            case .exists: break
            case .notPermitted, .notSupported, .tooManyNames:
                try Entry.renameToFree(name, in: folder.number, to: version, in: folder.number)
                return [version]
            default: throw error
            }
            // The name follows from the contents, so that file has them.
            try Entry.remove(name, in: folder.number)
            return []
        }
        try Entry.remove(name, in: folder.number)
        return [version]
    }

    /// Whether a save can have had a name: not a hidden one of its own, and not that of a version.
    private static func isDocument(_ name: String) -> Bool {
        name != "." && name != ".." && !SyncthingName.isTemporary(name.utf8) && ConflictName(name) == nil
    }

    private static func status(of name: String, in directory: CInt) throws(SystemError) -> EntryStatus? {
        do throws(SystemError) { return try EntryStatus(of: name, in: directory) } catch {
            if error == .noEntry { return nil }
            throw error
        }
    }

    /// Whether two files have the same contents.
    private static func areEqual(_ one: String, _ other: String, in directory: CInt) throws(SystemError) -> Bool {
        guard let first = try status(of: one, in: directory), let second = try status(of: other, in: directory),
            second.type == .regular, first.size == second.size
        else { return false }
        let firstFile = try Entry.openForReading(one, in: directory)
        let secondFile = try Entry.openForReading(other, in: directory)
        let firstPiece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
        let secondPiece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 1)
        defer {
            firstPiece.deallocate()
            secondPiece.deallocate()
        }
        var offset = 0
        while true {
            let count = try firstFile.read(into: firstPiece, at: offset)
            guard try secondFile.read(into: secondPiece, at: offset) == count,
                firstPiece[..<count].elementsEqual(secondPiece[..<count])
            else { return false }
            if count == 0 { return true }
            offset += count
        }
    }

    /// The bytes that are compared at once.
    private static let pieceBytes = 1 << 16
}

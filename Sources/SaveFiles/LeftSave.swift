// Completing the save of a process that was killed.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Metadata

/// The file `.syncthing.gather-NAME.tmp` of a process that was killed while it saved NAME. It may be the only copy of a version:
/// the new contents before they are in place, or contents that another program saved in that moment. Syncthing never sends it, and
/// removes it after a day. So each program that finds it completes the save, by the one rule of ``complete(_:in:device:isEvicted:)``.
package enum LeftSave {
    /// The fate of the file.
    package enum Outcome: Sendable, Hashable {
        /// There is none.
        case none
        /// It is the document now.
        case document
        /// It is a conflict version of the document now.
        case version(ConflictName)
        /// It is gone, since the document or one of its versions has the same contents.
        case known
    }

    /// How many times the document is looked at again that other programs remove and make meanwhile.
    private static let attempts = 64
    /// The errors of a file system, or of a file of another user, that allows no hard links.
    private static let linkRefusals: [SystemError] = [.notPermitted, .notSupported, .tooManyNames]

    /// Returns the name of the document if a name is that of such a file. Files of Gather's own, versions, and names that no entry can
    /// have are no documents.
    package static func document(of name: [UInt8]) -> [UInt8]? {
        guard let document = SaveName.complete.document(of: name), document != Array(".".utf8),
            document != Array("..".utf8), !SyncthingName.isTemporary(document), ConflictName(document) == nil
        else { return nil }
        return document
    }

    /// Completes a save.
    ///
    /// The file becomes the document if that is missing, unless it was evicted: another device has the document then, and the file may
    /// be older. If the document or one of its versions has the same contents, it is removed. Otherwise it becomes a conflict version,
    /// whatever the document is, how large it is, and whether this user can read it. The document is never changed.
    ///
    /// The version has the name that follows from its contents. So a process that is killed here, and another one that finds the file
    /// at the same time, leave one version. Complexity: O(entries of the folder), and files of equal size are read.
    ///
    /// - Parameters:
    ///   - document: The name of the document.
    ///   - folder: The open folder. The caller holds its lock, so that no process is saving.
    ///   - device: This device. A version has it in its name if the name that follows from its contents cannot be had.
    ///   - isEvicted: Whether the document is missing since it was evicted. Then its name stays free.
    /// - Throws: The error of the call that failed. The file is under one of its names still.
    package static func complete(
        _ document: [UInt8], in folder: CInt, device: String, isEvicted: Bool = false
    ) throws(SystemError) -> Outcome {
        let left = SaveName.complete.of(document)
        for _ in 0..<attempts {
            guard let status = try status(of: left, in: folder), status.type == .regular else { return .none }
            if !isEvicted, try self.status(of: document, in: folder) == nil {
                do throws(SystemError) {
                    try Entry.renameToFree(left.terminated, in: folder, to: document.terminated, in: folder)
                    return .document
                } catch {
                    // Another program has made the document, or completed this save.
                    if error != .exists, error != .noEntry { throw error }
                    continue
                }
            }
            let file = try? Entry.openForReading(left.terminated, in: folder)
            var others = try versions(of: document, in: folder)
            others.insert(document, at: 0)
            for other in others where try SameContents.have(file, FileStamp(status), other, in: folder) {
                try Entry.remove(left.terminated, in: folder)
                return .known
            }
            return .version(try keep(left, of: document, in: folder, device: device))
        }
        throw .busy
    }

    /// Completes a save as ``complete(_:in:device:isEvicted:)`` does, with the lock of the folder.
    ///
    /// - Parameters:
    ///   - document: The name of the document.
    ///   - path: The path of the folder.
    ///   - device: This device.
    ///   - isEvicted: Whether the document is missing since it was evicted.
    /// - Returns: Nil while a process saves: it has the lock of the folder.
    package static func attempt(
        _ document: [UInt8], inFolder path: [UInt8], device: String, isEvicted: Bool = false
    ) throws(SystemError) -> Outcome? {
        let folder = try ContainerRoots.open(path)
        let lockFile: DirectoryLockFile?
        do throws(SystemError) { lockFile = try folder.lockDirectory() } catch {
            if error == .wouldBlock || error == .busy { return nil }
            throw error
        }
        // Closing alone does not unlock while a child process has a copy of the descriptor, between fork(2) and execve(2).
        defer { withExtendedLifetime(lockFile) { folder.unlock() } }
        return try complete(document, in: folder.number, device: device, isEvicted: isEvicted)
    }

    /// Makes a regular file a conflict version of a document in its folder, and returns the name. The file keeps its first name until
    /// it has the other one, where the file system allows hard links.
    ///
    /// - Parameters:
    ///   - entry: The name of the file.
    ///   - document: The name of the document.
    ///   - folder: The open folder.
    ///   - device: This device. The version has it in its name if the name that follows from its contents cannot be had.
    package static func keep(
        _ entry: [UInt8], of document: [UInt8], in folder: CInt, device: String
    ) throws(SystemError) -> ConflictName {
        let names = VersionNames(of: document, device: device)
        guard names.first != nil else { throw .nameTooLong }
        if let file = try? Entry.openForReading(entry.terminated, in: folder),
            let name = ClaimedName.of(file, version: document), try move(entry, to: name.bytes, in: folder)
        {
            return name
        }
        for name in names where try move(entry, to: name.bytes, in: folder) { return name }
        throw .exists
    }

    /// Gives the file a free name. False if an entry has that name.
    private static func move(_ left: [UInt8], to name: [UInt8], in folder: CInt) throws(SystemError) -> Bool {
        do throws(SystemError) {
            do throws(SystemError) {
                // The item's identifier would go with a rename.
                try Entry.link(left.terminated, in: folder, to: name.terminated, in: folder)
            } catch {
                guard linkRefusals.contains(error) else { throw error }
                try Entry.renameToFree(left.terminated, in: folder, to: name.terminated, in: folder)
                return true
            }
        } catch {
            if error == .exists { return false }
            throw error
        }
        try Entry.remove(left.terminated, in: folder)
        return true
    }

    /// The names of a document's conflict versions in a folder, in no order.
    private static func versions(of document: [UInt8], in folder: CInt) throws(SystemError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        try Directory.forEachName(in: folder) { name in
            guard ConflictName.insertion(in: name.bindMemory(to: UInt8.self).span) != nil,
                let version = ConflictName(name), version.original == document
            else { return }
            found.append(version.bytes)
        }
        return found
    }

    private static func status(of name: [UInt8], in folder: CInt) throws(SystemError) -> EntryStatus? {
        do throws(SystemError) { return try EntryStatus(of: name.terminated, in: folder) } catch {
            if error == .noEntry { return nil }
            throw error
        }
    }
}

extension [UInt8] {
    /// The bytes as a C string.
    fileprivate var terminated: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}

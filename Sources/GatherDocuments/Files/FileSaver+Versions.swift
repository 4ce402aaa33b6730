// Keeping versions that a save replaces, and those that a killed save left.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import SaveFiles

extension FileSaver {
    /// Gives the file under the temporary name the name of a conflict version in its place, and returns that.
    func keep(_ entry: [UInt8]) throws(DocumentError) -> [UInt8] {
        // The item's identifier would go with a rename.
        guard let linked = try linkVersion(entry) else { return try renameVersion(entry) }
        try folder.remove(entry)
        return linked.name
    }

    /// Gives a file a second name, that of a conflict version. Nil if the file system or the file allows no hard links.
    func linkVersion(_ entry: [UInt8]) throws(DocumentError) -> (name: [UInt8], stamp: FileStamp)? {
        do throws(SystemError) {
            let version = try takeVersionName { name throws(SystemError) in
                try Entry.link(entry.cString, in: folder.number, to: name.cString, in: folder.number)
            }
            return (version, FileStamp(try EntryStatus(of: version.cString, in: folder.number)))
        } catch {
            if [.notPermitted, .notSupported, .tooManyNames].contains(error) { return nil }
            throw DocumentError("cannot keep a version of", folder.text(name), error)
        }
    }

    func renameVersion(_ entry: [UInt8]) throws(DocumentError) -> [UInt8] {
        do throws(SystemError) {
            return try takeVersionName { name throws(SystemError) in try folder.renameToFree(entry, name) }
        } catch {
            throw DocumentError("cannot keep a version of", folder.text(name), error)
        }
    }

    /// Calls `take` with names of conflict versions until one is free. There is one for each second from now on.
    private func takeVersionName(_ take: ([UInt8]) throws(SystemError) -> Void) throws(SystemError) -> [UInt8] {
        for version in VersionNames(of: name, device: device.text) {
            do throws(SystemError) {
                try take(version.bytes)
                return version.bytes
            } catch {
                if error != .exists { throw error }
            }
        }
        throw .exists
    }

    /// Completes the save that a killed process left, as ``LeftSave`` says.
    ///
    /// - Parameter isEvicted: Whether the document is missing since it was evicted.
    /// - Returns: The names of the conflict versions that were made.
    @discardableResult
    func recover(isEvicted: Bool = false) throws(DocumentError) -> [[UInt8]] {
        do throws(SystemError) {
            switch try LeftSave.complete(name, in: folder.number, device: device.text, isEvicted: isEvicted) {
            case .version(let version): return [version.bytes]
            case .none, .document, .known: return []
            }
        } catch {
            throw DocumentError("cannot complete the save of", folder.text(name), error)
        }
    }
}

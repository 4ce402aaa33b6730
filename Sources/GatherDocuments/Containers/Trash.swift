// The trash of a container.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem

/// The trash of a container: removed files, each with the path that it had.
///
/// A removed file lies in `.gather/trash/TIME/PATH` below the container's own directory. TIME is the local time of the removal,
/// and PATH the path in the container. So it is in no documents scope, and a container that is replicated has one trash. All calls
/// block the thread. A file is moved by rename(2), so a file on another file system than the container's own directory is refused.
public struct Trash: Sendable, Hashable {
    /// The path of the container's own directory, as bytes.
    public let container: [UInt8]

    /// Makes the trash of the container at this path.
    public init(container: String) { self.init(containerBytes: Array(container.utf8)) }

    /// Makes the trash of the container at this path.
    public init(containerBytes: [UInt8]) {
        var end = containerBytes.count
        while end > 1, containerBytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
        container = Array(containerBytes[..<end])
    }

    /// The path of the trash in a container.
    public static let path = ".gather/trash"

    /// Returns whether a path leads into the trash of a container.
    static func holds(_ path: [UInt8]) -> Bool {
        String(decoding: path, as: UTF8.self).contains("/" + Trash.path + "/")
    }

    /// A removed file.
    public struct Item: Sendable, Hashable {
        /// The path of the file in the trash, as bytes.
        public let pathBytes: [UInt8]
        /// The path that it had, as bytes.
        public let originalPathBytes: [UInt8]

        /// Makes the value for a file that an application moved to the trash before.
        public init(path: String, originalPath: String) {
            self.init(pathBytes: Array(path.utf8), originalPathBytes: Array(originalPath.utf8))
        }

        init(pathBytes: [UInt8], originalPathBytes: [UInt8]) {
            self.pathBytes = pathBytes
            self.originalPathBytes = originalPathBytes
        }

        /// The path that it had, with U+FFFD for what is not UTF-8.
        public var originalPath: String { String(decoding: originalPathBytes, as: UTF8.self) }
    }

    /// Moves a file, a folder or a package to the trash.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` if it is not in the container, or is in the trash already.
    @discardableResult
    public func move(_ path: [UInt8]) throws(DocumentError) -> Item {
        try place(path) { place throws(SystemError) in try Entry.renameToFree(path.cString, to: place.cString) }
    }

    /// Keeps contents that a file had, such as those that a merge replaces. The file itself stays. The kept one has the name of a
    /// version in conflict, so that it is not taken for the removed file, and its owner, mode, author and other extended attributes.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` if the file is not in the container, or is in the trash.
    @discardableResult
    public func keep(_ contents: [UInt8], of path: [UInt8]) throws(DocumentError) -> Item {
        let text = String(decoding: path, as: UTF8.self)
        let file = try DocumentPath(path)
        let folder = try Folder(file.folder)
        let device = try DocumentError.currentDevice().text
        guard let version = ConflictName(of: file.name, time: LocalTime.text(LocalTime.now), device: device) else {
            throw DocumentError(
                code: .invalidName, message: "cannot keep a copy in the trash of \(text): its name is too long",
                path: text)
        }
        var made: Descriptor?
        let item = try place(DocumentPath.join(file.folder, version.bytes)) { place throws(SystemError) in
            made = try Entry.openForWriting(
                place.cString, in: Entry.workingDirectory, mode: 0o600, truncate: true, exclusive: true)
        }
        guard let copy = made.take() else { return item }
        do throws(SystemError) {
            try copy.writeAll(contents)
            try copy.synchronize()
        } catch {
            try? Entry.remove(item.pathBytes.cString, in: Entry.workingDirectory)
            throw DocumentError("cannot keep a copy in the trash of", text, error)
        }
        if let status = try folder.status(of: file.name) {
            try FileAccessCopy.copy(of: file.name, status, in: folder, to: copy, isMove: true)
        }
        return item
    }

    /// Calls `take` with places in the trash for a path until one is free, and returns that.
    private func place(
        _ path: [UInt8], _ take: ([UInt8]) throws(SystemError) -> Void
    ) throws(DocumentError) -> Item {
        let text = String(decoding: path, as: UTF8.self)
        let prefix = container + [UInt8(ascii: "/")]
        guard path.starts(with: prefix), !path[prefix.count...].starts(with: Array(Trash.path.utf8)) else {
            throw DocumentError(
                code: .invalidName,
                message:
                    "cannot move \(text) to the trash of \(String(decoding: container, as: UTF8.self)): it is not in that container",
                path: text)
        }
        let relative = Array(path[prefix.count...])
        let trash = prefix + Array(Trash.path.utf8)
        let now = LocalTime.now
        for second in 0..<DocumentLimits.conflictNames {
            let place = trash + Array("/\(LocalTime.text(now + second))/".utf8) + relative
            try Trash.makeFolders(for: place, below: container.count, like: path)
            do throws(SystemError) {
                try take(place)
                return Item(pathBytes: place, originalPathBytes: path)
            } catch {
                // Several files of one path in a second.
                if error != .exists { throw DocumentError("cannot move to the trash", text, error) }
            }
        }
        throw DocumentError(code: .exists, message: "cannot move \(text) to the trash: all names are taken", path: text)
    }

    /// Returns the items that had a path, the last removed one first. An entry that cannot be read has none.
    ///
    /// Complexity: a system call for each time of removal in the trash.
    public func items(of path: [UInt8]) -> [Item] {
        let prefix = container + [UInt8(ascii: "/")]
        guard path.starts(with: prefix) else { return [] }
        let trash = prefix + Array(Trash.path.utf8)
        let times = (try? Folder(trash).names { _ in true }) ?? []
        let found = times.compactMap { time -> (item: Item, moved: EntryStatus.Time, time: [UInt8])? in
            let place = trash + [UInt8(ascii: "/")] + time + [UInt8(ascii: "/")] + path[prefix.count...]
            guard let status = try? EntryStatus(of: place.cString, in: Entry.workingDirectory) else { return nil }
            return (Item(pathBytes: place, originalPathBytes: path), status.changed, time)
        }
        // A rename changes the time of the inode. The names of the folders are local times, perhaps of another time zone.
        return found.sorted { one, other in
            let (first, second) = (
                (one.moved.seconds, one.moved.nanoseconds), (other.moved.seconds, other.moved.nanoseconds)
            )
            return first == second ? other.time.lexicographicallyPrecedes(one.time) : first > second
        }.map(\.item)
    }

    /// Moves an item back to the path that it had.
    ///
    /// - Throws: ``DocumentError/Code/exists`` if another file has that path now.
    public func restore(_ item: Item) throws(DocumentError) {
        try Trash.makeFolders(for: item.originalPathBytes, below: container.count, like: item.pathBytes)
        do throws(SystemError) {
            try Entry.renameToFree(item.pathBytes.cString, to: item.originalPathBytes.cString)
        } catch {
            throw DocumentError("cannot restore", item.originalPath, error)
        }
    }

    /// Makes the folders above a path. They get the mode of the folders above `other`, which has the same path at its end, and the
    /// others that of the container. So a private folder is private in the trash, and a shared container has a shared trash.
    private static func makeFolders(for path: [UInt8], below start: Int, like other: [UInt8]) throws(DocumentError) {
        for index in path.indices where index > start && path[index] == UInt8(ascii: "/") {
            let folder = Array(path[..<index])
            do throws(SystemError) {
                try Directory.make(folder.cString, mode: 0o700)
                let length = other.count - (path.count - index)
                let isSame = length > start && other[length...].elementsEqual(path[index...])
                let model = isSame ? Array(other[..<length]) : Array(path[..<start])
                let status = try EntryStatus(of: model.cString, in: Entry.workingDirectory)
                let made = try Directory.open(folder.cString, access: .reading)
                try? made.setOwner(nil, group: status.group)
                try made.setMode(UInt32(status.mode & 0o7777))
            } catch {
                guard error == .exists else {
                    throw DocumentError("cannot make the folder", String(decoding: folder, as: UTF8.self), error)
                }
            }
        }
    }
}

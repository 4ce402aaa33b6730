// The trash of a container.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import Glibc
internal import LinuxSystem
internal import SaveFiles

/// The trash of a container: removed files, each with the path that it had.
///
/// A removed file lies in `.gather/trash/TIME/PATH` below the container's own directory. TIME is the local time of the removal,
/// and PATH the path in the container. So it is in no documents scope, and a container that is replicated has one trash. All calls
/// block the thread. A file is moved by rename(2), so a file on another file system than the container's own directory is refused.
public struct Trash: Sendable, Hashable {
    private let containerBytes: [UInt8]
    /// The error of each use: the container is on another machine.
    private var refusal: DocumentError?

    /// Makes the trash of the container at this path.
    public init(container: FilePath) { self.init(container: container, refusal: nil) }

    init(container: FilePath, refusal: DocumentError?) {
        containerBytes = container.bytes
        self.refusal = refusal
        if refusal == nil { ContainerRoots.add(containerBytes) }
    }

    /// The path of the container's own directory.
    public var container: FilePath { FilePath(bytes: containerBytes) }

    /// The path of the trash in a container.
    public static let path = ".gather/trash"

    /// Returns whether a path leads into the trash of a container.
    static func holds(_ path: FilePath) -> Bool {
        path.string.contains("/" + Trash.path + "/")
    }

    /// A removed file.
    public struct Item: Sendable, Hashable {
        /// The path of the file in the trash.
        public let path: FilePath
        /// The path that it had.
        public let originalPath: FilePath

        /// Makes the value for a file that an application moved to the trash before.
        public init(path: FilePath, originalPath: FilePath) {
            self.path = path
            self.originalPath = originalPath
        }
    }

    /// Moves a file, a folder or a package to the trash.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` if it is not in the container, or is in the trash already.
    @discardableResult
    public func move(_ path: FilePath) throws(DocumentError) -> Item {
        let names = try names(of: path)
        let folder = try folder(names.dropLast())
        let name = names[names.count - 1]
        return try place(names, of: path.bytes) { target, place throws(SystemError) in
            try Entry.renameToFree(name.cString, in: folder.number, to: place.cString, in: target.number)
        }
    }

    /// Keeps contents that a file had, such as those that a merge replaces. The file itself stays. The kept one has the name of a
    /// version in conflict, so that it is not taken for the removed file, and its owner, mode, author and other extended attributes.
    ///
    /// - Throws: ``DocumentError/Code/invalidName`` if the file is not in the container, or is in the trash.
    @discardableResult
    public func keep(_ contents: [UInt8], of path: FilePath) throws(DocumentError) -> Item {
        let text = path.string
        let file = try DocumentPath(path)
        var names = try names(of: path)
        let folder = try folder(names.dropLast())
        let device = try DeviceIdentifier.current().text
        guard let version = VersionNames(of: file.name, device: device).first else {
            throw DocumentError(
                code: .invalidName, message: "cannot keep a copy in the trash of \(text): its name is too long",
                path: text)
        }
        names[names.count - 1] = version.bytes
        var copy: Descriptor?
        let item = try place(names, of: DocumentPath.join(file.folder, version.bytes)) {
            target, place throws(SystemError) in
            let made = try Entry.openForWriting(
                place.cString, in: target.number, mode: 0o600, truncate: true, exclusive: true)
            do throws(SystemError) {
                try made.writeAll(contents)
                try made.synchronize()
            } catch {
                try? Entry.remove(place.cString, in: target.number)
                throw error
            }
            copy = consume made
        }
        guard let copy = copy.take() else { return item }
        if let status = try folder.status(of: file.name) {
            try FileAccessCopy.copy(of: file.name, status, in: folder, to: copy, isMove: true)
        }
        return item
    }

    /// Calls `take` with folders in the trash and a name until the name is free, and returns the item.
    private func place(
        _ names: [[UInt8]], of path: [UInt8],
        _ take: (borrowing Folder, [UInt8]) throws(SystemError) -> Void
    ) throws(DocumentError) -> Item {
        let text = String(decoding: path, as: UTF8.self)
        let now = VersionTime.now
        for second in 0..<VersionNames.count {
            let own = Trash.names + [Array(VersionTime.local(now + second).utf8)]
            // The folders in the trash are like those that the path has, and the trash itself like the container.
            let target = try makeFolders(own + names.dropLast()) { Array(names[..<max($0 - own.count, 0)]) }
            do throws(SystemError) {
                try take(target, names[names.count - 1])
                return Item(
                    path: FilePath(bytes: DocumentPath.join(target.path, names[names.count - 1])),
                    originalPath: FilePath(bytes: path))
            } catch {
                // Several files of one path in a second.
                if error != .exists { throw DocumentError("cannot move to the trash", text, error) }
            }
        }
        throw DocumentError(code: .exists, message: "cannot move \(text) to the trash: all names are taken", path: text)
    }

    /// Returns the items that had a path, the last removed one first. An entry that cannot be read has none.
    ///
    /// Complexity: a few system calls for each time of removal in the trash.
    public func items(of path: FilePath) -> [Item] {
        guard let names = try? names(of: path), let trash = try? folder(Trash.names, access: .reading),
            let times = try? trash.names(where: { _ in true })
        else { return [] }
        let found = times.compactMap { time -> (item: Item, moved: EntryStatus.Time, time: [UInt8])? in
            let place = ([time] + names.dropLast()).joined(separator: [UInt8(ascii: "/")])
            guard let folder = try? Folder(entering: Array(place), in: trash, access: .path),
                let status = try? folder.status(of: names[names.count - 1])
            else { return nil }
            let item = Item(
                path: FilePath(bytes: DocumentPath.join(folder.path, names[names.count - 1])), originalPath: path)
            return (item, status.changed, time)
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
        let (names, place) = (try names(of: item.originalPath), try DocumentPath(item.path, isVersion: true))
        let trash = try Folder(place.folder, access: .path)
        // The folders of the item in the trash have the same names at their end.
        let own = try self.names(of: item.path, isInTrash: true)
        let isSame = own.suffix(names.count).dropLast().elementsEqual(names.dropLast())
        let target = try makeFolders(Array(names.dropLast())) {
            isSame ? Array(own[..<(own.count - names.count + $0)]) : []
        }
        do throws(SystemError) {
            try Entry.renameToFree(
                place.name.cString, in: trash.number, to: names[names.count - 1].cString, in: target.number)
        } catch {
            throw DocumentError("cannot restore", item.originalPath.string, error)
        }
    }

    // MARK: Folders

    private static let names = path.split(separator: "/").map { Array($0.utf8) }

    /// Returns the names on a path from the container's own directory down.
    private func names(of filePath: FilePath, isInTrash: Bool = false) throws(DocumentError) -> [[UInt8]] {
        if let refusal { throw refusal }
        let path = filePath.bytes
        let prefix = DocumentPath.join(containerBytes, [])
        let names = path.starts(with: prefix) ? path[prefix.count...].split(separator: UInt8(ascii: "/")) : []
        guard !names.isEmpty, !names.contains(where: { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }),
            names.starts(with: Trash.names, by: { $0.elementsEqual($1) }) == isInTrash
        else {
            throw DocumentError(
                code: .invalidName,
                message: "cannot use \(filePath) with the trash of \(container): it is not in that "
                    + (isInTrash ? "trash" : "container"),
                path: filePath.string)
        }
        return names.map { Array($0) }
    }

    /// Opens a folder of the container.
    private func folder(
        _ names: some Sequence<[UInt8]>, access: Directory.Access = .path
    ) throws(DocumentError) -> Folder {
        try Folder(names.reduce(containerBytes) { DocumentPath.join($0, $1) }, access: access)
    }

    /// Opens a folder of the container, and makes its missing folders. A new folder gets the mode of a model, so a
    /// private folder is private in the trash, and a shared container has a shared trash.
    ///
    /// - Parameter model: Returns the names of the model of the folder that has so many names.
    private func makeFolders(
        _ names: [[UInt8]], like model: (Int) -> [[UInt8]]
    ) throws(DocumentError) -> Folder {
        var folder = try folder([], access: .path)
        for (index, name) in names.enumerated() {
            if try makeFolder(name, in: folder) {
                let status = try self.folder(model(index + 1)).status
                let made = try Folder(entering: name, in: folder)
                try? made.descriptor.setOwner(nil, group: status.group)
                try DocumentError.of("cannot make the folder", folder.text(name)) { () throws(SystemError) in
                    try made.descriptor.setMode(UInt32(status.mode & 0o7777))
                }
            }
            folder = try Folder(entering: name, in: folder, access: .path)
        }
        return folder
    }

    /// Makes a folder for this user alone. False if it is there.
    private func makeFolder(_ name: [UInt8], in folder: borrowing Folder) throws(DocumentError) -> Bool {
        do throws(SystemError) {
            try Directory.make(name.cString, in: folder.number, mode: 0o700)
            return true
        } catch {
            if error == .exists { return false }
            throw DocumentError("cannot make the folder", folder.text(name), error)
        }
    }
}

// Opening directories of containers, below which no symbolic link is followed.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The directories of the containers that this process uses. Below one, no symbolic link is followed: another user who may write there
/// could exchange a directory for a link to private files of this user.
///
/// A directory below a container is opened relative to the container's own directory, which is opened anew for each call. A
/// descriptor that is held would hide that the directory was replaced, and keep its file system from being unmounted. The container's
/// own path may have symbolic links, since its owner has chosen it. The files in an opened directory are then used by their names.
package enum ContainerRoots {
    /// A directory below a container, or the container's own.
    package struct Place: Sendable, Hashable {
        /// The path of the container's own directory.
        package let root: [UInt8]
        /// The path from there on; empty for the container's own directory.
        package let rest: [UInt8]
        /// The path by which the container was added, where `root` is another spelling.
        fileprivate var added: [UInt8]?
    }

    private static let roots = Mutex<Set<[UInt8]>>([])
    private static let slash = UInt8(ascii: "/")

    /// Adds the directory of a container. From now on it counts for all paths that this process opens.
    ///
    /// One that lies in another container's is left out, unless a symbolic link leads there: the way to it is followed, and the users
    /// of the other container could put a link there.
    package static func add(_ path: [UInt8]) {
        guard path.first == slash else { return }
        let path = trimmed(path)
        let known = roots.withLock { $0 }
        guard !known.contains(path), !known.contains(where: { covers($0, path) }) else { return }
        let inner = known.filter { covers(path, $0) }
        roots.withLock { $0 = $0.subtracting(inner).union([path]) }
    }

    /// Whether a directory lies in another one, and no symbolic link leads there.
    private static func covers(_ outer: [UInt8], _ inner: [UInt8]) -> Bool {
        // A mount that may hang is not asked.
        guard outer.count < inner.count, isPrefix(outer, of: inner),
            MountPaths.mountThatMayHang(String(decoding: inner, as: UTF8.self)) == nil
        else { return false }
        return link(on: Place(root: outer, rest: rest(of: inner, after: outer.count))) == nil
    }

    /// Adds the directory of a container, whose path is text.
    package static func add(_ path: String) { add(Array(path.utf8)) }

    /// Opens a directory. Below a container, a symbolic link on the path is `ELOOP`, and a path that leaves the container is `EXDEV`.
    /// Another path is opened as it is.
    ///
    /// - Parameter look: Looks at the container's own directory, which is open. The way to the directory begins there, so that nothing
    ///   comes between. Its error is the error of the call.
    package static func open(
        _ path: [UInt8], access: Directory.Access = .reading, look: Look = { _, _ throws(SystemError) in }
    ) throws(SystemError) -> Descriptor {
        guard let place = place(of: path) else { return try Directory.open(terminated(path), access: access) }
        guard !place.rest.isEmpty else {
            let root = try Directory.open(terminated(place.root), access: access)
            try look(root.number, place.added ?? place.root)
            return root
        }
        let root = try Directory.open(terminated(place.root), access: .path)
        try look(root.number, place.added ?? place.root)
        return try Directory.open(terminated(place.rest), beneath: root.number, access: access, crossingMounts: true)
    }

    /// Looks at the directory of a container: its descriptor, and its path.
    package typealias Look = (_ root: CInt, _ path: [UInt8]) throws(SystemError) -> Void

    /// A name in an open directory.
    package struct Name: ~Copyable {
        /// The directory, for look-ups.
        package let directory: Descriptor
        /// The name, with a NUL at its end.
        package let name: [CChar]
    }

    /// Opens the directory that has the entry of a path, as ``open(_:access:)`` does. The entry itself may be missing.
    package static func openParent(of path: String) throws(SystemError) -> Name {
        let bytes = trimmed(Array(path.utf8))
        let last = bytes.lastIndex(of: slash)
        let parent = last.map { $0 == 0 ? [slash] : Array(bytes[..<$0]) } ?? [UInt8(ascii: ".")]
        return Name(
            directory: try open(parent, access: .path), name: terminated(Array(bytes[(last.map { $0 + 1 } ?? 0)...])))
    }

    /// Opens a file for reading. A symbolic link is refused, as the last name too.
    package static func openFile(_ path: String) throws(SystemError) -> Descriptor {
        let entry = try openParent(of: path)
        return try Entry.openForReading(entry.name, in: entry.directory.number)
    }

    /// Returns the status of an entry. A symbolic link is not followed.
    package static func status(of path: String) throws(SystemError) -> EntryStatus {
        let entry = try openParent(of: path)
        return try EntryStatus(of: entry.name, in: entry.directory.number)
    }

    /// Opens a directory as ``open(_:access:)`` does, and makes it and at most so many directories above it first. `ENOENT` if more are
    /// missing.
    package static func openMaking(
        _ path: [UInt8], mode: UInt32, parents: Int, access: Directory.Access = .reading,
        look: Look = { _, _ throws(SystemError) in }
    ) throws(SystemError) -> Descriptor {
        let path = trimmed(path)
        do throws(SystemError) { return try open(path, access: access, look: look) } catch {
            guard error == .noEntry, parents >= 0, let last = path.lastIndex(of: slash), last > 0 else { throw error }
            let parent = try openMaking(
                Array(path[..<last]), mode: mode, parents: parents - 1, access: .path, look: look)
            do throws(SystemError) {
                try Directory.make(terminated(Array(path[(last + 1)...])), in: parent.number, mode: mode)
                // Not every file system syncs directories, and one that may not be read cannot be synced.
                try? Entry.openForReading(".", in: parent.number).synchronize()
            } catch  where error == .exists {}
        }
        return try open(path, access: access, look: look)
    }

    /// Returns the path of the first symbolic link on a path below a container, for a message; nil if there is none by now.
    package static func link(on path: [UInt8]) -> [UInt8]? {
        place(of: path).flatMap { link(on: $0) }
    }

    private static func link(on place: Place) -> [UInt8]? {
        guard let root = try? Directory.open(terminated(place.root), access: .path) else { return nil }
        for end in place.rest.indices where end + 1 == place.rest.count || place.rest[end + 1] == slash {
            let part = Array(place.rest[...end])
            guard let status = try? EntryStatus(of: terminated(part), in: root.number) else { return nil }
            if status.type == .symlink { return place.root + [slash] + part }
        }
        return nil
    }

    // MARK: Places

    /// Returns the container that has a path, and the path in it; nil outside of all containers.
    ///
    /// The longest container counts whose path begins the given one: a container inside another one may have been given a path with
    /// symbolic links. If there is none, the path may have another spelling: the first directory on it counts that is a container's.
    /// A symbolic link before it is replaced with its target, which may lie in a container.
    package static func place(of path: [UInt8]) -> Place? { place(of: path, links: linkCount) }

    /// How many symbolic links are followed (path_resolution(7)), and how long one may be (`PATH_MAX`).
    private static let (linkCount, linkLength) = (40, 4_096)

    private static func place(of path: [UInt8], links: Int) -> Place? {
        let roots = roots.withLock { $0 }
        guard !roots.isEmpty, let path = absolute(path) else { return nil }
        var longest: [UInt8]?
        for root in roots where isPrefix(root, of: path) && root.count > longest?.count ?? -1 { longest = root }
        if let longest { return Place(root: longest, rest: rest(of: path, after: longest.count)) }
        let identities = roots.compactMap { root in identity(root).map { (root, $0) } }
        var mayHang = false
        for end in path.indices.dropFirst() where path[end] == slash || end + 1 == path.count {
            let prefix = path[end] == slash ? Array(path[..<end]) : path
            let found = identity(prefix)
            let rest = rest(of: path, after: prefix.count)
            if let found, let same = identities.first(where: { $0.1 == found }) {
                return Place(root: prefix, rest: rest, added: same.0)
            }
            if !mayHang, let target = target(of: prefix) {
                return links == 0 ? nil : place(of: target + [slash] + rest, links: links - 1)
            }
            guard let found else { return nil }
            if case .path = found { mayHang = true }
        }
        return nil
    }

    /// Returns the absolute target of a symbolic link; nil for another entry.
    private static func target(of path: [UInt8]) -> [UInt8]? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: linkLength, alignment: 1)
        defer { buffer.deallocate() }
        guard let count = try? Entry.readSymlink(terminated(path), into: buffer), count > 0 else { return nil }
        let target = Array(buffer[..<count])
        return target[0] == slash ? target : Array(path[...(path.lastIndex(of: slash) ?? 0)]) + target
    }

    private enum Identity: Equatable {
        case file(dev_t, ino_t)
        /// On a mount that may hang, which is not asked.
        case path([UInt8]?)
    }

    private static func identity(_ path: [UInt8]) -> Identity? {
        if MountPaths.mountThatMayHang(String(decoding: path, as: UTF8.self)) != nil {
            return .path(MountPaths.resolve(path))
        }
        var status = stat()
        return stat(terminated(path), &status) == 0 ? .file(status.st_dev, status.st_ino) : nil
    }

    /// Makes a relative path absolute. Each `..` at its beginning leads to the directory above the working directory, whose path has no
    /// symbolic links.
    private static func absolute(_ path: [UInt8]) -> [UInt8]? {
        guard path.first != slash else { return path }
        guard let working = getcwd(nil, 0) else { return nil }
        defer { free(working) }
        var base = Array(UnsafeBufferPointer(start: working, count: strlen(working))).map { UInt8(bitPattern: $0) }
        var parts = path.split(separator: slash)[...]
        while let part = parts.first, part.elementsEqual("..".utf8) || part.elementsEqual(".".utf8) {
            if part.count == 2 { base.removeLast(base.count - (base.lastIndex(of: slash) ?? 0)) }
            parts.removeFirst()
        }
        for part in parts { base += [slash] + part }
        return base.isEmpty ? [slash] : base
    }

    private static func isPrefix(_ root: [UInt8], of path: [UInt8]) -> Bool {
        path.starts(with: root) && (path.count == root.count || root == [slash] || path[root.count] == slash)
    }

    private static func rest(of path: [UInt8], after count: Int) -> [UInt8] {
        Array(path[count...].drop { $0 == slash })
    }

    private static func trimmed(_ path: [UInt8]) -> [UInt8] {
        var end = path.count
        while end > 1, path[end - 1] == slash { end -= 1 }
        return Array(path[..<end])
    }

    private static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
}

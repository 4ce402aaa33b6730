// The marks of the containers whose files this process uses.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Metadata
internal import Synchronization

/// The containers whose files this process uses, by the paths of their directories, and their marks (`.gather/container`).
///
/// Another directory may come to the path of a container while a program runs: another disk, an empty mount point, a copy. No file is
/// read from it or saved to it, by the same rule as the daemon's (``ContainerMark/stranger(_:in:isWatched:)``). The mark is known from
/// the daemon, as often as this process asks for the container or follows it, and from the directory that was used first. A container
/// without a mark is whatever is at its path.
package enum KnownContainers {
    private struct Known {
        var mark: ContainerMark?
        /// The file of the mark as it was read last.
        var finding = ContainerMark.Finding.none
        var file: EntryStatus?
    }

    private static let known = Mutex<[[UInt8]: Known]>([:])

    /// The reason for which a directory was not opened.
    package enum Failure: Error {
        case system(SystemError)
        /// Another directory is at the path of a container.
        case stranger(ContainerStranger, root: [UInt8])
    }

    /// Opens a directory by `body`, which passes on the look at the directory of the container (``ContainerRoots/open(_:access:look:)``).
    package static func opening(
        _ body: (ContainerRoots.Look) throws(SystemError) -> Descriptor
    ) throws(Failure) -> Descriptor {
        var found: Failure?
        do throws(SystemError) {
            return try body { (root, path) throws(SystemError) in
                guard let stranger = try stranger(root, at: path) else { return }
                found = .stranger(stranger, root: path)
                throw .noDevice
            }
        } catch {
            throw found ?? .system(error)
        }
    }

    /// Opens a directory as ``ContainerRoots/open(_:access:look:)`` does, but none of another container.
    package static func open(
        _ path: [UInt8], access: Directory.Access = .reading
    ) throws(Failure) -> Descriptor {
        let opened = try opening { look throws(SystemError) in
            try ContainerRoots.open(path, access: access, look: look)
        }
        // A container in another one has no way of its own.
        for root in known.withLock({ known in known.filter { $0.value.mark != nil }.map(\.key) })
        where path.count > root.count && path.starts(with: root) && path[root.count] == UInt8(ascii: "/") {
            _ = try opening { look throws(SystemError) in
                let inner = try ContainerRoots.open(root, access: .path)
                try look(inner.number, root)
                return inner
            }
        }
        return opened
    }

    /// Takes the marks by which a daemon knows the containers of this process now: another directory may have been accepted.
    package static func learn(from daemon: Daemon) async throws(GatherError) {
        for container in try await GatherClient(daemon: daemon).containers() { set(container, of: daemon) }
    }

    /// Takes the mark by which a daemon knows a container, if the container is of this machine.
    static func set(_ container: ContainerStatus, of daemon: Daemon) {
        // A daemon that has not seen the directory yet may know no mark.
        guard daemon.host == nil, container.mark != nil || container.state != .unavailable else { return }
        known.withLock { known in
            var now = known[FilePath(container.path).bytes] ?? Known()
            // Where the daemon has no directory to tell, the one of this process may be known.
            if now.mark?.token == container.mark?.token, container.mark?.directory == nil { return }
            now.mark = container.mark
            known[FilePath(container.path).bytes] = now
        }
    }

    /// Judges the open directory at a container's path. Returns why it is another one; nil if it is the container's own. Costs two
    /// system calls for a container without a mark, and four for another one.
    ///
    /// - Throws: An error that says nothing of the directory, such as one of a mount.
    package static func stranger(_ root: CInt, at path: [UInt8]) throws(SystemError) -> ContainerStranger? {
        let last = known.withLock { $0[path] }
        let (finding, file) = try look(root, last)
        if last?.mark == nil, finding.token == nil { return nil }
        let directory = try identity(root)
        return known.withLock { known in
            var now = known[path] ?? Known()
            (now.finding, now.file) = (finding, file)
            defer { known[path] = now }
            if let stranger = now.mark?.stranger(finding, in: directory) { return stranger }
            if let token = finding.token ?? now.mark?.token { now.mark = ContainerMark(token, in: directory) }
            return nil
        }
    }

    /// Reads the file of the mark, unless it is as it was read last.
    private static func look(
        _ root: CInt, _ last: Known?
    ) throws(SystemError) -> (ContainerMark.Finding, EntryStatus?) {
        do throws(SystemError) {
            let folder = try Directory.open(ContainerToken.folder, beneath: root, access: .path)
            let status = try EntryStatus(of: ContainerToken.name, in: folder.number)
            guard status.type == .regular, !status.isMountRoot else { return (.none, nil) }
            if let last, last.file == status { return (last.finding, status) }
            var contents = [UInt8](repeating: 0, count: ContainerToken.length + 1)
            var failure: SystemError?
            contents.withUnsafeMutableBytes { buffer in
                do throws(SystemError) {
                    let count = try Entry.readFile(ContainerToken.name, in: folder.number, into: buffer)
                    buffer[count...].copyBytes(from: repeatElement(0, count: buffer.count - count))
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            let end = contents.firstIndex(of: 0) ?? contents.endIndex
            return (ContainerToken(contents: contents[..<end]).map { .token($0) } ?? .none, status)
        } catch {
            switch error {
            case .noEntry, .notDirectory, .tooManyLinks, .crossesDevice: return (.none, nil)
            case .noAccess, .notPermitted, .wouldBlock: return (.unreadable, nil)
            default: throw error
            }
        }
    }

    /// The identity of a directory, if its file system tells it from others after a restart.
    private static func identity(_ directory: CInt) throws(SystemError) -> FileIdentity? {
        let status = try EntryStatus(of: "", in: directory)
        let identity = FileIdentity(
            device: status.device, inode: status.inode,
            created: status.created.map { Timestamp(seconds: $0.seconds, nanoseconds: Int64($0.nanoseconds)) })
        let type = try Directory.fileSystemType(of: directory)
        return ContainerMark.directory(identity, isKept: Directory.keepsIdentities(onFileSystem: type))
    }
}

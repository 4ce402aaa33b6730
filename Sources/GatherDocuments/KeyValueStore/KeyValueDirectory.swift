// The directory of a store: reading all of its files.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem
internal import Metadata

/// The directory of a store. All calls block, and one thread at a time makes them.
struct KeyValueDirectory: ~Copyable, Sendable {
    /// A file that was read. It is read again only if its status differs.
    private struct Known {
        /// Nil if the file has to be read again in any case.
        let status: EntryStatus?
        let contents: Result<KeyValueFile, KeyValueProblem.Reason>
    }

    private let place: FilePath
    /// The path as a text, for messages.
    var path: String { place.string }
    let device: String
    private(set) var descriptor: Descriptor
    private var known: [String: Known] = [:]
    /// The slot that this store writes.
    var slot: KeyValueSlot?

    /// Opens the directory. It is made if it is missing, and so is its parent: the two levels of
    /// ``KeyValueStore/nameInContainer``. The container itself is never made, since its file system may not be mounted.
    init(path: FilePath, device: String) throws(DocumentError) {
        place = path
        self.device = device
        descriptor = try KeyValueDirectory.open(path)
    }

    private static func open(_ path: FilePath) throws(DocumentError) -> Descriptor {
        do throws(KnownContainers.Failure) {
            return try KnownContainers.opening { look throws(SystemError) in
                try ContainerRoots.openMaking(path.bytes, mode: 0o777, parents: 1, look: look)
            }
        } catch {
            let problem = DocumentError(opening: path.bytes, error)
            guard case .system(let error) = error, problem.code != .symbolicLink else { throw problem }
            throw .system("open the directory", path.string, error)
        }
    }

    /// Opens the directory again if the path names another one by now.
    mutating func reopenIfReplaced() throws(DocumentError) {
        let now = try KeyValueDirectory.open(place)
        do throws(SystemError) {
            if try descriptor.isEntry("", in: now.number) { return }
        } catch {
            throw .system("read the directory", path, error)
        }
        descriptor = now
        slot = nil
        known = [:]
    }

    /// Returns the path of an entry.
    func path(of name: String) -> String { path + "/" + name }

    /// Reads all files that are new or changed. Costs a few system calls for each file.
    mutating func read() throws(DocumentError) -> KeyValueReading {
        try reopenIfReplaced()
        var reading = KeyValueReading()
        var next: [String: Known] = [:]
        for name in try names() {
            let file = KeyValueFileName(name)
            guard file != nil || KeyValueFileName.original(ofConflict: name) != nil, let found = look(at: name) else {
                continue
            }
            next[name] = found
            switch found.contents {
            case .success(let contents): reading.add(contents, of: file, named: name)
            case .failure(let reason): reading.problems.append(KeyValueProblem(path: path(of: name), reason: reason))
            }
        }
        known = next
        return reading
    }

    /// Returns the names of all entries that are UTF-8.
    func names() throws(DocumentError) -> [String] {
        var names: [String] = []
        do throws(SystemError) {
            try Directory.forEachName(in: descriptor.number) { bytes in
                if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
            }
            return names
        } catch {
            throw .system("read the directory", path, error)
        }
    }

    /// Returns the contents of a file; nil if it is gone.
    private func look(at name: String) -> Known? {
        do throws(SystemError) {
            let status = try EntryStatus(of: name, in: descriptor.number)
            if let old = known[name], old.status == status { return old }
            let bytes = try FileBytes.read(name, in: descriptor.number, limit: KeyValueLimits.largestFile)
            let contents = Result { () throws(KeyValueProblem.Reason) in try KeyValueFile(bytes) }
            return Known(status: KeyValueDirectory.isSettled(status) ? status : nil, contents: contents)
        } catch {
            guard error != .noEntry else { return nil }
            return Known(
                status: nil,
                contents: .failure(
                    error == .tooLarge ? .tooLarge : .system(errno: error.code, message: error.description)))
        }
    }

    /// Returns whether the next change of a file shows in its status. Kernels before Linux 6.13 count times in ticks of up to
    /// 10 ms, and a file system may use an inode again.
    private static func isSettled(_ status: EntryStatus) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let age = Int64(now.tv_sec) - status.changed.seconds
        return age > 1 || age < -1
    }
}

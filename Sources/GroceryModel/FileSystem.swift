// Blocking calls on files.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import Glibc
internal import NIOPosix

/// Blocking calls on files, away from the threads of tasks.
package enum FileSystem {
    /// Runs work that blocks on a thread for files.
    package static func run<Result: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Result
    ) async throws -> Result {
        try await NIOThreadPool.singleton.runIfActive { try body() }
    }

    /// The thread on which pictures are prepared: one at a time, since each may take much memory and seconds.
    private static let pictures: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    /// Runs work on a picture after that on others, away from the threads for files.
    static func runOnPicture<Result: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Result
    ) async throws -> Result {
        try await pictures.runIfActive { try body() }
    }

    /// A failed call. ``description`` is a sentence for a person without a full stop, which begins in lower case.
    package struct Failure: Error, CustomStringConvertible {
        /// The work that failed, such as `read /tmp/a`.
        package let work: String
        /// The number of the system's error (errno(3)).
        package let code: CInt

        package init(_ work: String, _ code: CInt = errno) {
            self.work = work
            self.code = code
        }

        package var description: String { "cannot \(work): \(String(cString: strerror(code)))" }
    }

    /// Reads a file to its end, or standard input without a path. Stops after more than `limit` bytes. A pipe, such as a scanner's, has
    /// no size, so the caller compares the count.
    package static func read(_ path: String?, limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        guard descriptor >= 0 else { throw Failure("read \(path ?? "standard input")") }
        defer { if path != nil { close(descriptor) } }
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure("read \(path ?? "standard input")") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Returns the size of a file that has more bytes than a limit. A pipe has no size.
    package static func sizeText(_ path: String, beyond limit: Int) -> String {
        var status = stat()
        let isKnown = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > limit
        return isKnown ? "\(status.st_size) bytes" : "more than \(limit) bytes"
    }

    /// Keeps a text that could not be saved in its temporary file. Returns whether it is there. A file that is there stays as it is.
    ///
    /// - Parameter bytes: The text as it was read from the file; nil if it was not.
    package static func keepText(_ bytes: [UInt8]?, at path: String) -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard let bytes, makeFolders(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) else { return false }
        return (try? create(path, bytes)) != nil
    }

    /// Writes a new file that only this user may read.
    package static func create(_ path: String, _ bytes: [UInt8]) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("write \(path)") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure("write \(path)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes a folder, and missing ones above it, for this user only. Returns false and sets errno if that fails.
    package static func makeFolders(_ path: Substring) -> Bool {
        if path.isEmpty || mkdir(String(path), 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), makeFolders(path[..<slash]) else { return false }
        return mkdir(String(path), 0o700) == 0 || errno == EEXIST
    }

    /// Whether the directory of a container is there, by whatever path its owner has given it.
    static func hasDirectory(_ container: Container) -> Bool {
        var status = stat()
        return stat(container.data.string, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a path leads to a folder, and not through a symbolic link.
    static func isFolder(_ path: String) -> Bool { (try? PathEntry(path))?.kind == .folder }

    /// Whether a path leads to a regular file, and not through a symbolic link.
    static func isRegularFile(_ path: String) -> Bool { (try? PathEntry(path))?.kind == .file }

    /// Returns the name of a file's owner; nil if the file is gone, or the owner has no account here.
    static func owner(_ path: String) -> String? {
        guard let entry = try? PathEntry(path) else { return nil }
        var (record, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 1 << 14)
        guard getpwuid_r(entry.owner, &record, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name
        else { return nil }
        return String(cString: name)
    }

    /// Whether an entry has a path that leads through no symbolic link.
    static func exists(_ path: String) -> Bool { (try? PathEntry(path)) != nil }
}

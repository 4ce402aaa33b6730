// The system calls that make the churn and the walk, by paths of bytes. Nothing of Gather is in them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IdentityModel
import TestSupport

/// Plain calls; each tells whether it succeeded.
enum Files {
    // Functions that Swift's module of the C library leaves out.
    private typealias RenameCall =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
    private typealias SetCall =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
    private typealias GetCall =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias RemoveCall = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt

    private static let renameCall = cFunction("renameat2", as: RenameCall.self)
    private static let setCall = cFunction("lsetxattr", as: SetCall.self)
    private static let getCall = cFunction("lgetxattr", as: GetCall.self)
    private static let removeCall = cFunction("lremovexattr", as: RemoveCall.self)

    static func with<Result>(_ path: Bytes, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { bytes in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { copy in
                _ = copy.update(fromContentsOf: bytes)
                copy[bytes.count] = 0
                return body(UnsafePointer(copy.baseAddress!))
            }
        }
    }

    /// A new directory of nobody else's, for tests; nil where there can be none.
    static func makeTemporaryDirectory(_ name: String) -> Bytes? {
        var template = Bytes("/tmp/gather-\(name)-XXXXXX").map { CChar(bitPattern: $0) } + [0]
        return mkdtemp(&template) == nil ? nil : template.dropLast().map { UInt8(bitPattern: $0) }
    }

    // MARK: Changes

    static func append(_ count: Int, to path: Bytes) -> Bool { write(count, path, O_CREAT | O_APPEND) }
    static func create(_ count: Int, at path: Bytes) -> Bool { write(count, path, O_CREAT | O_EXCL) }

    private static func write(_ count: Int, _ path: Bytes, _ flags: CInt) -> Bool {
        // A fifo would wait for its reader, a symbolic link lead elsewhere.
        let file = with(path) { open($0, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0o644) }
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = Bytes(repeating: 0x61, count: count)
        return Glibc.write(file, bytes, count) == count
    }

    static func truncate(_ path: Bytes, _ size: Int) -> Bool {
        let file = with(path) { open($0, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard file >= 0 else { return false }
        defer { close(file) }
        return ftruncate(file, size) == 0
    }

    static func remove(_ path: Bytes) -> Bool { with(path) { unlink($0) } == 0 }
    static func makeDirectory(_ path: Bytes) -> Bool { with(path) { mkdir($0, 0o755) } == 0 }
    static func removeDirectory(_ path: Bytes) -> Bool { with(path) { rmdir($0) } == 0 }
    static func makeFifo(_ path: Bytes) -> Bool { with(path) { mkfifo($0, 0o600) } == 0 }

    static func rename(_ old: Bytes, _ new: Bytes) -> Bool {
        with(old) { old in with(new) { Glibc.rename(old, $0) } } == 0
    }

    static func exchange(_ one: Bytes, _ other: Bytes) -> Bool {
        let exchanging: CUnsignedInt = 2  // RENAME_EXCHANGE
        return with(one) { one in with(other) { renameCall(AT_FDCWD, one, AT_FDCWD, $0, exchanging) } } == 0
    }

    static func makeLink(_ old: Bytes, _ new: Bytes) -> Bool { with(old) { old in with(new) { link(old, $0) } } == 0 }

    static func makeSymlink(_ target: Bytes, _ path: Bytes) -> Bool {
        with(target) { target in with(path) { symlink(target, $0) } } == 0
    }

    static func changeMode(_ path: Bytes, _ mode: mode_t) -> Bool {
        guard let status = status(path), status.st_mode & S_IFMT != S_IFLNK else { return false }
        return with(path) { chmod($0, mode) } == 0
    }

    static func setModified(_ path: Bytes, seconds: Int, nanoseconds: Int) -> Bool {
        let times = [timespec(tv_sec: seconds, tv_nsec: nanoseconds), timespec(tv_sec: seconds, tv_nsec: nanoseconds)]
        return with(path) { utimensat(AT_FDCWD, $0, times, AT_SYMLINK_NOFOLLOW) } == 0
    }

    static func setAttribute(_ name: String, of path: Bytes, to value: Bytes) -> Bool {
        with(path) { setCall($0, name, value, value.count, 0) } == 0
    }

    static func removeAttribute(_ name: String, of path: Bytes) -> Bool { with(path) { removeCall($0, name) } == 0 }

    /// `rm -r`.
    static func removeTree(_ path: Bytes) {
        for name in names(in: path) {
            let entry = path.entry(name)
            if !remove(entry) { removeTree(entry) }
        }
        _ = removeDirectory(path)
    }

    // MARK: Looking

    static func status(_ path: Bytes) -> stat? {
        var status = stat()
        return with(path) { lstat($0, &status) } == 0 ? status : nil
    }

    static func isDirectory(_ path: Bytes) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

    static func attribute(_ name: String, of path: Bytes) -> Bytes? {
        // The checker's own are short.
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { value in
            let count = with(path) { getCall($0, name, value.baseAddress, value.count) }
            return count >= 0 ? Bytes(value.prefix(count)) : nil
        }
    }

    /// Nothing where it is no directory, or a symbolic link to one.
    static func names(in path: Bytes) -> [Bytes] {
        let descriptor = with(path) { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [Bytes] = []
        while let record = readdir(stream) {
            let name = withUnsafeBytes(of: record.pointee.d_name) { Bytes($0.prefix { $0 != 0 }) }
            if name != Bytes(".") && name != Bytes("..") { names.append(name) }
        }
        return names
    }
}

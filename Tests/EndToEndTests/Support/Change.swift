// Changes to a tree as programs make them, by plain system calls.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// Changes to files. Each fails the test where the system refuses it.
enum Change {
    static func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try check(descriptor >= 0, path)
        defer { close(descriptor) }
        try check(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count, path)
    }

    static func write(_ text: String, to path: [UInt8]) throws {
        let descriptor = (path + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_WRONLY | O_CREAT, 0o644) }
        }
        try check(descriptor >= 0, "\(path)")
        close(descriptor)
    }

    static func rename(_ old: String, _ new: String) throws { try check(Glibc.rename(old, new) == 0, old) }
    static func exchange(_ one: String, _ other: String) throws {
        typealias Rename = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
        let exchanging: CUnsignedInt = 2  // RENAME_EXCHANGE
        let rename = cFunction("renameat2", as: Rename.self)
        try check(rename(AT_FDCWD, one, AT_FDCWD, other, exchanging) == 0, one)
    }
    static func link(_ old: String, _ new: String) throws { try check(Glibc.link(old, new) == 0, new) }
    static func symlink(_ target: String, _ path: String) throws { try check(Glibc.symlink(target, path) == 0, path) }
    static func fifo(_ path: String) throws { try check(mkfifo(path, 0o600) == 0, path) }
    static func chmod(_ path: String, _ mode: mode_t) throws { try check(Glibc.chmod(path, mode) == 0, path) }
    static func directory(_ path: String) throws { try check(mkdir(path, 0o755) == 0, path) }
    static func remove(_ path: String) throws { try check(unlink(path) == 0, path) }
    static func removeTree(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    static func tag(_ path: String, _ tags: String) throws { try extendedAttribute("user.xdg.tags", tags, of: path) }

    /// Sets an extended attribute as `setfattr` would.
    static func extendedAttribute(_ name: String, _ value: String, of path: String) throws {
        try extendedAttribute(name, Array(value.utf8), of: path)
    }

    static func extendedAttribute(_ name: String, _ value: [UInt8], of path: String) throws {
        typealias Set =
            @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
        let set = cFunction("setxattr", as: Set.self)
        try check(set(path, name, value, value.count, 0) == 0, path)
    }

    private static func check(_ succeeded: Bool, _ path: String) throws {
        try #require(succeeded, "\(path): \(String(cString: strerror(errno)))")
    }
}

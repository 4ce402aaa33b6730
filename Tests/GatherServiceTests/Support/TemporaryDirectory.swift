// A directory of a test's own, gone when the test is.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage
import TestSupport

/// A fresh directory, removed with everything in it at the end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/gather-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        path = String(cString: made)
    }

    /// Whether this process may mount, tried once.
    static let canMount: Bool = {
        guard let directory = try? TemporaryDirectory(), mount("none", directory.path, "tmpfs", 0, nil) == 0 else {
            return false
        }
        umount2(directory.path, 0)
        return true
    }()

    deinit { _ = Self.run("/bin/rm", "-rf", "--", path) }

    /// Writes a file, making the directories above it.
    func write(_ text: String, to name: String) throws {
        let parts = name.split(separator: "/").dropLast()
        var directory = path
        for part in parts {
            directory += "/" + part
            if mkdir(directory, 0o755) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        }
        let file = try FileDescriptor.open(
            path + "/" + name, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead])
        _ = try file.closeAfter { try file.writeAll(Array(text.utf8)) }
    }

    func exists(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }

    func makeDirectory(_ name: String) throws {
        guard mkdir(path + "/" + name, 0o755) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Copies the state directory as it is, which is what a kill would leave behind. Files may come and go meanwhile, as
    /// indexes are saved and segments let go of: then it is copied once more.
    func copyState(to name: String) throws {
        for _ in 0..<1_000 {
            Self.run("/bin/rm", "-rf", "--", path + "/" + name)
            if Self.run("/bin/cp", "-a", path + "/state", path + "/" + name) == 0 { return }
        }
        throw Errno(rawValue: EBUSY)
    }

    /// Runs a program and waits for it; its exit status.
    @discardableResult
    static func run(_ arguments: String...) -> Int32 {
        var pid: pid_t = 0
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        closeInheritedDescriptors(&actions)
        guard posix_spawn(&pid, arguments[0], &actions, nil, &pointers, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status >> 8
    }
}

// A file that is replaced as a whole.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem
internal import SaveFiles

/// Writes files so that a reader finds the old or the new contents, and nothing between.
///
/// Only a file is replaced, and only one that this user may write to. A device or pipe, such as `/dev/stdout`, is written to. A
/// symbolic link is followed.
enum ReplacedFile {
    /// The mode of a new file: collectors run as users of their own and must read it.
    private static let mode: UInt32 = 0o644

    /// Writes a new file beside it and renames that over it. Owner, group and mode stay.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        var old = stat()
        guard stat(path, &old) == 0 else {
            var link = stat()
            // The missing target of a symbolic link is not created: the link may be a mistake.
            guard errno == ENOENT, lstat(path, &link) != 0 else { throw failure(errno, path) }
            return try replace(path, with: bytes, as: nil)
        }
        var output = stat()
        if fstat(STDOUT_FILENO, &output) == 0, output.st_dev == old.st_dev, output.st_ino == old.st_ino {
            return try put(bytes, into: STDOUT_FILENO, path)
        }
        switch old.st_mode & S_IFMT {
        case S_IFREG:
            guard let resolved = realpath(path, nil) else { throw failure(errno, path) }
            defer { free(resolved) }
            // The permission on the directory alone would let a rename replace it.
            guard access(resolved, W_OK) == 0 else { throw failure(errno, path) }
            try replace(String(cString: resolved), with: bytes, as: old)
        case S_IFDIR: throw failure(EISDIR, path)
        default:
            let descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure(errno, path) }
            defer { close(descriptor) }
            try put(bytes, into: descriptor, path)
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> Failure {
        Failure("\(DisplayText.escaped(path)): \(String(cString: strerror(code)))")
    }

    private static func put(_ bytes: [UInt8], into descriptor: Int32, _ path: String) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw failure(errno, path) }
        }
    }

    private static func replace(_ path: String, with bytes: [UInt8], as old: stat?) throws(Failure) {
        do throws(SystemError) {
            // Collectors read no name that begins with a dot or lacks the extension.
            try FileReplacement.replace(path, through: .random) { file throws(SystemError) in
                try file.writeAll(bytes)
                var mode = old.map { UInt32($0.st_mode & 0o777) } ?? mode
                let made = try EntryStatus(of: "", in: file.number)
                // A sandbox may forbid the call, so it is made only where it changes something.
                if let old, made.owner != old.st_uid || made.group != old.st_gid,
                    (try? file.setOwner(old.st_uid, group: old.st_gid)) == nil
                {
                    // The new group gets the permissions of others.
                    mode = mode & 0o707 | (mode & 0o007) << 3
                }
                try file.setMode(mode)
            }
        } catch {
            throw failure(error.code, path)
        }
    }
}

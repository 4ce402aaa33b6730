// The file that keeps the secret, so that a link stays valid.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroceryModel
internal import LinuxSystem
internal import SaveFiles

/// The file that keeps the secret of a list. Only its user may read it.
package enum PageTokenFile {
    /// Returns the secret in a file. Makes a new one if there is none, if the file was readable by others, or if `isNew`.
    ///
    /// - Parameter path: The file. Missing folders above it are made, for its user only.
    package static func token(at path: String, isNew: Bool = false) throws(PageServerError) -> PageToken {
        if !isNew, let token = read(path) { return token }
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        guard FileSystem.makeFolders(folder) else { throw failed("make", String(folder)) }
        let token = PageToken.random()
        let name = String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
        // The rename replaces a file with another mode, or a link that another user has put there.
        do throws(SystemError) {
            try FileReplacement.replace(path, through: .named(name + ".new"), with: Array((token.text + "\n").utf8))
        } catch {
            throw PageServerError("cannot write \(path): \(error)")
        }
        return token
    }

    private static func read(_ path: String) -> PageToken? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0,
            status.st_uid == geteuid()
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return PageToken(text: String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func failed(_ what: String, _ path: String) -> PageServerError {
        PageServerError("cannot \(what) \(path): \(String(cString: strerror(errno)))")
    }
}

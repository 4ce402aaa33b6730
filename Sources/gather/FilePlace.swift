// A file that was named on the command line, as a question to the daemon.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// Where a file that was named on the command line lies, as the daemon knows it: its directory without symbolic links, its
/// own name as it is.
struct FilePlace {
    /// The absolute path in its own bytes.
    let path: [UInt8]
    /// The path of the directory that holds it, and its name there.
    let parent: [UInt8]
    let name: [UInt8]
    /// The directory that holds it; nil where its path is no UTF-8.
    let directory: String?
    /// What only this file is.
    let predicate: String
    let scopes: [SearchScope]

    init(_ argument: [UInt8], text: String) throws(Failure) {
        func failure(_ code: Int32) -> Failure {
            Failure("\(DisplayText.escaped(argument)): \(String(cString: strerror(code)))")
        }
        var status = stat()
        guard FilePlace.withCString(argument, { lstat($0, &status) }) == 0 else { throw failure(errno) }
        // `.`, `..` and what ends with a slash name a directory by the way to it, not by its name.
        let slash = argument.lastIndex(of: UInt8(ascii: "/"))
        let name = Array(argument[(slash.map { $0 + 1 } ?? 0)...])
        let isWay = name.isEmpty || name == Array(".".utf8) || name == Array("..".utf8)
        let above = isWay ? argument : slash.map { $0 == 0 ? [UInt8(ascii: "/")] : Array(argument[..<$0]) } ?? [0x2E]
        guard let resolved = FilePlace.withCString(above, { realpath($0, nil) }) else { throw failure(errno) }
        defer { free(resolved) }
        let real = Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved))).map { UInt8(bitPattern: $0) }
        path = isWay ? real : (real == [UInt8(ascii: "/")] ? [] : real) + [UInt8(ascii: "/")] + name

        let last = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        parent = last == 0 ? [UInt8(ascii: "/")] : Array(path[..<last])
        self.name = Array(path[(last + 1)...])
        directory = String(validating: parent, as: UTF8.self)
        if let whole = String(validating: path, as: UTF8.self), let directory {
            let name = String(decoding: self.name, as: UTF8.self)
            predicate =
                FilePlace.anywhere
                + "name == \(PredicateText.literal(name)) AND path == \(PredicateText.literal(whole))"
            scopes = [.directory(directory)]
        } else {
            // A predicate is text; such a name is found by its inode, and told from others with the same by its path.
            predicate = FilePlace.anywhere + "inode == \(status.st_ino)"
            scopes = []
        }
    }

    /// What lies inside a package is named as well.
    private static let anywhere = "inPackage IN {TRUE, FALSE} AND "

    static func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let terminated = bytes.map { CChar(bitPattern: $0) } + [0]
        // It has at least the NUL, so there is a base address.
        return terminated.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}

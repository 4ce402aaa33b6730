// Makes a question to the daemon from a file on the command line.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc
internal import LinuxSystem

/// The place of a file on the command line, as the daemon has it: the directory without symbolic links, and the name.
struct FilePlace {
    /// The absolute path in its own bytes.
    let path: [UInt8]
    /// The path of its directory, and its name there.
    let parent: [UInt8]
    let name: [UInt8]
    /// The path of its directory; nil if it is not UTF-8.
    let directory: String?
    /// A predicate that matches this file only.
    let predicate: String
    private let inode: UInt64
    let scopes: [SearchScope]

    init(_ argument: [UInt8], text: String) throws(Failure) {
        func failure(_ code: Int32) -> Failure {
            Failure("\(DisplayText.escaped(argument)): \(String(cString: strerror(code)))")
        }
        try SilentMount.check(String(decoding: argument, as: UTF8.self))
        var status = stat()
        guard FilePlace.withCString(argument, { lstat($0, &status) }) == 0 else { throw failure(errno) }
        inode = UInt64(status.st_ino)
        // `.`, `..` and paths with a slash at the end do not have the name of the directory.
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
        scopes = [.directory(FilePath(bytes: parent))]
        if let whole = String(validating: path, as: UTF8.self) {
            let name = String(decoding: self.name, as: UTF8.self)
            predicate =
                FilePlace.anywhere
                + "name == \(PredicateText.literal(name)) AND path == \(PredicateText.literal(whole))"
        } else {
            // A predicate is UTF-8. Other names are found by their inode; the path tells hard links apart.
            predicate = FilePlace.anywhere + "inode == \(status.st_ino)"
        }
    }

    /// A predicate for this file by its inode. It also matches in containers whose configured path has symbolic links,
    /// since their items have such paths.
    var predicateOfInode: String { FilePlace.anywhere + "inode == \(inode)" }

    /// Whether the path of an item leads to this file, directly or through symbolic links.
    func isNamed(by other: [UInt8]) -> Bool {
        if other == path { return true }
        guard let slash = other.lastIndex(of: UInt8(ascii: "/")), Array(other[(slash + 1)...]) == name else {
            return false
        }
        return FilePlace.resolved(slash == 0 ? [UInt8(ascii: "/")] : Array(other[..<slash])) == parent
    }

    /// Whether a path leads to this directory, directly or through symbolic links.
    func isDirectory(_ other: [UInt8]) -> Bool { other == path || FilePlace.resolved(other) == path }

    /// Returns a path with symbolic links resolved up to the first mount that may hang; nil if that fails.
    static func resolved(_ path: [UInt8]) -> [UInt8]? { MountPaths.resolve(path) }

    /// Items inside packages are found only by predicates that name `inPackage`.
    private static let anywhere = "inPackage IN {TRUE, FALSE} AND "

    static func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let terminated = bytes.map { CChar(bitPattern: $0) } + [0]
        // The array has at least the NUL, so it has a base address.
        return terminated.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}

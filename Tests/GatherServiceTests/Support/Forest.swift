// A tree with random modes, owners and access control lists, and the entries that users of the machine really see.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport

/// A tree that is changed at random, by root.
struct Forest {
    let tree: String
    /// The directories above it, and its own.
    let above: [String]

    private static let owners: [UInt32] = [0, 41_001, 41_002, 41_003]
    private static let groups: [UInt32] = [0, 42_001, 42_002, 42_003, 42_004]
    private static let setxattr = cFunction(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt).self)
    private static let getxattr = cFunction(
        "lgetxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int).self)
    private static let removexattr = cFunction(
        "removexattr", as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt).self)

    init(tree: String, above: [String]) {
        self.tree = tree
        self.above = above
    }

    /// Where a file may be.
    private func place(_ random: inout SeededGenerator) -> String {
        directory(&random, least: 0) + "/f\(Int.random(in: 0...19, using: &random))"
    }

    /// Where a directory may be.
    func directory(_ random: inout SeededGenerator, least: Int = 1) -> String {
        let depth = Int.random(in: least...4, using: &random)
        return ([tree] + (0..<depth).map { _ in "d\(Int.random(in: 0...2, using: &random))" }).joined(separator: "/")
    }

    /// One change somewhere; one that cannot be made is no change.
    mutating func change(_ random: inout SeededGenerator, aboveToo: Bool) {
        var target = Bool.random(using: &random) ? place(&random) : directory(&random)
        if aboveToo, Int.random(in: 0..<12, using: &random) == 0 {
            target = above.randomElement(using: &random) ?? tree
        }
        switch Int.random(in: 0..<17, using: &random) {
        case 0...2:
            if Int.random(in: 0..<6, using: &random) == 0 {
                symlink("no/where", place(&random))
            } else {
                let file = Glibc.open(place(&random), O_CREAT | O_WRONLY, 0o644)
                if file >= 0 { close(file) }
            }
        case 3, 4: mkdir(directory(&random), 0o755)
        case 5, 6: chmod(target, mode(&random))
        case 7:
            let owner = Forest.owners.randomElement(using: &random) ?? 0
            chown(target, owner, Forest.groups.randomElement(using: &random) ?? 0)
        case 8, 9: setList(target, &random)
        case 10: _ = Forest.removexattr(target, "system.posix_acl_access")
        case 11: rename(directory(&random), directory(&random))
        case 12: rename(place(&random), place(&random))
        case 13: unlink(place(&random))
        case 14: link(place(&random), place(&random))
        case 15:
            if Int.random(in: 0..<4, using: &random) == 0 {
                TemporaryDirectory.run("/bin/rm", "-rf", directory(&random))
            }
        default:
            let tags = [",", "red", "red,blue", "blue"].randomElement(using: &random) ?? ""
            let value = Array(tags.utf8)
            let name = Bool.random(using: &random) ? "user.xdg.tags" : "user.xdg.comment"
            _ = value.withUnsafeBytes { Forest.setxattr(target, name, $0.baseAddress, $0.count, 0) }
        }
    }

    /// Opens the way to the tree, and some directories in it, or all would be closed after a while.
    func open(_ random: inout SeededGenerator) {
        for path in above + (0..<6).map({ _ in directory(&random) }) {
            _ = Forest.removexattr(path, "system.posix_acl_access")
            chmod(path, 0o755)
        }
    }

    private func mode(_ random: inout SeededGenerator) -> mode_t {
        // Mostly open, or all would be closed at the third level.
        let usual: [mode_t] = [0o755, 0o750, 0o711, 0o700, 0o055, 0o770, 0o005, 0o775, 0o744]
        return Int.random(in: 0..<3, using: &random) == 0
            ? mode_t.random(in: 0...0o777, using: &random) : usual.randomElement(using: &random) ?? 0o755
    }

    /// Gives a file a list, put down here as the kernel's header has it, without anything of Gather.
    private func setList(_ target: String, _ random: inout SeededGenerator) {
        var bytes: [UInt8] = [2, 0, 0, 0]
        func add(_ tag: UInt8, _ number: UInt32) {
            // Often nothing, since the kernel treats an empty mask apart, and often enough to be seen.
            let usual: [UInt8] = [0, 5, 5, 7, .random(in: 0...7, using: &random)]
            let permissions = usual.randomElement(using: &random) ?? 0
            bytes += [tag, 0, permissions, 0]
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
        }
        add(1, .max)
        for user in Forest.owners.dropFirst() where Bool.random(using: &random) { add(2, user) }
        add(4, .max)
        for group in Forest.groups.dropFirst() where Int.random(in: 0..<3, using: &random) == 0 { add(8, group) }
        add(16, .max)
        add(32, .max)
        _ = bytes.withUnsafeBytes {
            Forest.setxattr(target, "system.posix_acl_access", $0.baseAddress, $0.count, 0)
        }
    }

    /// All directories, as root sees them.
    private func directories(below directory: String) -> [String] {
        [directory]
            + Forest.names(in: directory).map { directory + "/" + $0 }.filter { isDirectory($0) }
            .flatMap { directories(below: $0) }
    }

    /// How many entries there are, as root sees them.
    var count: Int { directories(below: tree).reduce(0) { $0 + Forest.names(in: $1).count } }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let record = readdir(stream) {
            let name = withUnsafeBytes(of: record.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The items that a user can list and stat, found out as that user. Directories are tried by name, since one may be entered
    /// that cannot be listed from above.
    func walk(as user: OtherUser) -> [AccessTests.Seen] {
        let directories = directories(below: tree)
        let prefix = tree.count + 1
        return user.run {
            directories.flatMap { directory in
                Forest.names(in: directory).compactMap { name in
                    let path = directory + "/" + name
                    var status = stat()
                    guard lstat(path, &status) == 0 else { return nil }
                    func text(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> String? {
                        var value = [UInt8](repeating: 0, count: 256)
                        let count = value.withUnsafeMutableBytes { read($0) }
                        return count < 0 ? nil : String(decoding: value.prefix(count), as: UTF8.self)
                    }
                    func attribute(_ name: String) -> String? {
                        text { Forest.getxattr(path, name, $0.baseAddress, $0.count) }
                    }
                    let tags = attribute("user.xdg.tags")?.split(separator: ",") ?? []
                    let isLink = status.st_mode & S_IFMT == S_IFLNK
                    let target = text {
                        isLink ? readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count) : -1
                    }
                    return AccessTests.Seen(
                        path: String(path.dropFirst(prefix)), mode: status.st_mode & 0o7777,
                        isFile: status.st_mode & S_IFMT == S_IFREG, tags: tags.map(String.init),
                        comment: attribute("user.xdg.comment"), target: target)
                }
            }
        }
    }
}

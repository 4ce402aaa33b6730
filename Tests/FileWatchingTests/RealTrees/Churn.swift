// Random changes to a real directory tree, the same for the same seed.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestSupport

/// Makes random changes below a directory, and moves things into and out of it. Few names, so that they meet often;
/// a call that fails because of that is part of the game.
struct Churn {
    private var random: SeededGenerator
    private let root: String
    private let outside: String
    private let names: [String]
    private var serial = 0
    var makesLinks = true

    init(seed: UInt64, root: String, outside: String, names: Int = 5) {
        random = SeededGenerator(seed: seed)
        self.root = root
        self.outside = outside
        self.names = (0..<names).map { "n\($0)" } + ["\u{e9}\n"]
    }

    private mutating func path(in base: String, depth: Int = 4) -> String {
        var path = base
        for _ in 0..<Int.random(in: 1...depth, using: &random) { path += "/" + names.randomElement(using: &random)! }
        return path
    }

    private mutating func file(_ path: String, _ flags: CInt) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | flags, 0o644)
        guard file >= 0 else { return }
        let text = [UInt8](repeating: 0x61, count: Int.random(in: 0...100, using: &random))
        _ = Glibc.write(file, text, text.count)
        close(file)
    }

    /// Makes one change and says what it tried.
    mutating func step() -> String {
        let a = path(in: root)
        let b = path(in: root)
        serial += 1
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14:
            file(a, 0)
            return "write \(a)"
        case 14..<20:
            file(a, O_APPEND)
            return "append \(a)"
        case 20..<34:
            mkdir(a, 0o755)
            return "mkdir \(a)"
        case 34..<38:
            var path = a
            for name in names {
                mkdir(path, 0o755)
                path += "/" + name
                file(path + "f", 0)
            }
            return "mkdir -p \(a)"
        case 38..<46:
            if unlink(a) != 0 { rmdir(a) }
            return "unlink \(a)"
        case 46..<49:
            run("rm", "-rf", a)
            return "rm -r \(a)"
        case 49..<66:
            rename(a, b)
            return "rename \(a) \(b)"
        case 66..<71:
            try? Entry.rename(a, to: b, mode: .exchange)
            return "exchange \(a) \(b)"
        case 71..<75:
            if makesLinks { link(a, b) }
            return "link \(a) \(b)"
        case 75..<78:
            symlink(b, a)
            return "symlink \(a)"
        case 78..<82:
            file(a + ".tmp", O_TRUNC)
            rename(a + ".tmp", a)
            return "save \(a)"
        case 82..<85:
            chmod(a, Bool.random(using: &random) ? 0o700 : 0o755)
            return "chmod \(a)"
        case 85..<88:
            let times = [timespec(tv_sec: serial, tv_nsec: 1), timespec(tv_sec: serial, tv_nsec: 2)]
            utimensat(AT_FDCWD, a, times, AT_SYMLINK_NOFOLLOW)
            return "utimensat \(a)"
        case 88..<92:
            // Over nothing: that would end a link outside, which no event tells.
            try? Entry.rename(a, to: path(in: outside, depth: 1), mode: .keep)
            return "move out \(a)"
        case 92..<96:
            rename(path(in: outside, depth: 1), b)
            return "move in \(b)"
        case 96..<98:
            run("rm", "-rf", a)
            symlink("/nonexistent/target", a)
            return "swap for a symlink \(a)"
        default:
            // Not one of several links: the look-up finds the new file only, and the other names are told of no change.
            var status = stat()
            guard lstat(a, &status) == 0, status.st_nlink == 1 else { return "nothing" }
            if unlink(a) == 0 { file(a, 0) }
            return "unlink and create \(a)"
        }
    }
}

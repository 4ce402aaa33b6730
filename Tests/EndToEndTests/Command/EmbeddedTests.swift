// The engine within the command: the same answers without a daemon, and nothing left behind.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct EmbeddedTests {
    /// A directory with a tree, an empty home and an empty runtime directory of its own.
    private final class Place: Sendable {
        let directory: String
        let tree: String
        let environment: [String: String]

        init() throws {
            let name = "gather-\(UUID().uuidString.prefix(8))"
            directory = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + name
            tree = directory + "/tree"
            for path in [directory, tree, directory + "/home"] { try Change.directory(path) }
            environment = [
                "HOME": directory + "/home", "XDG_RUNTIME_DIR": directory + "/home",
                "XDG_STATE_HOME": directory + "/home", "TMPDIR": directory + "/home",
            ]
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func gather(_ arguments: String...) async -> ChildProcess.Result {
            await ChildProcess(.gather, arguments, environment: environment).result()
        }

        /// The paths below the tree, as a fresh walk finds them.
        func walk() -> [String] {
            (FileManager.default.enumerator(atPath: tree)?.compactMap { $0 as? String } ?? [])
                .map { "\(tree)/\($0)" }.sorted()
        }

        /// Every entry of the whole place, with what changes where something is written.
        func everything() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: directory).map { path in
                var status = stat()
                try #require(lstat("\(directory)/\(path)", &status) == 0)
                let (written, changed) = (status.st_mtim, status.st_ctim)
                return "\(path) \(status.st_ino) \(written.tv_sec) \(written.tv_nsec) \(changed.tv_nsec)"
            }.sorted()
        }
    }

    @Test func `find and count answer as a fresh walk does, and write nothing`() async throws {
        let place = try Place()
        for directory in 0..<20 {
            try Change.directory("\(place.tree)/d\(directory)")
            for file in 0..<20 {
                try Change.write(
                    String(repeating: "x", count: file), to: "\(place.tree)/d\(directory)/Item_\(file)")
            }
        }
        try Change.symlink("d1", place.tree + "/link")
        try Change.link(place.tree + "/d1/Item_1", place.tree + "/d2/second")
        let before = try place.everything()

        let all = await place.gather("find", "", "--embedded", "--in", place.tree)
        #expect(all.status == 0)
        #expect(all.errors == "")
        #expect(all.lines.sorted() == place.walk())
        let count = await place.gather("count", "", "--embedded", "--in", place.tree)
        #expect(count.text == "\(place.walk().count)\n", "\(count.errors)")

        let some = await place.gather(
            "find", "size > 17 AND kind == 'file'", "--embedded", "--in", place.tree, "--attributes",
            "path,size,owner")
        let owner = getuid() == 0 ? "root" : NSUserName()
        #expect(
            some.lines.sorted()
                == (0..<20).flatMap { directory in
                    [18, 19].map { "\(place.tree)/d\(directory)/Item_\($0)\t\($0)\t\(owner)" }
                }.sorted(), "\(some.errors)")
        let none = await place.gather("find", "name == 'nothing'", "--embedded", "--in", place.tree, "--quiet")
        #expect(none.status == 1)
        #expect(none.errors == "")
        let first = await place.gather("--embedded", "find", "", "--in", place.tree, "--limit", "3", "--json")
        #expect(first.lines.count == 3, "\(first.errors)")
        #expect(try place.everything() == before)
    }

    @Test func `Directories may be equal, nested, symlinks and several`() async throws {
        let place = try Place()
        for name in ["a", "a/inner", "b"] {
            try Change.directory("\(place.tree)/\(name)")
            try Change.write("", to: "\(place.tree)/\(name)/file")
        }
        try Change.symlink(place.tree + "/b", place.directory + "/link")
        let nested = await place.gather(
            "find", "name == 'file'", "--embedded", "--in", place.tree + "/a/inner", "--in", place.tree + "/a", "--in",
            place.tree + "/a/")
        #expect(nested.lines.sorted() == ["\(place.tree)/a/file", "\(place.tree)/a/inner/file"], "\(nested.errors)")
        let several = await place.gather(
            "find", "name == 'file'", "--embedded", "--in", place.directory + "/link", "--in", place.tree + "/a/inner")
        #expect(several.lines.sorted() == ["\(place.tree)/a/inner/file", "\(place.tree)/b/file"], "\(several.errors)")
    }

    @Test func `watch tells changes as they happen, and Ctrl-C ends it with 130`() async throws {
        let place = try Place()
        try Change.write("", to: place.tree + "/a")
        let watch = ChildProcess(
            .gather, ["watch", "kind == 'file'", "--embedded", "--in", place.tree], environment: place.environment)
        #expect(await watch.nextLine() == "  \(place.tree)/a")
        try Change.directory(place.tree + "/d")
        try Change.write("", to: place.tree + "/d/b")
        #expect(await watch.nextLine() == "+ \(place.tree)/d/b")
        var line: String?
        try Change.rename(place.tree + "/d/b", place.tree + "/c")
        // A write after the file was made may be told as a change of its own.
        repeat { line = await watch.nextLine() } while line == "~ \(place.tree)/d/b"
        #expect(line == "~ \(place.tree)/d/b -> \(place.tree)/c")
        try Change.remove(place.tree + "/c")
        #expect(await watch.nextLine() == "- \(place.tree)/c")
        watch.kill(SIGINT)
        let result = await watch.result()
        #expect(result.status == 130)
        #expect(result.errors == "")
        #expect(try place.everything().map { $0.split(separator: " ")[0] } == ["home", "tree", "tree/a", "tree/d"])
    }

    @Test func `values and show answer without a daemon`() async throws {
        let place = try Place()
        try Change.directory(place.tree + "/d")
        try Change.directory(place.tree + "/d/deep")
        for name in ["a.txt", "d/b.txt", "d/deep/c.jpg"] { try Change.write("12", to: "\(place.tree)/\(name)") }
        try Change.symlink("d", place.tree + "/way")
        try Change.symlink("nowhere", place.tree + "/d/link")
        let before = try place.everything()
        let values = await place.gather("values", "fileExtension", "kind == 'file'", "--embedded", "--in", place.tree)
        #expect(values.text == "2\ttxt\n1\tjpg\n", "\(values.errors)")

        let owner = getuid() == 0 ? "root" : NSUserName()
        let one = await place.gather("show", place.tree + "/d/b.txt", "--embedded")
        #expect(one.status == 0 && one.errors == "", "\(one.errors)")
        for line in [
            #"name                   = "b.txt""#, "size                   = 2", "depth                  = 1",
            "path                   = \"\(place.tree)/d/b.txt\"", "owner                  = \"\(owner)\"",
        ] { #expect(one.lines.contains(line), "\(line): \(one.text)") }
        // Directories that lie in each other, one after the other and the first again; by symlinks; not what they lead to.
        let several = await place.gather(
            "show", "--embedded", "--attributes", "name,depth", place.tree + "/a.txt", place.tree + "/d/deep/c.jpg",
            place.tree + "/way/link", place.tree + "/way", place.tree + "/d/")
        let names = ["a.txt", "c.jpg", "link", "way", "d"]
        #expect(
            several.text == names.map { "name  = \"\($0)\"\ndepth = 1\n" }.joined(separator: "\n"), "\(several.errors)")
        // With --in it is read whole.
        let whole = await place.gather(
            "--embedded", "show", "--in", place.tree, "--json", "--attributes", "name,depth",
            place.tree + "/way/deep/c.jpg"
        )
        #expect(whole.text.hasSuffix(",\"name\":\"c.jpg\",\"depth\":3}\n"), "\(whole.errors)")

        let missing = await place.gather(
            "show", place.tree + "/there", place.tree + "/a.txt", "--embedded", "--attributes", "name")
        #expect(missing.status == 1)
        #expect(missing.text == "name = \"a.txt\"\n")
        #expect(missing.errors.contains("\(place.tree)/there: No such file or directory"), "\(missing.errors)")
        let outside = await place.gather("show", place.tree + "/a.txt", "--embedded", "--in", place.tree + "/d")
        #expect(outside.status == 1)
        #expect(outside.errors.contains("lies outside of the directories of --in"), "\(outside.errors)")
        let own = await place.gather("show", place.tree, "--embedded", "--in", place.tree)
        #expect(own.status == 1)
        #expect(own.errors.contains("not an item in one; leave --in out"), "\(own.errors)")
        #expect(try place.everything() == before)

        for arguments in [
            ["--embedded", "--user"], ["--embedded", "--no-sync"], ["--in", place.tree],
            ["--embedded", "--in", place.tree + "/missing"], ["--embedded", "--in", "/etc/passwd"],
        ] {
            let wrong = await ChildProcess(
                .gather, ["show", place.tree + "/a.txt"] + arguments, environment: place.environment
            ).result()
            #expect(wrong.status == 64, "\(arguments): \(wrong.errors)")
            #expect(wrong.errors != "" && wrong.text == "", "\(arguments)")
        }
        #expect(await place.gather("show", "--embedded").status == 64)
    }

    /// Each directory takes an engine of its own, which is gone before the next: of all that the kernel gives to one user,
    /// no more than one is ever taken.
    @Test func `show reads any number of directories`() async throws {
        let place = try Place()
        let paths = (0..<150).map { "\(place.tree)/d\($0)/file" }
        for number in 0..<150 {
            try Change.directory("\(place.tree)/d\(number)")
            try Change.write("", to: paths[number])
        }
        let result = await ChildProcess(
            .gather, ["show", "--embedded", "--json", "--attributes", "path"] + paths, environment: place.environment
        ).result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.map { $0.split(separator: "\"")[7] } == paths.map { $0[...] })
    }

    @Test func `A reader that goes away ends the command quietly`() async throws {
        let place = try Place()
        for file in 0..<3_000 { try Change.write("", to: "\(place.tree)/a-rather-long-name-\(file)") }
        for command in ["find", "watch"] {
            let result = await ChildProcess(
                .gather, [command, "", "--embedded", "--in", place.tree], environment: place.environment,
                closesOutput: true
            ).result()
            #expect(result.status == 0, "\(command): \(result.errors)")
            #expect(result.errors == "", "\(command)")
        }
    }

    @Test func `A wrong predicate is 2, with the command that was probably meant`() async throws {
        let place = try Place()
        for command in ["find", "watch", "count"] {
            let wrong = await place.gather(command, "/srv", "--embedded", "--in", place.tree)
            #expect(wrong.status == 2, "\(command)")
            #expect(
                wrong.errors.contains("gather \(command) --embedded --in \(place.tree) \"\" --in /srv"),
                "\(wrong.errors)")
        }
    }

    @Test func `Arguments that are wrong are 64`() async throws {
        let place = try Place()
        for command in ["find", "watch", "count"] {
            for arguments in [
                [], ["--in", place.tree, "--user"], ["--in", place.tree, "--system"],
                ["--in", place.tree, "--socket", "/tmp/socket"], ["--in", place.tree, "--container", "box"],
                ["--in", place.tree + "/missing"], ["--in", "/etc/passwd"], ["--scope", "documents"],
            ] {
                let result = await ChildProcess(
                    .gather, [command, "", "--embedded"] + arguments, environment: place.environment
                ).result()
                #expect(result.status == 64, "\(command) \(arguments): \(result.errors)")
                #expect(result.errors != "" && result.text == "", "\(command) \(arguments)")
            }
        }
        for command in ["find", "count"] {
            #expect(await place.gather(command, "", "--embedded", "--in", place.tree, "--no-sync").status == 64)
        }
        #expect(await place.gather("status", "--embedded").status == 64)
    }

    /// Root may read everything, so there is nothing to be told then.
    @Test(.enabled(if: getuid() != 0)) func `Directories that cannot be read are reported`() async throws {
        let place = try Place()
        try Change.directory(place.tree + "/closed")
        try Change.chmod(place.tree + "/closed", 0)
        let found = await place.gather("find", "", "--embedded", "--in", place.tree)
        #expect(found.lines == ["\(place.tree)/closed"])
        #expect(found.errors.contains("the directory \(place.tree)/closed cannot be read: Permission denied"))
        let root = await place.gather("find", "", "--embedded", "--in", place.tree + "/closed")
        #expect(root.status == 64)
        try Change.chmod(place.tree + "/closed", 0o755)
    }
}

// gather conflicts on the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import TestSupport
import Testing

struct ConflictsCommandTests {
    private static let names = (1...3).map { "note.sync-conflict-2026010\($0)-000000-ABCDEFG.txt" }

    /// A container with `note.txt` ("current") and versions of it ("version 1" to "version 3"), each newer than the former. The
    /// second is newer than the file itself.
    private func daemon() async throws -> TestDaemon {
        try await TestDaemon { box in
            func write(_ text: String, _ name: String, _ time: Int) throws {
                try Data(text.utf8).write(to: URL(filePath: box + "/" + name))
                var times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
                #expect(utimensat(AT_FDCWD, box + "/" + name, &times, 0) == 0)
            }
            try write("current", "note.txt", 1_500)
            for (index, name) in Self.names.enumerated() {
                try write("version \(index + 1)", name, 1_000 * (index + 1))
            }
            try write("other", "other.txt", 1_000)
        }
    }

    private func files(_ daemon: TestDaemon) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: daemon.box).filter { $0 != ".gather" }.sorted()
    }

    private func note(_ daemon: TestDaemon) throws -> String {
        try String(contentsOfFile: daemon.box + "/note.txt", encoding: .utf8)
    }

    /// The contents of all files in the trash.
    private func trash(_ daemon: TestDaemon) throws -> Set<String> {
        let root = daemon.box + "/.gather/trash"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return Set(paths.compactMap { try? String(contentsOfFile: root + "/" + $0, encoding: .utf8) })
    }

    @Test func versionsAndTheirFilesAreListed() async throws {
        let daemon = try await daemon()
        let list = await daemon.gather("conflicts")
        #expect(list.status == 0, "\(list.errors)")
        #expect(list.lines == Self.names.map { daemon.box + "/" + $0 })
        #expect(
            await daemon.gather("conflicts", "--originals", "--container", "box").lines == [daemon.box + "/note.txt"])
        let json = await daemon.gather("conflicts", "list", "--json", "--in", daemon.box)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(json.lines[0].utf8)) as? [String: Any])
        #expect(object["path"] as? String == daemon.box + "/" + Self.names[0])
        #expect(object["conflictOf"] as? String == daemon.box + "/note.txt")
        #expect(object["conflictDevice"] as? String == "ABCDEFG")
        #expect(object["size"] as? Int == 9)
        let embedded = await ChildProcess(.gather, ["conflicts", "--embedded", "--in", daemon.box, "-0"]).result()
        #expect(embedded.text == Self.names.map { daemon.box + "/" + $0 + "\0" }.joined())
    }

    @Test func conflictsAreWatched() async throws {
        let daemon = try await daemon()
        let watch = ChildProcess(.gather, ["conflicts", "--watch", "--socket", daemon.socket.path])
        var first: Set<String?> = []
        for _ in Self.names { first.insert(await watch.nextLine()) }
        #expect(first == Set(Self.names.map { "  " + daemon.box + "/" + $0 }))
        unlink(daemon.box + "/" + Self.names[1])
        #expect(await watch.nextLine() == "- " + daemon.box + "/" + Self.names[1])
        try Data("x".utf8).write(to: URL(filePath: daemon.box + "/other.sync-conflict-20260101-000000-ABCDEFG.txt"))
        #expect(await watch.nextLine() == "+ " + daemon.box + "/other.sync-conflict-20260101-000000-ABCDEFG.txt")
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }

    @Test func theCurrentVersionIsKept() async throws {
        let daemon = try await daemon()
        let result = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--keep", "current")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text == "\(daemon.box)/note.txt is resolved\n")
        #expect(try files(daemon) == ["note.txt", "other.txt"])
        #expect(try note(daemon) == "current")
        #expect(try trash(daemon) == ["version 1", "version 2", "version 3"])
        #expect(await daemon.gather("conflicts").text == "")
        let again = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--keep", "current")
        #expect(again.status == 1)
        #expect(again.errors.contains("has no versions in conflict"))
    }

    @Test(arguments: [
        ("newest", "version 3"), ("1", "version 3"), ("3", "version 1"),
        ("note.sync-conflict-20260102-000000-ABCDEFG.txt", "version 2"),
    ])
    func aVersionIsKept(keep: String, text: String) async throws {
        let daemon = try await daemon()
        let before = try await daemon.client.find("name == 'note.txt'").items.map(\.id)
        // By the path of a version.
        let result = await daemon.gather("conflicts", "resolve", daemon.box + "/" + Self.names[0], "--keep", keep)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try note(daemon) == text)
        #expect(try files(daemon) == ["note.txt", "other.txt"])
        #expect(try trash(daemon) == Set(["current", "version 1", "version 2", "version 3"]).subtracting([text]))
        #expect(try await daemon.client.find("name == 'note.txt'").items.map(\.id) == before)
    }

    @Test func withoutACurrentFileNoVersionIsDropped() async throws {
        let daemon = try await daemon()
        unlink(daemon.box + "/note.txt")
        let path = daemon.box + "/note.txt"
        let result = await daemon.gather("conflicts", "resolve", path, "--keep", "current", "--delete")
        #expect(result.status == 1)
        #expect(result.errors.contains("does not exist; keep one of its versions"))
        #expect(await daemon.gather("conflicts").lines.count == 3)
        #expect(await daemon.gather("conflicts", "resolve", path, "--keep", "newest").status == 0)
        #expect(try note(daemon) == "version 3")
    }

    @Test func versionsWithoutADeviceAreResolved() async throws {
        let daemon = try await daemon()
        let names = ["other.sync-conflict-20260101-000000-.txt", "other.sync-conflict-20260102-000000.txt"]
        for name in names { try Data(name.utf8).write(to: URL(filePath: daemon.box + "/" + name)) }
        let list = await daemon.gather("conflicts", "--json").lines.filter { $0.contains("/other.") }
        #expect(list.count == 2 && !list.joined().contains("conflictDevice"), "\(list)")
        let path = daemon.box + "/other.txt"
        let result = await daemon.gather("conflicts", "resolve", path, "--keep", names[1])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == names[1])
        #expect(try trash(daemon) == ["other", names[0]])
    }

    @Test func versionsOfADirectoryAreKeptAsFiles() async throws {
        let daemon = try await daemon()
        let path = daemon.box + "/note.txt"
        unlink(path)
        mkdir(path, 0o755)
        #expect(await daemon.gather("conflicts").lines.count == 3)
        for choice in ["current", "newest", "2"] {
            let refused = await daemon.gather("conflicts", "resolve", path, "--keep", choice)
            #expect(refused.status == 1 && refused.errors.contains("--keep both keeps its versions"), "\(refused)")
        }
        let merged = await daemon.gather("conflicts", "resolve", path, "--tool", "false")
        #expect(merged.status == 1 && merged.errors.contains("--keep both keeps its versions"), "\(merged)")
        let result = await daemon.gather("conflicts", "resolve", path, "--keep", "both")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try files(daemon)
                == (1...3).map { "note (2026-01-0\($0) 00.00.00 ABCDEFG).txt" } + ["note.txt", "other.txt"])
        #expect(await daemon.gather("conflicts").text == "")
    }

    @Test func aVersionOfAVersionIsOneOfTheFile() async throws {
        let daemon = try await daemon()
        let second = "other.sync-conflict-20260101-000000-ABCDEFG.sync-conflict-20260102-000000-ABCDEFG.txt"
        try Data("second".utf8).write(to: URL(filePath: daemon.box + "/" + second))
        let other = daemon.box + "/other.txt"
        let listed = await daemon.gather("conflicts", "--originals")
        #expect(listed.lines == [daemon.box + "/note.txt", other], "\(listed)")
        let result = await daemon.gather("conflicts", "resolve", other, "--keep", "newest")
        #expect(result.status == 0 && result.text == other + " is resolved\n", "\(result)")
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "second")
        #expect(await daemon.gather("conflicts", "--originals").lines == [daemon.box + "/note.txt"])
    }

    /// Only a regular file outside of archives is a version. The rule of the list and that of the resolution are one.
    @Test func entriesThatAreNoVersionsAreNotListed() async throws {
        let daemon = try await daemon()
        for name in Self.names { unlink(daemon.box + "/" + name) }
        let copy = "other.sync-conflict-20261125-003609-KIHKRYN"
        mkdir(daemon.box + "/" + copy + ".txt", 0o755)
        symlink("other.txt", daemon.box + "/" + copy + ".link")
        mkfifo(daemon.box + "/" + copy + ".fifo", 0o644)
        try Data().write(to: URL(filePath: daemon.box + "/other.sync-conflict-20260231-003609-KIHKRYN.txt"))
        let archives = [".stversions", "sub/.stversions/deep", ".gather/trash/now"]
        for archive in archives {
            try FileManager.default.createDirectory(
                atPath: daemon.box + "/" + archive, withIntermediateDirectories: true)
            for name in ["a.txt", "a.sync-conflict-20261125-003609-KIHKRYN.txt"] {
                try Data(name.utf8).write(to: URL(filePath: daemon.box + "/\(archive)/\(name)"))
            }
        }
        #expect(await daemon.gather("conflicts").text == "")
        #expect(await daemon.gather("conflicts", "--originals").text == "")
        #expect(await daemon.gather("find", "hasUnresolvedConflicts == TRUE").text == "")
        for archive in archives {
            let place = daemon.box + "/" + archive
            #expect(await daemon.gather("conflicts", "--in", place).text == "")
            let resolved = await daemon.gather("conflicts", "resolve", place + "/a.txt", "--keep", "newest")
            #expect(resolved.status == 1 && resolved.errors.contains("has no versions in conflict"), "\(resolved)")
            #expect(try String(contentsOfFile: place + "/a.txt", encoding: .utf8) == "a.txt")
        }
        let other = await daemon.gather("conflicts", "resolve", daemon.box + "/other.txt", "--keep", "current")
        #expect(other.status == 1 && other.errors.contains("has no versions in conflict"), "\(other)")
    }

    @Test func theCurrentVersionMayBeTheNewest() async throws {
        let daemon = try await daemon()
        try Data("newer".utf8).write(to: URL(filePath: daemon.box + "/note.txt"))
        let result = await daemon.gather(
            "conflicts", "resolve", daemon.box + "/note.txt", "--keep", "newest", "--delete")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try note(daemon) == "newer")
        #expect(try files(daemon) == ["note.txt", "other.txt"])
        #expect(try trash(daemon) == [])
    }

    @Test func theNewestIsFoundAmongEqualVersions() async throws {
        let daemon = try await daemon()
        // The third version has the contents of the first, and both count as one.
        let path = daemon.box + "/" + Self.names[2]
        try Data("version 1".utf8).write(to: URL(filePath: path))
        let result = await daemon.gather("conflicts", "resolve", path, "--keep", "newest")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try note(daemon) == "version 1")
        #expect(try trash(daemon) == ["current", "version 1", "version 2"])
    }

    @Test func allVersionsAreKeptAsFiles() async throws {
        let daemon = try await daemon()
        let result = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--keep", "both")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try files(daemon)
                == (1...3).map { "note (2026-01-0\($0) 00.00.00 ABCDEFG).txt" } + ["note.txt", "other.txt"])
        #expect(await daemon.gather("conflicts").text == "")
    }

    @Test func identicalVersionsAreDropped() async throws {
        let daemon = try await daemon()
        try Data("current".utf8).write(to: URL(filePath: daemon.box + "/" + Self.names[0]))
        let result = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--identical")
        #expect(result.text == "\(daemon.box)/note.txt: 1 identical version dropped\n")
        #expect(await daemon.gather("conflicts").lines.count == 2)
    }

    @Test func aMergeToolResolvesWhatItMerged() async throws {
        let daemon = try await daemon()
        let tool = daemon.directory + "/tool"
        // Appends the versions to the file: the first argument, or the second of three.
        try Data(
            """
            #!/bin/sh
            if [ $# = 3 ]; then cat "$1" "$3" >> "$2"; else cat "$2" >> "$1"; fi
            """.utf8
        ).write(to: URL(filePath: tool))
        chmod(tool, 0o755)
        let unchanged = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--tool", "true")
        #expect(unchanged.status == 1)
        #expect(unchanged.errors.contains("still in conflict: the tool did not change it"))
        let failed = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--tool", "false")
        #expect(failed.errors.contains("still in conflict: the tool ended with status 1"))
        let missing = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--tool", "/none")
        #expect(missing.status == 127, "\(missing.errors)")
        #expect(await daemon.gather("conflicts").lines.count == 3)
        let merged = await daemon.gather("conflicts", "resolve", daemon.box + "/note.txt", "--tool", tool, "--three")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(merged.text == "\(daemon.box)/note.txt is resolved\n")
        #expect(try note(daemon) == "currentversion 3version 2version 1")
        #expect(try files(daemon) == ["note.txt", "other.txt"])
        #expect(try trash(daemon) == ["current", "currentversion 3version 2", "version 1", "version 2", "version 3"])
    }

    /// meld(1) ends with status 0 whatever its user did.
    @Test(
        arguments: [
            (#"touch "$1"; chmod 600 "$1""#, "the tool did not change it", nil),
            (#"cp "$1" "$1.new"; mv "$1.new" "$1""#, "the tool did not change it", nil),
            (#": > "$1""#, "the tool left it empty", nil), (#"rm "$1""#, "the tool removed it", nil),
            (#": > "$1"; exit 1"#, "the tool ended with status 1", nil),
            (#"rm "$1" "$2"; kill -9 $$"#, "the tool ended with status 137", nil),
            (#"cat "$2" >> "$1"; exit 3"#, "the tool ended with status 3", "currentversion 3"),
            (#"printf half > "$1"; exit 3"#, "the tool ended with status 3", "half"),
            (#"printf merged > "$1"; : > "$2""#, "the tool changed a version, too", "merged"),
            (#"printf merged > "$1"; rm "$2""#, "the tool changed a version, too", "merged"),
            (#"printf merged > "$1"; printf mine >> "$2""#, "the tool changed a version, too", "merged"),
        ] as [(String, String, String?)])
    func aToolThatMergedNothingChangesNothing(script: String, reason: String, text: String?) async throws {
        let daemon = try await daemon()
        let tool = daemon.directory + "/tool"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: tool))
        chmod(tool, 0o755)
        let temporary = daemon.directory + "/temporary"
        mkdir(temporary, 0o700)
        let path = daemon.box + "/note.txt"
        let (before, stamp) = (try files(daemon), try FileVersion.current(of: FilePath(path)))
        let result = await ChildProcess(
            .gather, ["conflicts", "resolve", path, "--tool", tool, "--delete", "--socket", daemon.socket.path],
            environment: ["TMPDIR": temporary]
        ).result()
        #expect(result.status != 0, "\(result.errors)")
        #expect(result.errors.hasPrefix("gather: \(path) is still in conflict: \(reason)"), "\(result.errors)")
        #expect(result.text == "")
        #expect(try files(daemon) == before)
        #expect(try FileVersion.current(of: FilePath(path)) == stamp)
        let versions = try FileVersion.conflicts(of: FilePath(path))
        #expect(
            try versions.map { String(decoding: try $0.contents(), as: UTF8.self) }
                == (1...3).reversed().map { "version \($0)" })
        // The text of the tool is there, and nothing else is left.
        let left = try FileManager.default.contentsOfDirectory(atPath: temporary)
        #expect(left.count == (text == nil ? 0 : 1))
        guard let text, let directory = left.first else { return }
        #expect(result.errors.contains("Its text is in \(temporary)/\(directory)\n"), "\(result.errors)")
        #expect(try String(contentsOfFile: "\(temporary)/\(directory)/note.txt", encoding: .utf8) == text)
    }

    @Test func theFileBeforeAMergeIsInTheTrash() async throws {
        let daemon = try await daemon()
        let tool = daemon.directory + "/tool"
        try Data("#!/bin/sh\nprintf +merged >> \"$1\"\n".utf8).write(to: URL(filePath: tool))
        chmod(tool, 0o755)
        let path = daemon.box + "/note.txt"
        chmod(path, 0o640)
        let result = await daemon.gather("conflicts", "resolve", path, "--tool", tool)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try note(daemon) == "current+merged+merged+merged")
        #expect(
            try trash(daemon) == [
                "current", "current+merged", "current+merged+merged", "version 1", "version 2", "version 3",
            ])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }

    /// While the tool is open, another program saves the file.
    @Test func aFileThatOthersSaveMeanwhileIsNotReplaced() async throws {
        let daemon = try await daemon()
        let path = daemon.box + "/note.txt"
        let tool = daemon.directory + "/tool"
        try Data("#!/bin/sh\nprintf merged > \"$1\"; printf another > '\(path)'\n".utf8).write(to: URL(filePath: tool))
        chmod(tool, 0o755)
        let result = await daemon.gather("conflicts", "resolve", path, "--tool", tool)
        #expect(result.status == 1 && result.errors.contains("has changed since it was listed"), "\(result.errors)")
        #expect(try note(daemon) == "another")
        #expect(try FileVersion.conflicts(of: FilePath(path)).count == 3)
        let left = try #require(result.errors.firstMatch(of: /Its text is in (.+)\n/)).1
        #expect(try String(contentsOfFile: "\(left)/note.txt", encoding: .utf8) == "merged")
        try FileManager.default.removeItem(atPath: String(left))
    }

    @Test func resolutionsThatCannotBeDoneAreErrors() async throws {
        let daemon = try await daemon()
        let path = daemon.box + "/note.txt"
        let noChoice = await daemon.gather("conflicts", "resolve", path)
        #expect(noChoice.status == 64)
        #expect(noChoice.errors.contains("--keep current|newest|both|NUMBER"))
        let wrong = await daemon.gather("conflicts", "resolve", path, "--keep", "4")
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("has no version '4'"))
        #expect(await daemon.gather("conflicts", "resolve", path, "--keep", "1", "--identical").status == 64)
        #expect(await daemon.gather("conflicts", "resolve", daemon.box + "/none.txt", "--keep", "1").status == 1)
        // One file that fails does not stop the others.
        let two = await daemon.gather("conflicts", "resolve", daemon.box + "/none.txt", path, "--keep", "current")
        #expect(two.status == 1)
        #expect(two.text.contains("note.txt is resolved"))
        // Outside of containers there is no trash.
        let outside = daemon.directory + "/a"
        for name in [outside, outside + ".sync-conflict-20260101-000000-ABCDEFG"] {
            try Data(name.utf8).write(to: URL(filePath: name))
        }
        // Nothing is changed where a version could not be dropped.
        #expect(await daemon.gather("conflicts", "resolve", outside, "--keep", "1").status == 1)
        #expect(try String(contentsOfFile: outside, encoding: .utf8) == outside)
        let noTrash = await daemon.gather("conflicts", "resolve", outside, "--keep", "current")
        #expect(noTrash.status == 1)
        #expect(noTrash.errors.contains("is in no container, so it has no trash; use --delete"))
        #expect(await daemon.gather("conflicts", "resolve", outside, "--keep", "current", "--delete").status == 0)
    }
}

// A save replaces none of these: a file without write permission, a symbolic link, and other names of a file.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import TestSupport
import Testing

struct SaveAccessTests {
    private static let setpriv = "/usr/bin/setpriv"
    /// Whether a program can be run for which the modes of files count, which they do not for root's capabilities.
    private static var canObeyModes: Bool { geteuid() != 0 || access(setpriv, X_OK) == 0 }

    private func obeyingModes(_ product: Product, _ arguments: [String]) async -> ChildProcess.Result {
        guard geteuid() == 0 else { return await ChildProcess(product, arguments).result() }
        return await ChildProcess(
            path: Self.setpriv, ["--bounding-set=-all", "--inh-caps=-all", product.path] + arguments
        ).result()
    }

    private func inode(_ path: String) throws -> ino_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_ino
    }

    @Test(.enabled(if: canObeyModes)) func aFileWithoutWritePermissionStays() async throws {
        let daemon = try await TestDaemon()
        let (document, log) = (daemon.box + "/note.txt", daemon.directory + "/log")
        let contents = "first\n" + String(repeating: ".", count: 5_000) + "\n"
        let version = daemon.box + "/note.sync-conflict-20260101-000000-ABCDEFG.txt"
        try Change.write(contents, to: document)
        try Change.write("version", to: version)
        try Change.chmod(document, 0o444)
        let before = try inode(document)

        let saved = await obeyingModes(.saver, [document, log, "me", "1"])
        #expect(saved.status != 0 && saved.errors.contains("this user may not write to it"), "\(saved.errors)")
        #expect(!(try String(contentsOfFile: log, encoding: .utf8)).contains("saved"))
        let resolved = await obeyingModes(
            .gather, ["conflicts", "resolve", document, "--keep", "1", "--delete", "--socket", daemon.socket.path])
        #expect(resolved.status == 1)
        #expect(resolved.errors.contains("this user may not write to it"), "\(resolved.errors)")
        #expect(try String(contentsOfFile: version, encoding: .utf8) == "version")
        let metrics = await obeyingModes(
            .gather, ["metrics", "--output", document, "--socket", daemon.socket.path])
        #expect(metrics.status == 1)
        #expect(metrics.errors == "gather: \(document): Permission denied\n")

        #expect(try String(contentsOfFile: document, encoding: .utf8) == contents)
        #expect(try inode(document) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: daemon.box).count == 2)
        // With the permission, all three replace it.
        try Change.chmod(document, 0o644)
        #expect(await obeyingModes(.saver, [document, log, "me", "1"]).status == 0)
        #expect(try inode(document) != before)
    }

    @Test func aSymbolicLinkStaysOne() async throws {
        let daemon = try await TestDaemon()
        let (link, target) = (daemon.box + "/link", daemon.box + "/target")
        try Change.write("first\n" + String(repeating: ".", count: 5_000) + "\n", to: target)
        try Change.symlink("target", link)
        let version = daemon.box + "/link.sync-conflict-20260101-000000-ABCDEFG"
        try Change.write("version", to: version)
        let contents = try String(contentsOfFile: target, encoding: .utf8)
        let saved = await ChildProcess(.saver, [link, daemon.directory + "/log", "me", "1"]).result()
        #expect(saved.status != 0)
        let resolved = await daemon.gather("conflicts", "resolve", link, "--keep", "1", "--delete")
        #expect(resolved.status == 1, "\(resolved.errors)")
        #expect(try String(contentsOfFile: version, encoding: .utf8) == "version")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target")
        #expect(try String(contentsOfFile: target, encoding: .utf8) == contents)
        // A link is where collectors look for metrics, so its target is replaced.
        #expect(await daemon.gather("metrics", "--output", link).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target")
        #expect(try String(contentsOfFile: target, encoding: .utf8) != contents)
    }

    @Test func hardLinksSplit() async throws {
        let daemon = try await TestDaemon()
        let (document, other) = (daemon.box + "/note.txt", daemon.box + "/other.txt")
        try Change.write("first\n" + String(repeating: ".", count: 5_000) + "\n", to: document)
        try Change.link(document, other)
        #expect(await ChildProcess(.saver, [document, daemon.directory + "/log", "me", "1"]).result().status == 0)
        #expect(try String(contentsOfFile: document, encoding: .utf8).hasPrefix("me-0\n"))
        #expect(try String(contentsOfFile: other, encoding: .utf8).hasPrefix("first\n"))
        #expect(try inode(document) != inode(other))
    }
}

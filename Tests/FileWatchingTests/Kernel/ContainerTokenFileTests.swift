// The file of a container's mark, as the kernel shows it.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@Suite struct ContainerTokenFileTests {
    private static let token = ContainerToken.random()
    private let directory = TemporaryDirectory()

    private func read(known: ContainerTokenFile? = nil) throws -> ContainerTokenFile {
        let kernel = try LinuxKernel()
        let opened = try kernel.openDirectory(at: directory.path, access: .path)
        defer { kernel.close(opened) }
        return try kernel.containerToken(in: opened, known: known)
    }

    private func make(_ kind: String) {
        let (folder, file) = (directory.url(".gather"), directory.url(".gather/container"))
        if kind == "a file for the folder" { return directory.write(".gather", Self.token.text) }
        if kind == "a link for the folder" {
            directory.makeDirectory("elsewhere")
            directory.write("elsewhere/container", Self.token.text)
            symlink("elsewhere", folder)
            return
        }
        directory.makeDirectory(".gather")
        switch kind {
        case "a file": directory.write(".gather/container", Self.token.text + "\n")
        case "a longer file": directory.write(".gather/container", Self.token.text + "\nmore\n")
        case "half a file": directory.write(".gather/container", String(Self.token.text.dropLast()))
        case "an empty file": directory.write(".gather/container", "")
        case "a directory": directory.makeDirectory(".gather/container")
        case "a FIFO": mkfifo(file, 0o600)
        case "a link":
            directory.write("elsewhere", Self.token.text)
            symlink("../elsewhere", file)
        default: break
        }
    }

    @Test(arguments: ["a file", "a longer file"]) func aMarkIsRead(kind: String) throws {
        make(kind)
        let file = try read()
        #expect(file.finding == .token(Self.token))
        // It is read again only if it has changed.
        let other = ContainerTokenFile(.none, file.status)
        #expect(try read(known: other) == other)
        directory.write(".gather/container", ContainerToken.random().text)
        #expect(try read(known: file).finding != file.finding)
    }

    @Test(arguments: [
        "an empty folder", "half a file", "an empty file", "a directory", "a FIFO", "a link", "a link for the folder",
        "a file for the folder",
    ]) func somethingElseIsNoMark(kind: String) throws {
        make(kind)
        #expect(try read().finding == .none)
    }

    @Test func anEmptyDirectoryHasNone() throws { #expect(try read().finding == .none) }

    @Test(.enabled(if: geteuid() != 0, "an ordinary user"), arguments: [".gather", ".gather/container"])
    func aFileThatCannotBeReadIsNoMissingMark(_ name: String) throws {
        make("a file")
        directory.setMode(name, 0)
        defer { directory.setMode(name, 0o700) }
        #expect(try read().finding == .unreadable)
    }
}

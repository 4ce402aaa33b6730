// A container on another machine, at whose path this machine has other files.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import LinuxSystem
import Testing

@testable import GatherDocuments

struct RemoteContainerTests {
    private let disk: Scratch
    private let memory: ScratchDirectory

    init() throws {
        disk = try Scratch()
        memory = try ScratchDirectory()
    }

    @Test func filesOfAContainerOnAnotherMachineAreRefused() async throws {
        let reply = """
            {"parameters":{"container":{"identifier":"box","path":"\(memory.path)","state":"live","origin":"argument",\
            "items":0,"directories":1,"watches":1,"polled":0,"unreadable":0,"packages":[],"ignore":[],"clock":"k"}}}
            """
        // Plays ssh(1) to a machine whose daemon has that container.
        let program = ["/bin/sh", "-c", "head -c 1 > /dev/null; printf '%s\\0' '\(reply)'; exec cat > /dev/null"]
        let daemon = Daemon.on(try #require(RemoteHost("attic")), program: program)
        let container = try await Container(identifier: "box", daemon: daemon)
        let (outside, local) = (disk.path + "/a", try LocalContainer(identifier: "box", in: FilePath(disk.path)))
        try Data("1".utf8).write(to: URL(filePath: outside))
        try FileManager.default.createDirectory(
            atPath: local.data.string + "/Documents", withIntermediateDirectories: true)
        try Data("2".utf8).write(to: URL(filePath: memory.path + "/b"))
        let file = memory.path + "/b"
        let item = Trash.Item(
            path: FilePath(memory.path + "/.gather/trash/20261125-140509/b"), originalPath: FilePath(file))
        let calls: [() async throws -> Void] = [
            { _ = try container.folder(["Documents"]) }, { _ = try container.entries(of: .data) },
            { _ = try container.moveIn(FilePath(outside)) },
            { try container.moveOut(FilePath(file), to: FilePath(outside + "b")) },
            { _ = try container.trash.move(FilePath(file)) },
            { _ = try container.trash.keep([1], of: FilePath(file)) },
            { try container.trash.restore(item) }, { _ = try await local.move(into: container) },
            { _ = try await KeyValueStore(container: container) },
        ]
        for (number, call) in calls.enumerated() {
            do {
                try await call()
                Issue.record("call \(number) was not refused")
            } catch let error as DocumentError {
                #expect(error.code == .notFound && error.message.contains("'box' is on attic"), "\(number): \(error)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: memory.path) == ["b"])
        #expect(ContainerRoots.place(of: Array(file.utf8)) == nil)
        guard
            case .local(_, let reason) = try await ContainerPlace.current(
                "box", daemon: daemon, local: FilePath(disk.path))
        else {
            Issue.record("the directory of another machine counts as one of this")
            return
        }
        #expect(reason.contains("'box' is on attic"))
    }
}

// Calls that a mount's agent makes: in time, late, and never.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.needsRoot("a file system of FUSE", if: FuseServer.isAvailable))
struct MountAgentTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try Directory.make("mount", in: scratch.number, mode: 0o755)
    }

    private var point: String { scratch.path + "/mount" }

    @Test func answersAsTheCallsThemselves() throws {
        let server = try FuseServer(on: point, isSilent: false)
        defer { server.end() }
        let inotify = try Inotify()
        let agent = try MountAgent(inotify: inotify.number, limit: Patience.nanoseconds) {}
        #expect(try agent.status(of: point, in: nil).mode == 0o40750)
        let opened = try agent.open(point, access: .reading)
        #expect(try agent.status(of: "inside", in: opened).size == 5)
        #expect(throws: SystemError.noEntry) { _ = try agent.status(of: "none", in: opened) }
        #expect(try agent.addWatch(on: opened, mask: [.create]) > 0)
        #expect(try agent.fileSystemType(of: opened) == 0x6573_5546)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 8)
        defer { buffer.deallocate() }
        var names: [String] = []
        let count = try agent.entries(of: opened, into: buffer)
        Directory.forEachEntry(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
            names.append(String(decoding: $0, as: UTF8.self))
        }
        #expect(names == ["inside"])
        agent.close(opened)
        #expect(throws: SystemError(code: EBADF)) { _ = try agent.status(of: "inside", in: opened) }
    }

    @Test func aCallThatIsGivenUpIsAnsweredLate() async throws {
        let server = try FuseServer(on: point, isSilent: true)
        defer { server.end() }
        let answered = AsyncStream<Void>.makeStream()
        let agent = try MountAgent(inotify: nil, limit: 1_000_000) { answered.continuation.yield() }
        #expect(throws: SystemError.timedOut) { _ = try agent.status(of: point, in: nil) }
        try server.awaitRequest()
        #expect(agent.isUnanswered)
        // Not made at all: no second one waits behind the first.
        #expect(throws: SystemError.timedOut) { _ = try agent.status(of: point, in: nil) }
        #expect(agent.takeLateAnswer() == nil)
        try server.answer()
        for await _ in answered.stream { break }
        let answer = try #require(agent.takeLateAnswer())
        #expect(answer.status?.mode == 0o40750)
        #expect(answer.isOfPath)
        #expect(!agent.isUnanswered)
    }

    /// If it counted as news of the mount, the event loop would make the same slow call again at once.
    @Test func aLateAttributeIsNoNewsOfItsMount() async throws {
        let server = try FuseServer(on: point, isSilent: true)
        defer { server.end() }
        let answered = AsyncStream<Void>.makeStream()
        let agent = try MountAgent(inotify: nil, limit: 1_000_000) { answered.continuation.yield() }
        let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        #expect(throws: SystemError.timedOut) { _ = try agent.attribute("user.a", of: point, in: nil, into: none) }
        try server.awaitRequest()
        try server.answer()
        for await _ in answered.stream { break }
        let answer = try #require(agent.takeLateAnswer())
        #expect(answer.error != nil)
        #expect(!answer.isOfPath)
        #expect(answer.duration > 1_000_000)
    }

    @Test func pathsAreFollowedUpToASilentMount() throws {
        let server = try FuseServer(on: point, isSilent: true)
        defer { server.end() }
        try Entry.makeSymlink("link", in: scratch.number, to: "mount/./deep")
        let path = try #require(MountPaths.resolve(scratch.path))
        #expect(MountPaths.resolve(scratch.path + "/link/file") == path + "/mount/./deep/file")
        #expect(MountPaths.mountThatMayHang(scratch.path + "/link/file")?.text == path + "/mount")
        #expect(MountPaths.mountThatMayHang(scratch.path) == nil)
        #expect(MountPaths.isMountPoint(point))
        #expect(!MountPaths.isMountPoint(scratch.path))
        #expect(MountPaths.failure(at: point, within: 1_000_000)?.error == .timedOut)
        try server.answer()
        #expect(MountPaths.failure(at: point, within: Patience.nanoseconds) == nil)
    }
}

// Events and mounts wake the loop, and a machine without resources for one of them is told of.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import GatherService

struct EventSourceTests {
    @Test func eventsAreToldUntilTheEnd() async throws {
        let directory = try TemporaryDirectory()
        let loop = NIOSingletons.posixEventLoopGroup.any()
        let (told, ready) = AsyncStream.makeStream(of: Void.self)
        let source = try await loop.submit {
            let kernel = try LinuxKernel()
            let opened = try Directory.open(directory.path, access: .reading)
            _ = try kernel.addWatch(on: opened.number, mask: .create)
            let source = try EventSource(
                kernel, loop: loop, ready: { ready.yield() }, hasFailed: { Issue.record($0) })
            return NIOLoopBound(source, eventLoop: loop)
        }.get()
        try directory.makeDirectory("made")
        for await _ in told { break }
        try await loop.submit { source.value.close() }.get()
    }

    @Test func aMachineThatCannotWatchMountsIsToldOf() async throws {
        let loop = NIOSingletons.posixEventLoopGroup.any()
        let error = try await loop.submit {
            let source = try EventSource(
                try LinuxKernel(), loop: loop, ready: {}, hasFailed: { Issue.record($0) })
            defer { source.close() }
            return source.watchMounts(
                { _ throws(SystemError) in throw SystemError(code: EMFILE) }, wake: {})
        }.get()
        #expect(error == SystemError(code: EMFILE))
    }
}

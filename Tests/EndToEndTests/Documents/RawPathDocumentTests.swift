// A document whose path is not UTF-8, beside the real daemon.
// SPDX-License-Identifier: Apache-2.0

import GatherDocuments
import Glibc
import TestSupport
import Testing

struct RawPathDocumentTests {
    private struct Plain: DocumentContents {
        var bytes: [UInt8]
        init(bytes: [UInt8]) { self.bytes = bytes }
    }

    private func path(_ text: String, _ bytes: [UInt8]) -> FilePath {
        FilePath(platformString: (Array(text.utf8) + bytes).map { CChar(bitPattern: $0) } + [0])
    }

    @Test func aFileIsFollowedToAnotherNameThatIsNotText() async throws {
        let daemon = try await TestDaemon()
        let folder = path(daemon.box + "/", [0xFF])
        #expect(folder.withPlatformString { mkdir($0, 0o755) } == 0)
        let old = folder.appending("a.txt")
        let document = Document<Plain>(
            path: old,
            options: DocumentOptions(
                autosaveInterval: .seconds(3_600), daemonTimeout: Patience.duration, daemon: daemon.client.daemon))
        try await document.create(Plain(bytes: [0x30]))
        #expect(await document.following == .live)
        var changes = document.changes.makeAsyncIterator()
        let new = path(daemon.box + "/", [0xFE, 0x61])
        #expect(old.withPlatformString { old in new.withPlatformString { rename(old, $0) } } == 0)
        while let change = await changes.next(), change != .moved(path: new) {}
        try Task.checkCancellation()
        #expect(await document.path == new)
        try await document.edit { $0.bytes = [0x31] }
        try await document.close()
        #expect(try FileVersion.current(of: new)?.contents() == [0x31])
    }
}

// Files as only other file systems have them: numbers and names that Linux's own do not make.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import Metadata
import TestSupport
import Testing

@Suite(.needsRoot("a file system of FUSE", if: FuseServer.isAvailable))
struct ForeignFileSystemTests {
    /// Returns when the file of the mount was read: its server may answer after the daemon is ready.
    private func untilRead(_ daemon: TestDaemon, _ name: String) async throws {
        while try await daemon.client.count("name == '\(name)'").count == 0 { await Task.yield() }
    }

    private func object(_ result: ChildProcess.Result) throws -> [String: Any] {
        let line = try #require(result.lines.first, "\(result)")
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func inodeBeyondTheSignedNumbersIsShownFoundAndSorted() async throws {
        let inode: UInt64 = 18_446_744_073_709_551_614
        var server: FuseServer?
        let daemon = try await TestDaemon(containers: ["box", "other"]) { box in
            close(open(box + "/../other/f", O_CREAT | O_WRONLY, 0o644))
            server = try FuseServer(on: box, isSilent: false, inode: inode)
        }
        let mounted = try #require(server)
        defer { mounted.end() }
        let (file, inside) = (daemon.directory + "/other/f", daemon.box + "/inside")
        try await untilRead(daemon, "inside")
        for question in [
            "inode == 18446744073709551614", "inode > 9223372036854775808", "inode IN {1, 18446744073709551614}",
            "inode BETWEEN {9223372036854775808, 18446744073709551615}",
            "modulus:by:(inode, 2) == 0 AND inode > 18446744073709551613",
            "inode > -1 AND name == 'inside'", "inode != 18446744073709551615 AND name == 'inside'",
        ] {
            let found = await daemon.gather("find", question)
            #expect(found.lines == [inside], "\(question): \(found)")
            let embedded = await ChildProcess(.gather, ["find", "--embedded", "--in", daemon.box, question]).result()
            #expect(embedded.lines == [inside], "\(question): \(embedded)")
        }
        for question in ["inode < 0", "inode == -2", "inode > 18446744073709551614"] {
            #expect(await daemon.gather("find", question).lines == [], "\(question)")
        }
        let files = "kind == 'file'"
        #expect(await daemon.gather("find", files, "--sort", "inode").lines == [file, inside])
        #expect(await daemon.gather("find", files, "--sort", "-inode").lines == [inside, file])
        #expect(await daemon.gather("find", files, "--sort", "-inode", "--limit", "1").lines == [inside])

        let named = "name == 'inside'"
        #expect(await daemon.gather("find", named, "--attributes", "inode").lines == ["\(inode)"])
        #expect(await daemon.gather("values", "inode", named).lines == ["1\t\(inode)"])
        #expect(await daemon.gather("show", inside).lines.contains { $0.hasSuffix("= \(inode)") })
        for arguments in [["find", named, "--attributes", "inode"], ["show", inside, "--attributes", "inode"]] {
            let shown = await ChildProcess(.gather, arguments + ["--json", "--socket", daemon.socket.path]).result()
            #expect(try object(shown)["inode"] as? UInt64 == inode, "\(shown)")
        }
        #expect(try object(await daemon.gather("values", "inode", named, "--json"))["value"] as? UInt64 == inode)
        let item = try await daemon.client.find(named, attributes: [.inode]).items.first
        #expect(item?.inode == inode && item?.value(forAttribute: .inode) == .unsigned(inode))
    }

    @Test func nameLongerThanThoseOfLinuxIsAnItem() async throws {
        // 764 bytes, as NTFS and exFAT have for 384 characters that are no ASCII.
        let name = String(repeating: "\u{FC}", count: 380) + ".txt"
        var server: FuseServer?
        let daemon = try await TestDaemon { server = try FuseServer(on: $0, isSilent: false, name: name) }
        let mounted = try #require(server)
        defer { mounted.end() }
        let path = daemon.box + "/" + name
        func check() async throws -> MetadataItem.ID? {
            try await untilRead(daemon, name)
            for question in [
                "name == '\(name)'", "name ENDSWITH '\u{FC}.txt'", "name CONTAINS '\u{FC}.t'", "kind == 'file'",
            ] {
                let found = await daemon.gather("find", question)
                #expect(found.lines == [path], "\(question): \(found)")
            }
            let container = try #require(try await daemon.client.containers().first)
            #expect(container.unreadable == 0, "\(container)")
            return try await daemon.client.find("kind == 'file'", attributes: [.path]).items.first?.id
        }
        let identifier = try await check()
        let shown = await daemon.gather("show", path, "--attributes", "name", "--json")
        #expect(try object(shown)["name"] as? String == name)
        let embedded = await ChildProcess(.gather, ["find", "--embedded", "--in", daemon.box, "kind == 'file'"])
            .result()
        #expect(embedded.lines == [path], "\(embedded)")
        try await daemon.untilSaved()
        _ = await daemon.terminate()
        try await daemon.restart()
        #expect(try await check() == identifier)
    }
}

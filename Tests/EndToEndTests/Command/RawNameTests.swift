// Names that are not UTF-8, as arguments and in answers.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct RawNameTests {
    /// `in` and a byte that UTF-8 has nowhere.
    private static let raw = Array("in".utf8) + [0xFF]

    private func daemon() async throws -> TestDaemon {
        try await TestDaemon { box in
            let directory = Array(box.utf8) + [UInt8(ascii: "/")] + Self.raw
            for path in [directory, directory + Array("/d".utf8)] {
                path.withTerminated { #expect(mkdir($0, 0o755) == 0) }
            }
            for name in ["/f", "/d/g"] { (directory + Array(name.utf8)).withTerminated { _ = close(creat($0, 0o644)) } }
            mkdir(box + "/in\u{FFFD}", 0o755)
            close(creat(box + "/in\u{FFFD}/other", 0o644))
        }
    }

    /// Runs `gather` with arguments of the shell; `$RAW` is the directory.
    private func gather(_ words: String, _ daemon: TestDaemon) async -> ChildProcess.Result {
        await ChildProcess(
            path: "/bin/sh",
            ["-c", "cd '\(daemon.box)'; RAW=$(printf 'in\\377'); exec '\(Product.gather.path)' \(words)"],
            environment: ["GATHER_SOCKET": daemon.socket.path]
        ).result()
    }

    @Test func directoryOfAScopeIsBytes() async throws {
        let daemon = try await daemon()
        let below = Array(daemon.box.utf8) + [UInt8(ascii: "/")] + Self.raw
        func lines(_ names: [String]) -> [UInt8] { Array(names.map { below + Array("/\($0)\n".utf8) }.joined()) }
        for words in [
            "find \"kind == 'file'\" --in \"$RAW\" --sort name", "find \"kind == 'file'\" \"--in=$RAW\" --sort name",
            "find \"kind == 'file'\" --in \"$PWD/./$RAW//\" --sort name",
        ] {
            let found = await gather(words, daemon)
            #expect(found.status == 0 && found.output == lines(["f", "d/g"]), "\(words): \(found)")
        }
        let plain = await gather("find \"name == 'g'\" --in \"$RAW/d\"", daemon)
        #expect(plain.output == lines(["d/g"]), "\(plain)")
        #expect(await gather("count '' --in \"$RAW\"", daemon).text == "3\n")
        #expect(await gather("values kind '' --in \"$RAW\"", daemon).text == "2\tfile\n1\tdirectory\n")
        let json = await gather("find \"name == 'f'\" --in \"$RAW\" --json", daemon)
        let encoded = Data(below + Array("/f".utf8)).base64EncodedString()
        #expect(json.text.contains("\"rawPath\":\"\(encoded)\""), "\(json)")
        let shown = await gather("show \"$RAW/f\" --json", daemon)
        #expect(shown.text.contains("\"rawPath\":\"\(encoded)\""), "\(shown)")
        let items = try await daemon.client.find("name == 'g'", scopes: [.directory(FilePath(bytes: below))]).items
        #expect(items.map(\.filePath) == [FilePath(bytes: below + Array("/d/g".utf8))])
    }

    @Test func formerPathsAreBytes() async throws {
        let daemon = try await daemon()
        let old = Array(daemon.box.utf8) + [UInt8(ascii: "/")] + Self.raw
        // As text, both names are the same.
        let new = Array(old.dropLast()) + [0xFE]
        let clock = try #require(await daemon.gather("clock").lines.first)
        old.withTerminated { old in new.withTerminated { new in #expect(rename(old, new) == 0) } }
        func watch(_ options: String...) async -> ChildProcess.Result {
            await ChildProcess(
                .gather,
                ["watch", "name LIKE 'in?'", "--socket", daemon.socket.path, "--since", clock, "--once"] + options
            ).result()
        }
        let lines = await watch()
        #expect(lines.output == Array("~ ".utf8) + old + Array(" -> ".utf8) + new + [10], "\(lines)")
        let encoded = (old: Data(old).base64EncodedString(), new: Data(new).base64EncodedString())
        let json = await watch("--json")
        #expect(json.text.contains("\"rawPath\":\"\(encoded.new)\""), "\(json)")
        #expect(json.text.contains("\"rawPreviousPath\":\"\(encoded.old)\""), "\(json)")
        let executed = await watch("--exec", "sh", "-c", "printf %s \"$GATHER_PREVIOUS_PATH\"", ";")
        #expect(executed.output == old, "\(executed)")
    }

    @Test func originalsOfVersionsAreBytes() async throws {
        let name = Self.raw + Array(".sync-conflict-20260101-000000-ABCDEFG".utf8)
        let daemon = try await TestDaemon { box in
            for name in [Self.raw, name] {
                (Array("\(box)/".utf8) + name).withTerminated { _ = close(creat($0, 0o644)) }
            }
        }
        let below = Array("\(daemon.box)/".utf8)
        let encoded = Data(below + Self.raw).base64EncodedString()
        for result in [
            await daemon.gather("conflicts", "--json"),
            await daemon.gather("find", "isConflictVersion == TRUE", "--attributes", "conflictOf", "--json"),
        ] { #expect(result.text.contains("\"rawConflictOf\":\"\(encoded)\""), "\(result)") }
        let found = try await daemon.client.find("isConflictVersion == TRUE", attributes: [.conflictOf]).items
        #expect(found.map(\.conflictOfFilePath) == [FilePath(bytes: below + Self.raw)])
    }

    @Test func argumentsThatCannotBeServedAreNamed() async throws {
        let daemon = try await daemon()
        let gone = await gather("find '' --in \"${RAW}x\"", daemon)
        #expect(gone.status == 64 && gone.errors == "gather: in\\xffx: No such file or directory\n", "\(gone)")
        let predicate = await gather("find \"name == '$RAW'\"", daemon)
        #expect(predicate.status == 2 && predicate.errors.contains("the predicate is not UTF-8"), "\(predicate)")
        for words in ["container add raw \"$RAW\"", "find '' --embedded --in \"$RAW\""] {
            let refused = await gather(words, daemon)
            #expect(refused.status == 64 && refused.errors.contains("in\\xff: the path is not UTF-8"), "\(refused)")
        }
    }

    @Test(arguments: ["file:///box%", "file:///%2e%2e/box", "file://box", "file:///%00", "file:///nowhere%FF"])
    func wrongURIsAreNoScopes(_ uri: String) async throws {
        let daemon = try await daemon()
        let found = await daemon.gather("find", "", "--container", uri)
        #expect(found.status == 64, "\(found)")
    }
}

extension [UInt8] {
    fileprivate func withTerminated(_ body: (UnsafePointer<CChar>) -> Void) {
        let text = map { CChar(bitPattern: $0) } + [0]
        text.withUnsafeBufferPointer { if let start = $0.baseAddress { body(start) } }
    }
}

// Control characters in arguments and names, which steer a terminal that shows them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct ControlCharacterTests {
    /// It changes the title of a terminal and the colour of its text, the latter also with the C1 form.
    private static let hostile = "\u{1B}]0;X\u{7}\u{9B}31m\u{1B}[31m"

    private static func controls(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" }
    }

    private func check(_ product: Product, _ arguments: [String], _ daemon: TestDaemon) async {
        let result = await ChildProcess(
            product, arguments,
            environment: [
                "GATHER_SOCKET": daemon.socket.path, "HOME": daemon.directory, "XDG_RUNTIME_DIR": daemon.directory,
            ]
        ).result()
        #expect(Self.controls(result.text) == [] && Self.controls(result.errors) == [], "\(product) \(arguments)")
        #expect((result.text + result.errors).contains("]0;X"), "\(product) \(arguments): \(result)")
    }

    @Test func argumentsAreEscapedInAnswersAndErrors() async throws {
        let (daemon, hostile) = (try await TestDaemon(), Self.hostile)
        for arguments in [
            ["explain", "name == '\(hostile)'"], ["explain", "contentType == '\(hostile)'"],
            ["explain", "--analyze", "name MATCHES '.*\(hostile)'"], ["explain", "nmae == '\(hostile)'"], [hostile],
            ["find", "--\(hostile)"], ["find", "", "--sort", hostile], ["find", "", "--limit", hostile],
            ["find", "", "--in", hostile], ["find", "", "--container", hostile], ["find", "", "--attributes", hostile],
            ["find", "", "--socket", "/nowhere/\(hostile)"], ["show", hostile], ["show", "/", "--\(hostile)"],
            ["changes", "--since", hostile, ""], ["watch", "", "--timeout", hostile], ["clock", hostile],
            ["container", "rescan", hostile], ["conflicts", "resolve", hostile],
        ] {
            await check(.gather, arguments, daemon)
        }
        for arguments in [[hostile], ["list", "--\(hostile)"], ["list", "--container", hostile]] {
            await check(.grocery, arguments, daemon)
        }
    }

    @Test func argumentsAreEscapedInTheErrorsOfServices() async throws {
        let (daemon, hostile) = (try await TestDaemon(), Self.hostile)
        for product in [Product.gatherd, .helper] {
            for arguments in [
                ["--\(hostile)"], ["--log-level", hostile], ["--socket", "/proc/\(hostile)/socket"],
            ] {
                await check(product, arguments, daemon)
            }
        }
        await check(.gatherd, ["--config", "/nowhere/\(hostile)"], daemon)
        await check(.gatherd, ["--check-config", "--container", "\(hostile)=/nowhere"], daemon)
    }

    @Test(.enabled(if: access("/usr/bin/script", X_OK) == 0)) func namesAreEscapedOnATerminalInEachForm() async throws {
        let daemon = try await TestDaemon { try Change.write("", to: $0 + "/" + Self.hostile) }
        for arguments in ["", "-0", "--attributes name,path", "--json --attributes name", "--sort name --limit 1"] {
            let question = "find '' --socket \(daemon.socket.path) \(arguments)"
            let shown = await ChildProcess(
                path: "/usr/bin/script", ["-qec", "'\(Product.gather.path)' \(question)", "/dev/null"],
                environment: ["TERM": "xterm", "NO_COLOR": "1"], input: nil
            ).result()
            // A terminal ends each line with two characters, and `-0` ends names with NUL.
            let text = shown.text.filter { $0 != "\r\n" && $0 != "\0" }
            #expect(Self.controls(text) == [] && text.contains("]0;X"), "\(arguments): \(shown)")
        }
    }
}

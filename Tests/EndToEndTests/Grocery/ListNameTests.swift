// Names of new lists that other devices can hold.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import TestSupport
import Testing

struct ListNameTests {
    @Test func aListThatATelephoneCouldNotHoldIsNotMade() async throws {
        let daemon = try await TestDaemon()
        let documents = daemon.box + "/Documents"
        func grocery(_ arguments: String...) async -> ChildProcess.Result {
            await ChildProcess(
                .grocery, arguments + ["--socket", daemon.socket.path, "--container", "box"],
                environment: ["HOME": daemon.directory]
            ).result()
        }
        #expect(await grocery("add", "--list", "Fête", "Milk").status == 0)
        let refusals = [
            ("a:b?", "':' or '?'"), ("a\\b", "'\\'"), ("Party.", "dot or a blank"), ("Party ", "dot or a blank"),
            ("aux.x", "Windows"), ("FÊTE", "'Fête' is there"), ("fe\u{302}te", "'Fête' is there"),
        ]
        for (name, reason) in refusals {
            let refused = await grocery("add", "--list", name, "Milk")
            #expect(refused.status == 64 && refused.errors.contains(reason), "\(name): \(refused)")
            let converted = await grocery("convert", "--list", "Fête", "--to-package", name)
            let isAnotherCase = reason.hasPrefix("'Fête'")
            #expect((converted.status == 0) == isAnotherCase, "\(name): \(converted)")
            if isAnotherCase {
                #expect(await grocery("convert", "--list", name, "--to-folder", "Fête").status == 0)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: documents) == ["Fête"])
        // One that is there goes on.
        try Change.directory(documents + "/a:b?")
        #expect(await grocery("add", "--list", "a:b?", "Milk").status == 0)
        for name in ["Äpfel & Birnen", "Party 2.0", "console", "日用品"] {
            #expect(await grocery("add", "--list", name, "Milk").status == 0)
        }
    }
}

// A daemon with a list, for tests that edit, undo and resolve.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import TestSupport
import Testing

/// A daemon, and a home directory for the undo log of the user.
struct EditingWorld {
    /// The beginning of a PNG file, as far as the commands look at it.
    static let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

    let daemon: TestDaemon
    let documents: String

    init() async throws {
        daemon = try await TestDaemon()
        documents = daemon.box + "/Documents"
    }

    func run(_ arguments: String..., input: String = "", editor: String = "false") async -> ChildProcess.Result {
        await run(arguments, input: input, editor: editor)
    }

    func run(_ arguments: [String], input: String = "", editor: String = "false") async -> ChildProcess.Result {
        await ChildProcess(
            .grocery, arguments + ["--socket", daemon.socket.path, "--container", "box"],
            environment: ["XDG_STATE_HOME": daemon.directory + "/home", "VISUAL": editor], input: input
        ).result()
    }

    func list(_ arguments: String...) async -> [String] { ListedItem.texts(await run(["list"] + arguments).lines) }

    /// The files with their texts, below the documents folder.
    func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: documents) ?? .init() {
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: documents + "/" + path, isDirectory: &isDirectory)
            if !isDirectory.boolValue {
                files[path] = String(
                    decoding: try Data(contentsOf: URL(filePath: documents + "/" + path)), as: UTF8.self)
            }
        }
        return files
    }

    /// The path of the only item whose text begins with a name.
    func file(_ name: String) throws -> String {
        let found = try files().filter { $0.value.hasPrefix(name + "\n") && !$0.key.contains(".sync-conflict-") }
        return documents + "/" + (try #require(found.keys.first))
    }
}

// A grocery list on a daemon of its own, for tests of its commands.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import TestSupport

/// A daemon with the container `box`, and a home directory for the undo log of the user.
struct GroceryWorld {
    let daemon: TestDaemon
    let documents: String

    init() async throws {
        daemon = try await TestDaemon()
        documents = daemon.box + "/Documents"
    }

    private var options: [String] { ["--socket", daemon.socket.path, "--container", "box"] }
    private var environment: [String: String] { ["XDG_STATE_HOME": daemon.directory + "/home"] }

    func run(_ arguments: String..., input: String = "") async -> ChildProcess.Result {
        await ChildProcess(.grocery, arguments + options, environment: environment, input: input).result()
    }

    /// Runs a command on a terminal.
    func terminal(_ arguments: String...) -> PseudoTerminal {
        PseudoTerminal(path: Product.grocery.path, arguments + options, environment: environment, width: 200)
    }

    /// The items without marks and identifiers.
    func list(_ arguments: String...) async -> [String] { ListedItem.texts(await run(["list"] + arguments).lines) }

    private func run(_ arguments: [String]) async -> ChildProcess.Result {
        await ChildProcess(.grocery, arguments + options, environment: environment).result()
    }

    /// The path of a new item's file, which a person writes.
    func newFile() throws -> String {
        try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
        return "\(documents)/Item_\(UUID().uuidString)"
    }

    /// Writes the file of an item as a person does, and returns its path.
    func write(_ text: String) throws -> String {
        let file = try newFile()
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}

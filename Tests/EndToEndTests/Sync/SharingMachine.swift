// A machine that shares containers: the real daemon, and a helper without Syncthing.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import GatherProtocol
import Glibc
import TestSupport
import Testing

/// A daemon with a container that was added at run time, and a helper.
final class SharingMachine: Sendable {
    let daemon: TestDaemon
    let helper: FakeHelper
    /// The directory of the container `notes`.
    let notes: String

    init() async throws {
        daemon = try await TestDaemon()
        helper = try await FakeHelper()
        notes = daemon.directory + "/notes"
        mkdir(notes, 0o755)
        _ = try await daemon.client.addContainer("notes", path: notes)
    }

    var environment: [String: String] {
        [
            "GATHER_SOCKET": daemon.socket.path, "GATHER_SYNC_SOCKET": helper.path, "HOME": daemon.directory + "/home",
            "TZ": "UTC",
        ]
    }

    func start(_ arguments: String...) -> ChildProcess {
        ChildProcess(.gather, arguments, environment: environment)
    }

    func gather(_ arguments: String...) async -> ChildProcess.Result {
        await ChildProcess(.gather, arguments, environment: environment).result()
    }

    /// Lets the helper know another device.
    func addAttic(isConnected: Bool = true) async throws {
        try await helper.change { state in
            state.status.devices.append(
                SharedDevice(
                    identifier: FakeHelper.attic, name: "attic", here: false, connected: isConnected,
                    address: "tcp://10.0.0.7:22000", version: "1.19.2", lastSeen: "2026-11-26T12:00:00Z"))
        }
    }

    /// The program that the daemon has for a container.
    func sync(_ container: ContainerIdentifier) async throws -> String? {
        try await daemon.client.container(container).sync
    }
}

/// The lines of JSON that a command has printed.
func jsonLines(_ result: ChildProcess.Result) throws -> [[String: Any]] {
    try result.lines.map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
}

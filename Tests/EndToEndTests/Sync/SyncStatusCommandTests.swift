// gather sync status, with the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import GatherProtocol
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct SyncStatusCommandTests {
    private func machine() async throws -> SharingMachine {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        #expect(await machine.gather("share", "notes", "--with", "attic").status == 0)
        return machine
    }

    /// A quarter of the bytes is here.
    private func receive(_ machine: SharingMachine) async throws {
        try await machine.helper.change { state in
            state.status.folders[0].bytes = 250
            state.status.folders[0].missing = 3
            state.status.folders[0].missingBytes = 750
        }
    }

    private static let inStep = "notes\tin step\t0\t0\t0\t0\tattic=connected\t"

    @Test func statusIsForPipesAndPrograms() async throws {
        let machine = try await machine()
        #expect(await machine.gather("sync", "status").lines == [Self.inStep])
        #expect(await machine.gather("sync", "notes").lines == [Self.inStep])
        try await machine.helper.change { state in
            state.status.folders[0].bytes = 1_000
            state.status.folders[0].missing = 3
            state.status.folders[0].missingBytes = 250
            state.status.folders[0].shares[0].missing = 2
        }
        let missing = await machine.gather("sync", "status", "notes")
        #expect(missing.status == 0 && missing.lines == ["notes\treceiving\t3\t250\t2\t0\tattic=connected\t"])
        let json = try jsonLines(await machine.gather("sync", "status", "--json"))
        #expect(json.count == 1 && json[0]["running"] as? Bool == true && json[0]["version"] as? String == "1.29.5")
        #expect(json[0]["thisDevice"] as? String == FakeHelper.here)
        let containers = try #require(json[0]["containers"] as? [[String: Any]])
        #expect(containers.count == 1 && containers[0]["missingItems"] as? Int == 3)
        #expect(containers[0]["inStep"] as? Bool == false)
        let unknown = await machine.gather("sync", "status", "box")
        #expect(unknown.status == 1 && unknown.errors.contains("'box' is not shared"), "\(unknown.errors)")
    }

    @Test func containerWithoutAFolderIsShown() async throws {
        let machine = try await SharingMachine()
        _ = try await machine.daemon.client.setSharing(of: "notes")
        #expect(await machine.gather("sync", "status").lines == ["notes\tno folder\t0\t0\t0\t0\t\t"])
        let json = try jsonLines(await machine.gather("sync", "status", "--json"))
        let next = try #require(json[0]["next"] as? [String])
        #expect(next.contains { $0.hasSuffix("gather share notes") }, "\(next)")
    }

    @Test func daemonMayBeAway() async throws {
        let machine = try await machine()
        await machine.daemon.kill()
        let status = await machine.gather("sync", "status")
        #expect(status.status == 0 && status.lines == [Self.inStep], "\(status.errors)")
    }

    @Test func changesAreWatchedOverARestartOfTheHelper() async throws {
        let machine = try await machine()
        let watch = machine.start("sync", "status", "--watch")
        #expect(await watch.nextLine() == Self.inStep)
        while machine.helper.monitorCount == 0 { await Task.yield() }
        try await machine.helper.change { $0.status.folders[0].error = "marker missing" }
        #expect(await watch.nextLine() == "notes\terror\t0\t0\t0\t0\tattic=connected\tmarker missing")
        try await machine.helper.stop()
        #expect(await watch.nextLine() == "notes\tunknown\t0\t0\t0\t0\t\t")
        try await machine.helper.start()
        #expect(await watch.nextLine() == "notes\terror\t0\t0\t0\t0\tattic=connected\tmarker missing")
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }

    @Test func watchEndsWithItsReader() async throws {
        let machine = try await machine()
        let watch = ChildProcess(
            .gather, ["sync", "status", "--watch", "--json"], environment: machine.environment, closesOutput: true)
        #expect(await watch.result().status == 0)
    }

    @Test func terminalShowsThePresentStateOnly() async throws {
        let machine = try await machine()
        try await receive(machine)
        let terminal = PseudoTerminal(
            path: Product.gather.path, ["sync", "status", "--watch"], environment: machine.environment)
        let before = try #require(await terminal.until("██░░░░░░░░  25 %"))
        #expect(before.text.contains("this device  kitchen") && before.text.contains("connected    attic"))
        #expect(before.text.contains("3 items, 750"))
        while machine.helper.monitorCount == 0 { await Task.yield() }
        try await machine.helper.change { state in
            state.status.folders[0].missing = 0
            state.status.folders[0].missingBytes = 0
            state.status.folders[0].shares[0].missing = 1
            state.status.folders[0].shares[0].missingBytes = 9
            state.status.folders[0].shares[0].completion = 90
        }
        let after = try #require(await terminal.until("█████████░  90 %"))
        #expect(!after.text.contains("25 %") && after.text.contains("attic 1 item, 9"))
        terminal.kill(SIGINT)
    }

    @Test func aTransferHasItsRate() async throws {
        let machine = try await machine()
        try await receive(machine)
        let terminal = PseudoTerminal(path: Product.gather.path, ["sync"], environment: machine.environment)
        // It takes a second look.
        while machine.helper.monitorCount == 0 { await Task.yield() }
        try await machine.helper.change { state in
            for index in state.status.devices.indices where !state.status.devices[index].here {
                state.status.devices[index].receiving = 500
            }
        }
        let text = try #require(await terminal.until("500/s in"))
        #expect(text.text.contains("25 %"))
    }

    @Test func terminalGetsATable() async throws {
        let machine = try await machine()
        let terminal = PseudoTerminal(
            path: Product.gather.path, ["sync"], environment: machine.environment.merging(["NO_COLOR": "1"]) { $1 })
        let screen = try #require(await terminal.until("in step"))
        #expect(screen.text.contains("CONTAINER  STATE"))
    }
}

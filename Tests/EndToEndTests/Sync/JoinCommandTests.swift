// gather join, with the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import GatherProtocol
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct JoinCommandTests {
    private func offer(_ container: String, _ machine: SharingMachine) async throws {
        try await machine.helper.change { state in
            for suffix in ["", "documents"] {
                let folder = "gather-\(container)" + (suffix.isEmpty ? "" : "-" + suffix)
                let label = container + (suffix.isEmpty ? "" : " " + suffix)
                state.status.offers.append(
                    FolderOffer(device: FakeHelper.attic, folder: folder, container: label))
            }
        }
    }

    // MARK: A container

    @Test func containerIsMadeAndShared() async throws {
        let machine = try await SharingMachine()
        let path = machine.daemon.directory + "/new/photos"
        let joined = await machine.gather(
            "join", FakeHelper.attic, "photos", "--path", path, "--name", "attic", "--address", "tcp://10.0.0.7:22000")
        #expect(joined.status == 0 && joined.errors == "", "\(joined.errors)")
        #expect(
            joined.lines == [
                "photos is shared with attic: \(path)",
                "on the other device: gather share photos --with \(FakeHelper.here)",
                "how far it is: gather sync status photos",
            ])
        #expect(machine.helper.calls == ["add ATTICAA as attic at tcp://10.0.0.7:22000", "share photos with ATTICAA"])
        #expect(access(path + "/Documents", F_OK) != 0)
        let container = try await machine.daemon.client.container("photos")
        #expect(container.sync == "syncthing" && container.path == path)
    }

    @Test func offeredContainerNeedsNothingOfTheOtherDevice() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        try await offer("photos", machine)
        let joined = await machine.gather("join", "attic", "photos", "--path", machine.daemon.directory + "/photos")
        #expect(joined.status == 0 && !joined.text.contains("on the other device"), "\(joined.errors)")
        #expect(machine.helper.calls == ["share photos with ATTICAA"])
        // The documents are a folder for themselves.
        #expect(access(machine.daemon.directory + "/photos/Documents", F_OK) == 0)
    }

    @Test func directoryWithFilesIsTakenOnlyIfTheyMayBeMerged() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        let path = machine.daemon.directory + "/full"
        mkdir(path, 0o755)
        try Change.write("1", to: path + "/old.txt")
        let refused = await machine.gather("join", "attic", "full", "--path", path)
        #expect(refused.status == 1 && refused.errors.contains("old.txt") && refused.errors.contains("--merge"))
        #expect(machine.helper.calls.isEmpty)
        #expect(try await machine.daemon.client.containers().contains { $0.identifier == "full" } == false)
        let merged = await machine.gather("join", "attic", "full", "--path", path, "--merge")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(access(path + "/old.txt", F_OK) == 0)
    }

    @Test func existingContainerIsUsed() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        let elsewhere = await machine.gather("join", "attic", "notes", "--path", machine.daemon.directory)
        #expect(elsewhere.status == 64 && elsewhere.errors.contains("'notes' is at \(machine.notes)"))
        try Change.write("1", to: machine.notes + "/a.txt")
        #expect(await machine.gather("join", "attic", "notes").status == 1)
        #expect(try await machine.sync("notes") == nil)
        #expect(await machine.gather("join", "attic", "notes", "--merge").status == 0)
        #expect(try await machine.sync("notes") == "syncthing")
        // One that is shared may have files.
        #expect(await machine.gather("join", "attic", "notes").status == 0)
    }

    @Test func thisDeviceAndUnknownNamesAreRefused() async throws {
        let machine = try await SharingMachine()
        let own = await machine.gather("join", FakeHelper.here, "x")
        #expect(own.status == 64 && own.errors.contains("is this device"), "\(own.errors)")
        #expect(await machine.gather("join", "attic", "x").status == 64)
        let odd = await machine.gather("join", FakeHelper.attic, "../x")
        #expect(odd.status != 0 && machine.helper.calls.isEmpty)
        for arguments in [["--path", "/x"], ["--merge"]] {
            let words = ["join", FakeHelper.attic] + arguments
            #expect(await ChildProcess(.gather, words, environment: machine.environment).result().status == 64)
        }
    }

    // MARK: Offers

    @Test func offersAreAwaited() async throws {
        let machine = try await SharingMachine()
        let join = machine.start("join", FakeHelper.attic, "--timeout", "1h")
        while machine.helper.monitorCount == 0 { await Task.yield() }
        #expect(machine.helper.calls == ["add ATTICAA as -"])
        try await machine.helper.change { state in
            state.status.devices[1].connected = true
            state.status.devices[1].name = "attic"
        }
        try await offer("photos", machine)
        let result = await join.result()
        #expect(result.status == 0 && result.lines == ["photos"] && result.errors == "", "\(result.errors)")
        let json = try jsonLines(await machine.gather("join", "attic", "--json"))
        #expect(json.count == 1 && json[0]["container"] as? String == "photos")
        #expect(json[0]["folders"] as? [String] == ["gather-photos", "gather-photos-documents"])
    }

    @Test func deviceThatDoesNotConnectIsStatus124() async throws {
        let machine = try await SharingMachine()
        let result = await machine.gather("join", FakeHelper.attic, "--timeout", "10ms")
        #expect(result.status == 124 && result.text == "")
        #expect(result.errors.contains("There: gather join \(FakeHelper.here)"), "\(result.errors)")
    }

    @Test func deviceThatOffersNothingIsExplained() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        let result = await machine.gather("join", "attic", "--timeout", "10ms")
        #expect(result.status == 1 && result.text == "")
        #expect(
            result.errors.contains("There: gather share NAME --with \(FakeHelper.here)"), "\(result.errors)")
        #expect(await machine.gather("share", "notes", "--with", "attic").status == 0)
        let known = await machine.gather("join", "attic", "--timeout", "10ms")
        #expect(known.status == 0 && known.errors.contains("shared with it already: notes"), "\(known.errors)")
    }

    @Test func waitIsShownOnATerminal() async throws {
        let machine = try await SharingMachine()
        let terminal = PseudoTerminal(
            path: Product.gather.path, ["join", FakeHelper.attic, "--timeout", "1h"], environment: machine.environment)
        #expect(await terminal.until("connecting to ATTICAA, ") != nil)
        try await machine.helper.change { $0.status.devices[1].connected = true }
        #expect(await terminal.until("ATTICAA is connected; waiting for what it offers") != nil)
        try await offer("photos", machine)
        let screen = try #require(await terminal.until("to get one: "))
        #expect(!screen.text.contains("waiting for what it offers"))
    }
}

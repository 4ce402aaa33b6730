// gather share and gather devices, with the real daemon.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import GatherProtocol
import Glibc
import TestSupport
import Testing

@Suite(.serialized)
struct SharingCommandTests {
    // MARK: share

    @Test func containerIsSharedWithANewDevice() async throws {
        let machine = try await SharingMachine()
        let shared = await machine.gather("share", "notes", "--with", FakeHelper.attic.lowercased())
        #expect(shared.status == 0 && shared.errors == "", "\(shared.errors)")
        #expect(
            shared.lines == [
                "notes is shared with ATTICAA: \(machine.notes)", "this device is \(FakeHelper.here)",
                "on the other device: gather join \(FakeHelper.here) notes",
            ])
        #expect(machine.helper.calls == ["add ATTICAA as -", "share notes with ATTICAA"])
        #expect(try await machine.sync("notes") == "syncthing")

        let list = await machine.gather("share")
        #expect(list.status == 0)
        // The new device has never been connected.
        #expect(list.lines == ["notes\twaiting\t\(FakeHelper.attic)\t\(machine.notes)"])
        let json = try jsonLines(await machine.gather("share", "--json"))
        #expect(json.count == 1 && json[0]["container"] as? String == "notes" && json[0]["inStep"] as? Bool == false)
        #expect(json[0]["folders"] as? [String] == ["gather-notes"])
        let listed = await machine.gather("container", "list", "--json")
        #expect(listed.text.contains(#""sync":"syncthing""#))
    }

    @Test func knownDeviceIsNotAddedAgain() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        let shared = await machine.gather("share", "notes", "--with", "attic", "--with", "ATTICAA", "--json")
        #expect(shared.status == 0, "\(shared.errors)")
        #expect(machine.helper.calls == ["share notes with ATTICAA"])
        let json = try jsonLines(shared)
        #expect(json.count == 1 && json[0]["path"] as? String == machine.notes)
        let devices = try #require(json[0]["devices"] as? [[String: Any]])
        #expect(
            devices.count == 1 && devices[0]["name"] as? String == "attic" && devices[0]["connected"] as? Bool == true)
    }

    @Test func aDeviceIsNamedBehindItsIdentifier() async throws {
        let machine = try await SharingMachine()
        let shared = await machine.gather("share", "notes", "--with", FakeHelper.attic + "=my attic")
        #expect(shared.status == 0 && shared.lines[0].contains("notes is shared with my attic"), "\(shared)")
        #expect(machine.helper.calls == ["add ATTICAA as my attic", "share notes with ATTICAA"])
        for arguments in [["--with", FakeHelper.attic + "="], ["--stop", "--with", "ATTICAA=x"]] {
            let refused = await ChildProcess(
                .gather, ["share", "notes"] + arguments, environment: machine.environment
            ).result()
            #expect(refused.status == 64, "\(refused)")
        }
        let waits = await machine.gather("join", FakeHelper.attic, "notes", "--timeout", "10s")
        #expect(waits.status == 64 && waits.errors.contains("cannot be given with a container"), "\(waits)")
    }

    @Test func deviceThatAsksIsAdmitted() async throws {
        let machine = try await SharingMachine()
        try await machine.helper.change { state in
            state.status.devices.append(
                SharedDevice(
                    identifier: FakeHelper.pixel, name: "pixel", here: false, connected: false, asks: true))
        }
        #expect(await machine.gather("share", "notes", "--with", "pixel").status == 0)
        #expect(machine.helper.calls == ["add PIXELAA as -", "share notes with PIXELAA"])
    }

    /// gatherd tells the helper of a change in its own time.
    @Test func helperMayHearLateThatAContainerIsShared() async throws {
        let machine = try await SharingMachine()
        try await machine.helper.change {
            $0.passingFailures["Share"] = [.notShared(identifier: "notes"), .notShared(identifier: "notes")]
        }
        let shared = await machine.gather("share", "notes")
        #expect(shared.status == 0 && machine.helper.calls == ["share notes with "], "\(shared.errors)")
    }

    @Test func sharingWithNoDeviceSaysHowToGoOn() async throws {
        let machine = try await SharingMachine()
        let shared = await machine.gather("share", "notes")
        #expect(shared.status == 0 && shared.lines[0] == "notes is shared: \(machine.notes)")
        #expect(shared.errors.contains("gather share notes --with DEVICE-ID"), "\(shared.errors)")
    }

    @Test func containerThatCannotBeSharedIsExplained() async throws {
        let machine = try await SharingMachine()
        let argument = await machine.gather("share", "box")
        #expect(argument.status == 1 && argument.errors.contains("containers.d"), "\(argument.errors)")
        let missing = await machine.gather("share", "nothing")
        #expect(missing.status == 1 && missing.errors.contains("there is no container 'nothing'"))
        let device = await machine.gather("share", "notes", "--with", "attic")
        #expect(device.status == 64 && device.errors.contains("there is no device 'attic'"))
        for arguments in [["share", "--stop"], ["share", "--with", "attic"]] {
            #expect(await ChildProcess(.gather, arguments, environment: machine.environment).result().status == 64)
        }
        // Nothing was changed.
        #expect(machine.helper.calls.isEmpty)
        #expect(try await machine.sync("notes") == nil)
    }

    @Test func errorsOfTheHelperAreSentences() async throws {
        let machine = try await SharingMachine()
        let wrong = FakeHelper.attic.replacing("2222222", with: "3333333")
        let invalid = await machine.gather("share", "notes", "--with", wrong)
        #expect(invalid.status == 1 && invalid.errors.contains("is no device ID"), "\(invalid.errors)")
        try await machine.helper.change { $0.failures["Share"] = .failed(message: "no space left\non device") }
        let failed = await machine.gather("share", "notes")
        #expect(failed.status == 1 && failed.errors == "gather: no space left\\non device\n", "\(failed.errors)")
    }

    @Test func sharingEndsWithOneDeviceOrAll() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        #expect(await machine.gather("share", "notes", "--with", "attic").status == 0)
        let one = await machine.gather("share", "notes", "--stop", "--with", "attic")
        #expect(one.status == 0 && one.lines == ["notes is no longer shared with attic"], "\(one.errors)")
        #expect(try await machine.sync("notes") == "syncthing")
        let all = await machine.gather("share", "notes", "--stop")
        #expect(all.status == 0 && all.lines == ["notes is no longer shared; its files stay"], "\(all.errors)")
        #expect(try await machine.sync("notes") == nil)
        #expect(machine.helper.calls.suffix(2) == ["unshare notes with ATTICAA", "unshare notes with all"])
        let again = await machine.gather("share", "notes", "--stop")
        #expect(again.status == 1 && again.errors.contains("'notes' is not shared"), "\(again.errors)")
        #expect(await machine.gather("share").lines == [])
    }

    // MARK: Without the helper, and without Syncthing

    @Test func helperThatIsAwayIsNamedWithTheCommandThatStartsIt() async throws {
        let machine = try await SharingMachine()
        try await machine.helper.stop()
        for arguments in [
            ["share", "notes"], ["devices"], ["sync", "status"], ["sync", "status", "--watch"],
            ["join", FakeHelper.attic], ["join", FakeHelper.attic, "notes"],
        ] {
            let result = await ChildProcess(.gather, arguments, environment: machine.environment).result()
            #expect(result.status == 69 && result.text == "", "\(arguments)")
            #expect(
                result.errors.contains(
                    "no helper listens there. Start it with: gather-syncd --socket \(machine.helper.path)"),
                "\(arguments): \(result.errors)")
        }
        #expect(try await machine.sync("notes") == nil)
        // Nothing is shared, so the helper is not needed.
        let list = await machine.gather("share")
        #expect(list.status == 0 && list.text == "" && list.errors == "")
        _ = try await machine.daemon.client.setSharing(of: "notes")
        let shared = await machine.gather("share")
        #expect(shared.status == 69 && shared.lines == ["notes\tunknown\t\t\(machine.notes)"])
        #expect(shared.errors.contains("no helper listens there"))
    }

    @Test func syncthingThatDoesNotAnswerIsNamed() async throws {
        let machine = try await SharingMachine()
        try await machine.helper.change { state in
            state.status = SharingInterface.Status.Reply(
                running: false, reason: "connection refused", devices: [], folders: [], offers: [])
        }
        for arguments in [
            ["share", "notes"], ["devices"], ["devices", "--id"], ["sync", "status"], ["join", FakeHelper.attic],
            ["devices", "--remove", "attic"],
        ] {
            let result = await ChildProcess(.gather, arguments, environment: machine.environment).result()
            #expect(result.status == 69 && result.text == "", "\(arguments)")
            #expect(
                result.errors.contains("Syncthing does not answer: connection refused"),
                "\(arguments): \(result.errors)")
        }
        #expect(machine.helper.calls.isEmpty)
    }

    // MARK: devices

    @Test func devicesAreListedAndRemoved() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic(isConnected: false)
        let list = await machine.gather("devices")
        #expect(list.status == 0 && list.errors == "")
        let columns = list.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        #expect(
            columns.map { Array($0.prefix(5)) } == [
                [FakeHelper.here, "kitchen", "this device", "", ""],
                [FakeHelper.attic, "attic", "away", "tcp://10.0.0.7:22000", "1.19.2"],
            ])
        #expect(columns[1].last?.hasPrefix("2026-11-26T12:00:00") == true)
        let json = try jsonLines(await machine.gather("devices", "--json"))
        #expect(json.map { $0["name"] as? String } == ["kitchen", "attic"])
        #expect(json[0]["here"] as? Bool == true && json[1]["connected"] as? Bool == false)
        #expect(await machine.gather("devices", "--id").lines == [FakeHelper.here])

        let removed = await machine.gather("devices", "--remove", "atti")
        #expect(removed.status == 0 && removed.lines == ["attic is removed"], "\(removed.errors)")
        #expect(machine.helper.calls == ["remove \(FakeHelper.attic)"])
        let unknown = await machine.gather("devices", "--remove", "attic")
        #expect(unknown.status == 64 && unknown.errors.contains("there is no device 'attic'"))
        // This device cannot be removed.
        #expect(await machine.gather("devices", "--remove", "kitchen").status == 64)
    }

    @Test func tabKeyOffersDevicesAndOffers() async throws {
        let machine = try await SharingMachine()
        try await machine.addAttic()
        try await machine.helper.change { state in
            state.status.offers = [FolderOffer(device: FakeHelper.attic, folder: "gather-photos", container: "photos")]
        }
        let script = await machine.gather("--generate-completion-script", "fish").text
        #expect(script.contains("sync-socket"))
        var environment = machine.environment
        environment["SAP_SHELL"] = "fish"
        for (words, wanted) in [
            (["devices", "--remove", ""], "attic"), (["join", ""], "attic"), (["join", "attic", ""], "photos"),
        ] {
            let command = words[0]
            // The form in which the scripts ask.
            let place = words.count == 3 && command == "join" ? "positional@1" : "positional@0"
            let about = command == "devices" ? "--remove" : place
            let result = await ChildProcess(
                .gather, ["---completion", command, "--", about, "\(words.count)", "0", "gather"] + words,
                environment: environment
            ).result()
            #expect(result.lines == [wanted], "\(words): \(result.text) \(result.errors)")
        }
    }

    // MARK: doctor

    @Test func doctorLooksAtSharing() async throws {
        let machine = try await SharingMachine()
        try await machine.daemon.client.flush()
        let before = await machine.gather("doctor")
        #expect(!before.text.contains("sharing"))
        _ = try await machine.daemon.client.setSharing(of: "notes")
        try await machine.daemon.client.flush()
        let fine = await machine.gather("doctor")
        #expect(fine.text.contains("1 container is shared, and Syncthing has the right settings"), "\(fine.text)")
        try await machine.helper.change { state in
            state.findings = [
                SharingFindingMessage(
                    kind: "maxConflicts", container: "notes", message: "maxConflicts is 10",
                    remedy: "gather share notes")
            ]
        }
        let faulty = await machine.gather("doctor", "--quiet")
        #expect(faulty.status == 1 && faulty.text.contains("maxConflicts is 10"))
        #expect(faulty.lines.contains { $0.hasSuffix(" gather share notes") })
        try await machine.helper.stop()
        let away = await machine.gather("doctor", "--quiet")
        #expect(away.status == 1 && away.text.contains("no helper listens there; containers are not shared"))
    }
}

// The state of sharing as it is shown.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Testing

@testable import gather

struct SyncStatusTextTests {
    private static let kitchen = SharingDevice(identifier: "KITCHEN-X", name: "kitchen", isHere: true)
    private static let attic = SharingDevice(
        identifier: "ATTICAA-X", name: "attic", isConnected: true, receivingRate: 2_000_000, sendingRate: 100)
    private static let laptop = SharingDevice(
        identifier: "LAPTOPA-X", name: "laptop", lastSeen: Timestamp(nanoseconds: 0))
    private static let fresh = SharingDevice(identifier: "FRESHAA-X", name: "fresh")
    private static let pixel = SharingDevice(identifier: "PIXELAA-X", name: "", asksToConnect: true)

    private func status(
        _ folders: [SharedFolder], devices: [SharingDevice] = [kitchen, attic, laptop, fresh],
        offers: [SharingOffer] = []
    ) -> SharingStatus {
        SharingStatus(version: "1.29.5", devices: devices, folders: folders, offers: offers)
    }

    private func folder(
        _ container: String = "grocery", suffix: String = "", state: String = "idle", error: String? = nil,
        isPaused: Bool = false, bytes: Int = 1_000, missing: (items: Int, bytes: Int) = (0, 0),
        shares: [SharedFolder.Share] = [SharedFolder.Share(device: attic.identifier)]
    ) -> SharedFolder {
        SharedFolder(
            identifier: "gather-\(container)\(suffix)", container: ContainerIdentifier(container),
            path: "/srv/\(container)\(suffix)",
            state: state, error: error, isPaused: isPaused, items: 10, bytes: bytes, missingItems: missing.items,
            missingBytes: missing.bytes, shares: shares)
    }

    private func state(_ folders: SharedFolder...) -> ContainerSync.State {
        ContainerSync("grocery", path: nil, status(folders)).state
    }

    @Test func stateOfAContainerIsThatOfAllItsFolders() {
        let toAttic = SharedFolder.Share(device: "ATTICAA-X", completion: 40, missingItems: 3, missingBytes: 600)
        let toLaptop = SharedFolder.Share(device: "LAPTOPA-X", completion: 0, missingItems: 10, missingBytes: 1_000)
        #expect(state() == .noFolder)
        #expect(state(folder()) == .inStep)
        #expect(state(folder(), folder(suffix: "-documents", missing: (2, 5))) == .receiving)
        #expect(state(folder(missing: (2, 5), shares: [SharedFolder.Share(device: "LAPTOPA-X")])) == .waiting)
        #expect(state(folder(shares: [toAttic])) == .sending)
        #expect(state(folder(shares: [toLaptop])) == .waiting)
        #expect(state(folder(shares: [toLaptop, SharedFolder.Share(device: "ATTICAA-X")])) == .waiting)
        // A device that has never been connected may have anything.
        #expect(state(folder(shares: [SharedFolder.Share(device: "LAPTOPA-X")])) == .inStep)
        #expect(state(folder(shares: [SharedFolder.Share(device: "FRESHAA-X")])) == .waiting)
        #expect(state(folder(shares: [])) == .alone)
        #expect(state(folder(state: "scanning")) == .scanning)
        #expect(state(folder(isPaused: true)) == .paused)
        #expect(state(folder(missing: (2, 5)), folder(suffix: "-documents", error: "marker missing")) == .error)
        let away = ContainerSync("grocery", path: "/srv/grocery", SharingStatus(unreachable: "away"))
        #expect(away.state == .unknown)
    }

    @Test func amountsAreSumsOverFolders() {
        let share = SharedFolder.Share(device: "ATTICAA-X", completion: 40, missingItems: 3, missingBytes: 600)
        let sync = ContainerSync(
            "grocery", path: nil,
            status([
                folder(suffix: "/Documents", missing: (1, 100), shares: [share]),
                folder(missing: (2, 150), shares: [share]),
            ]))
        #expect(sync.path == "/srv/grocery")
        #expect(sync.items == 20 && sync.bytes == 2_000 && sync.missingItems == 3 && sync.missingBytes == 250)
        #expect(
            sync.devices == [
                ContainerSync.Lack(device: "ATTICAA-X", isConnected: true, completion: 40, items: 6, bytes: 1_200)
            ])
        #expect(sync.share == 8.0 / 9)
        let sending = ContainerSync("grocery", path: nil, status([folder(shares: [share])]))
        #expect(sending.share == 0.4)
        let empty = ContainerSync("grocery", path: nil, status([folder(bytes: 0, missing: (1, 0))]))
        #expect(empty.state == .receiving && empty.share == nil)
    }

    @Test func containersOfGatherdAndOfTheHelperAreOne() {
        let all = ContainerSync.all(status([folder("b"), folder("a")]), [])
        #expect(all.map(\.identifier) == ["a", "b"])
    }

    @Test func personReadsDevicesContainersAndTheNextStep() {
        let share = SharedFolder.Share(device: "LAPTOPA-X", completion: 40, missingItems: 1, missingBytes: 600)
        let status = status(
            [
                folder(),
                folder(
                    "photos", bytes: 500, missing: (12, 500), shares: [SharedFolder.Share(device: "ATTICAA-X"), share]),
                folder("notes", error: "folder marker missing", shares: []),
            ], devices: [Self.pixel, Self.laptop, Self.attic, Self.kitchen],
            offers: [
                SharingOffer(device: "ATTICAA-X", folder: "gather-music", container: "music"),
                SharingOffer(device: "ATTICAA-X", folder: "gather-music-documents", container: "music documents"),
            ])
        let text = SyncStatusText(status: status, containers: ContainerSync.all(status, []), words: " --user")
        #expect(
            text.lines(color: false, width: 120, isUnicode: false) == [
                "syncthing    1.29.5",
                "this device  kitchen  KITCHEN",
                "connected    attic",
                "away         laptop (last seen \(Readable.time(Timestamp(nanoseconds: 0))))",
                "asks         PIXELAA  PIXELAA",
                "rate         2.0M/s in, 100/s out",
                "",
                "CONTAINER  STATE                       MISSING HERE   MISSING THERE",
                "grocery    in step",
                "notes      error",
                "photos     receiving #####-----  50 %  12 items, 500  laptop 1 item, 600",
                "notes: folder marker missing",
                "",
                "next: PIXELAA asks to connect; to let it: gather join --user PIXELAA-X",
                "next: attic offers 'music'; to get it: gather join --user attic music",
                "next: a folder stands still; what mends it: gather doctor --user",
            ])
    }

    @Test func stoppedSyncthingIsTold() throws {
        let status = SharingStatus(isRunning: false, reason: "connection\nrefused")
        let text = SyncStatusText(status: status, containers: [], words: "")
        #expect(
            text.lines(color: false, width: 80, isUnicode: false) == [
                "syncthing    does not answer", "reason       connection\\nrefused", "",
                "next: the reason, and what mends it: gather doctor",
            ])
        let object = try JSONSerialization.jsonObject(with: Data(text.object)) as? [String: Any]
        #expect(object?["running"] as? Bool == false && object?["reason"] as? String == "connection\nrefused")
    }

    @Test func namesOfOtherMachinesDoNotSteerTheTerminal() {
        let odd = SharingDevice(identifier: "ODDAAAA-X", name: "\u{1B}[2J", isConnected: true)
        let share = SharedFolder.Share(device: "ODDAAAA-X", missingItems: 1)
        let status = status([folder(shares: [share])], devices: [odd])
        let lines = SyncStatusText(status: status, containers: ContainerSync.all(status, []), words: "")
            .lines(color: false, width: 80, isUnicode: false)
        let devices = DeviceTable.lines([odd], color: false, width: 200) + [DeviceTable.plain(odd)]
        for line in lines + devices { #expect(!line.contains("\u{1B}"), "\(line)") }
    }

    @Test func pipeGetsColumns() {
        let share = SharedFolder.Share(device: "ATTICAA-X", completion: 40, missingItems: 3, missingBytes: 600)
        let away = SharedFolder.Share(device: "OLDAAAA-X")
        func plain(_ error: String?) -> String {
            let status = status([folder(error: error, missing: (1, 2), shares: [share, away])])
            let sync = ContainerSync("grocery", path: nil, status)
            return SyncStatusText(status: status, containers: [sync], words: "").plain(sync)
        }
        #expect(plain(nil) == "grocery\treceiving\t1\t2\t3\t600\tattic=connected,OLDAAAA=away\t")
        #expect(plain("no\tspace") == "grocery\terror\t1\t2\t3\t600\tattic=connected,OLDAAAA=away\tno\\tspace")
    }

    @Test func oddAmountsOfTheHelperDoNotTrap() {
        let share = SharedFolder.Share(device: "ATTICAA-X", completion: .nan, missingItems: .max, missingBytes: .max)
        let folders = [
            folder(bytes: .max, missing: (.max, .max), shares: [share]),
            folder(suffix: "-documents", bytes: .min, missing: (.max, .min), shares: [share]),
        ]
        for folders in [folders, [folder(shares: [share])]] {
            let status = status(folders)
            let text = SyncStatusText(status: status, containers: ContainerSync.all(status, []), words: "")
            #expect(!text.lines(color: true, width: 80, isUnicode: true).isEmpty)
            #expect(!text.plain(text.containers[0]).isEmpty)
        }
    }

    @Test func barIsFullOnlyAtTheEnd() {
        #expect(SyncStatusText.bar(.nan, isUnicode: false) == SyncStatusText.bar(0, isUnicode: false))
        #expect(SyncStatusText.bar(.infinity, isUnicode: false) == SyncStatusText.bar(0, isUnicode: false))
        #expect(SyncStatusText.bar(0, isUnicode: false) == "----------   0 %")
        #expect(SyncStatusText.bar(0.999, isUnicode: false) == "#########-  99 %")
        #expect(SyncStatusText.bar(1, isUnicode: true) == "██████████ 100 %")
        #expect(SyncStatusText.bar(-3, isUnicode: false) == SyncStatusText.bar(0, isUnicode: false))
        #expect(SyncStatusText.bar(7, isUnicode: false) == SyncStatusText.bar(1, isUnicode: false))
    }

    @Test func devicesAreListedWithThisOneFirst() throws {
        let seen = SharingDevice(
            identifier: "OLDAAAA-X", name: "old", isPaused: true, address: "tcp://10.0.0.9:22000", version: "1.19.2",
            lastSeen: Timestamp(rfc3339: "2026-11-26T12:00:00Z"))
        let devices = [Self.pixel, seen, Self.attic, Self.kitchen]
        let lines = DeviceTable.lines(devices, color: false, width: 200)
        #expect(lines.map { $0.split(separator: " ").first ?? "" } == ["NAME", "kitchen", "attic", "old", "PIXELAA"])
        #expect(lines[1] == "kitchen  KITCHEN  this device")
        #expect(lines[3].contains("paused") && lines[3].contains("1.19.2") && lines[3].contains("2026-11-26"))
        #expect(lines[4].hasSuffix("asks to connect"))
        #expect(
            DeviceTable.plain(seen)
                == "OLDAAAA-X\told\tpaused\ttcp://10.0.0.9:22000\t1.19.2\t"
                + (Timestamp(rfc3339: "2026-11-26T12:00:00Z")?.rfc3339 ?? ""))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(DeviceTable.object(Self.attic))) as? [String: Any])
        #expect(object["device"] as? String == "ATTICAA-X" && object["connected"] as? Bool == true)
        #expect(object["receiving"] as? Int == 2_000_000 && object["here"] as? Bool == false)
    }
}

// Mistakes in the settings of Syncthing.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import Syncthing
import Varlink

extension SharingMethods {
    /// Compares Syncthing's settings with those that Gather needs.
    func check() async -> [SharingFindingMessage] {
        guard let run = await core.syncthing else {
            let reason = await core.reason
            let isTLS = reason.contains("tls=")
            if await core.mayBeStranger {
                return [
                    SharingFindingMessage(
                        kind: "stranger", message: reason,
                        remedy:
                            "stop the program that listens there and start Syncthing; if it is Syncthing, name its user "
                            + "with --syncthing-user or GATHER_SYNCTHING_USER as gather-syncd(8) has it")
                ]
            }
            return [
                SharingFindingMessage(
                    kind: isTLS ? "tls" : "notRunning", message: reason,
                    remedy: isTLS ? nil : "systemctl start syncthing@USER, or systemctl --user start syncthing")
            ]
        }
        var findings: [SharingFindingMessage] = []
        if !run.version.carriesExtendedAttributes {
            findings.append(
                SharingFindingMessage(
                    kind: "oldVersion",
                    message: "Syncthing \(run.version.version) does not carry tags and other extended attributes",
                    remedy: "install Syncthing 1.22 or later"))
        }
        for device in run.devices.values.sorted(by: { $0.device < $1.device }) where device.isPaused {
            findings.append(
                SharingFindingMessage(
                    kind: "paused", device: device.displayName, message: "the device \(device.displayName) is paused",
                    remedy: "resume it in Syncthing"))
        }
        let visible = await VisibleContainers(of: core, for: caller)
        for container in visible.containers where container.sync == "syncthing" {
            do throws(SyncthingError) {
                findings += try await check(container, run, visible)
            } catch {
                findings.append(
                    SharingFindingMessage(
                        kind: "notRunning", container: container.identifier, message: "\(error)", remedy: nil))
            }
        }
        return findings
    }

    private func check(
        _ container: ContainerDescription, _ run: SyncthingRun, _ visible: VisibleContainers
    ) async throws(SyncthingError) -> [SharingFindingMessage] {
        let identifier = container.identifier
        var findings: [SharingFindingMessage] = []
        func find(_ kind: String, _ message: String, _ remedy: String?) {
            findings.append(SharingFindingMessage(kind: kind, container: identifier, message: message, remedy: remedy))
        }
        let places = FolderPlace.all(in: run, container: container.path)
        if places.isEmpty {
            let other = run.folders.first { $0.folder == FolderNames.whole(identifier) }
            if let other, visible.shows(folderAt: run.directory(of: other)) {
                find(
                    "otherPath", "Syncthing's folder \(other.folder) is at \(other.path), not at \(container.path)",
                    "change the path of one of them")
            } else {
                find("noFolder", "Syncthing has no folder in \(container.path)", "gather share \(identifier)")
            }
        }
        for place in places where visible.shows(folderAt: place.directory) {
            guard let settings = run.folders.first(where: { $0.folder == place.folder }) else { continue }
            let name = settings.folder
            if settings.isPaused {
                find("paused", "Syncthing's folder \(name) is paused", "resume it in Syncthing")
                continue
            }
            if settings.maxConflicts != FolderDefaults.maxConflicts {
                find(
                    "maxConflicts",
                    "Syncthing's folder \(name) keeps at most \(settings.maxConflicts == 1 ? "1 version" : "\(settings.maxConflicts) versions") in conflict, and deletes others",
                    "set maxConflicts to -1 in Syncthing")
            }
            if !settings.isCaseSensitive {
                find(
                    "caseSensitive", "Syncthing's folder \(name) is slow, since it looks for names that differ in case",
                    "set caseSensitiveFS to true in Syncthing")
            }
            if settings.watchesItself {
                find(
                    "ownWatcher",
                    "Syncthing watches the folder \(name) itself, which is slower and finds files too early",
                    "set fsWatcherEnabled to false in Syncthing")
            }
            try await checkState(settings, place, run, namesItems: visible.namesItems, find)
            if let finding = await writeFinding(identifier, place, namesItems: visible.namesItems) {
                findings.append(finding)
            }
        }
        if let finding = await clockFinding(identifier, namesItems: visible.namesItems) { findings.append(finding) }
        return findings
    }

    /// Looks for the file of the latest time. One from the future was saved on a device whose clock is ahead, or the clock
    /// here is behind. No device tells its time to others.
    private func clockFinding(_ container: String, namesItems: Bool) async -> SharingFindingMessage? {
        let request = QueryInterface.Find.Request(
            predicate: "kind == 'file' AND modified > $time.now(\(SyncLimits.clockTolerance))", scopes: [container],
            attributes: ["path", "modified", "savingDevice"],
            sort: [SortKeyMessage(attribute: "modified", ascending: false)], limit: 1, sync: false)
        // Without gatherd there are no containers, and the next call has them again.
        let reply = try? await TimeLimit.run("gatherd's answer", SyncLimits.callTime) {
            try await core.gatherd.connect().call(QueryInterface.Find.self, request)
        }
        guard let item = reply?.items.first, let path = item.path else { return nil }
        let name = namesItems ? path : "a file"
        let device = item.savingDevice.flatMap { $0.isEmpty ? nil : $0 }
        let clocks = device.map { "the clock of \($0), which saved it, or of this device" } ?? "a clock"
        return SharingFindingMessage(
            kind: "clock", container: container, device: device,
            message:
                "\(name) was changed in the future; \(clocks) is wrong, and the later of two versions in conflict wins",
            remedy: "timedatectl set-ntp true")
    }

    private func checkState(
        _ settings: FolderSettings, _ place: FolderPlace, _ run: SyncthingRun, namesItems: Bool,
        _ find: (_ kind: String, _ message: String, _ remedy: String?) -> Void
    ) async throws(SyncthingError) {
        let name = settings.folder
        let status = try await run.client.status(of: name)
        if let error = status.error, !error.isEmpty {
            let isMarker = error.contains("marker")
            find(
                isMarker ? "marker" : "folderError", "Syncthing's folder \(name) has stopped: \(error)",
                isMarker
                    ? "check that the directory is the right one, then: mkdir \(place.directory)/\(settings.markerName)"
                    : nil)
        }
        let errors = try await run.client.errors(of: name)
        if let first = errors.first {
            let example = namesItems ? ", such as \(first.path): \(first.message)" : ""
            find(
                "itemErrors",
                "\(errors.count == 1 ? "1 item" : "\(errors.count) items") of \(name) could not be scanned or downloaded\(example)",
                nil)
        }
        let others = EvictedPatterns(lines: try await run.client.ignorePatterns(of: name).patterns).others
        let patterns = IgnorePatterns.effective(others).filter { $0 != "/Documents" }
        if !patterns.isEmpty {
            find(
                "ignored",
                "Syncthing's folder \(name) has \(patterns.count) ignore patterns; such items are not shared",
                "see \(place.directory)/\(SyncthingName.patterns)")
        }
    }
}

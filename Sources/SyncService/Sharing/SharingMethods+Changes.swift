// Sharing containers and adding devices.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Syncthing
import Varlink

extension SharingMethods {
    /// Returns Syncthing as it is now.
    func running() async throws -> SyncthingRun {
        guard let run = await core.syncthing else { throw SharingError.notRunning(reason: await core.reason) }
        return run
    }

    /// Shares a container, with more devices if it is shared already.
    func share(_ request: SharingInterface.Share.Request) async throws -> SharingInterface.Share.Reply {
        let run = try await running()
        let container = try await container(request.container)
        guard container.sync == "syncthing" else { throw SharingError.notShared(identifier: request.container) }
        var devices: [String] = []
        for text in request.devices { devices.append(try await device(text, run)) }
        var places = FolderPlace.all(in: run, container: container.path)
        if places.isEmpty {
            try await makeFolders(container, devices, run)
        } else {
            for place in places { try await set(place, Set(place.devices.keys).union(devices), run) }
            try await addDocuments(container, places, devices, run)
        }
        let after = try await core.readSettings()
        places = FolderPlace.all(in: after, container: container.path)
        var folders: [SharedFolderMessage] = []
        for place in places { folders.append(try await SharingStatus.folder(place, container.identifier, after)) }
        return SharingInterface.Share.Reply(folders: folders)
    }

    /// Makes the folders of a container: one for the documents, if there are any, and one for everything else, since a
    /// folder that pulls does not scan.
    private func makeFolders(_ container: ContainerDescription, _ devices: [String], _ run: SyncthingRun) async throws {
        let directory = ResolvedPath.of(container.path)
        let name = FolderNames.whole(container.identifier)
        for folder in run.folders
        where folder.folder == name || folder.folder == FolderNames.documents(container.identifier) {
            throw SharingError.failed(
                message: "Syncthing has a folder \(folder.folder) at \(folder.path), which is not \(container.path)")
        }
        let documents = directory + "/Documents"
        let hasDocuments = ResolvedPath.isDirectory(documents)
        // Paused until it has its pattern, so that no scan finds the documents.
        try await putFolder(name, container.identifier, directory, devices, isPaused: hasDocuments, run)
        guard hasDocuments else { return }
        try await leaveDocumentsOut(name, run)
        try await run.client.patchFolder(name, FolderDefaults.running)
        try await putDocuments(container, documents, devices, run)
    }

    private func putDocuments(
        _ container: ContainerDescription, _ path: String, _ devices: [String], _ run: SyncthingRun
    ) async throws {
        try await putFolder(
            FolderNames.documents(container.identifier), container.identifier + " documents", path, devices, run)
    }

    /// Adds a folder with the settings that Gather needs, for this device and others.
    private func putFolder(
        _ folder: String, _ label: String, _ path: String, _ devices: [String], isPaused: Bool = false,
        _ run: SyncthingRun
    ) async throws {
        try await run.client.putFolder(
            folder,
            FolderDefaults.settings(
                folder: folder, label: label, path: path, devices: [run.status.device] + devices, isPaused: isPaused,
                carriesExtendedAttributes: run.version.carriesExtendedAttributes))
    }

    private func leaveDocumentsOut(_ folder: String, _ run: SyncthingRun) async throws {
        let patterns = try await run.client.ignorePatterns(of: folder).patterns
        guard !patterns.contains("/Documents") else { return }
        try await run.client.setIgnorePatterns(["/Documents"] + patterns, of: folder)
    }

    /// Makes the folder of the documents for a container whose own folder was made before there were any. If that folder
    /// has sent documents already, they stay in it.
    @discardableResult private func addDocuments(
        _ container: ContainerDescription, _ places: [FolderPlace], _ devices: [String], _ run: SyncthingRun
    ) async throws -> Bool {
        let name = FolderNames.whole(container.identifier)
        let inner = FolderNames.documents(container.identifier)
        let documents = ResolvedPath.of(container.path) + "/Documents"
        guard let outer = places.first(where: { $0.folder == name && $0.prefix.isEmpty }),
            !places.contains(where: { $0.folder == inner }), ResolvedPath.isDirectory(documents)
        else { return false }
        // Files that the outer folder has sent already would be in two folders.
        let sent = try await run.client.browse(name).contains { $0 == "Documents" || $0.hasPrefix("Documents/") }
        if sent { return false }
        try await leaveDocumentsOut(name, run)
        try await putDocuments(container, documents, Set(outer.devices.keys).union(devices).sorted(), run)
        return true
    }

    /// Adds the folders of documents that devices offer with which their containers are shared already. Returns whether there
    /// were any.
    func takeOffersOfDocuments(_ containers: [ContainerDescription], _ run: SyncthingRun) async throws -> Bool {
        let offers = try await run.client.pendingFolders()
        var isChanged = false
        for container in containers where container.sync == "syncthing" {
            guard let offer = offers[FolderNames.documents(container.identifier)] else { continue }
            let places = FolderPlace.all(in: run, container: container.path)
            let outer = places.first { $0.folder == FolderNames.whole(container.identifier) && $0.prefix.isEmpty }
            guard let outer, !Set(offer.keys).isDisjoint(with: outer.devices.keys) else { continue }
            if let folder = try? ContainerRoots.open(Array(outer.directory.utf8), access: .path) {
                try? Directory.make("Documents", in: folder.number, mode: 0o777)
            }
            isChanged = try await addDocuments(container, places, [], run) || isChanged
        }
        return isChanged
    }

    /// Shares a container no longer with some devices, or with none.
    func unshare(_ request: SharingInterface.Unshare.Request) async throws -> SharingInterface.Unshare.Reply {
        let run = try await running()
        let container = try await container(request.container)
        let places = FolderPlace.all(in: run, container: container.path)
        guard !places.isEmpty else { throw SharingError.notShared(identifier: request.container) }
        if let texts = request.devices {
            var devices: Set<String> = []
            for text in texts { devices.insert(try await device(text, run)) }
            for place in places { try await set(place, Set(place.devices.keys).subtracting(devices), run) }
        } else {
            for place in places { try await end(place, run) }
        }
        _ = try await core.readSettings()
        return SharingInterface.Unshare.Reply()
    }

    /// Removes a folder from Syncthing's settings. Evicted files are evicted no more: whether Syncthing knows them when the
    /// directory is shared again would depend on the moment.
    private func end(_ place: FolderPlace, _ run: SyncthingRun) async throws {
        // A caller that leaves must not leave a folder that is paused.
        try await Task(executorPreference: SyncExecutor.shared) {
            // Without its directory it has none that can be read.
            let lines = try? await run.client.ignorePatterns(of: place.folder).patterns
            let patterns = EvictedPatterns(lines: lines ?? [])
            guard !patterns.paths.isEmpty else { return try await run.client.deleteFolder(place.folder) }
            // Paused, so that it fetches none of them now.
            try await run.client.patchFolder(place.folder, FolderDefaults.paused)
            do {
                _ = try await core.readSettings()
                try await run.client.setIgnorePatterns(patterns.others, of: place.folder)
                try await run.client.deleteFolder(place.folder)
            } catch {
                try? await run.client.patchFolder(place.folder, FolderDefaults.running)
                throw error
            }
        }.value
    }

    /// Sets the other devices of a folder, and keeps its other settings.
    private func set(_ place: FolderPlace, _ devices: Set<String>, _ run: SyncthingRun) async throws {
        guard devices != Set(place.devices.keys) else { return }
        let kept = try FolderDefaults.devices(try await run.client.folderJSON(place.folder))
        let all = [run.status.device] + devices.sorted()
        try await run.client.patchFolder(place.folder, FolderDefaults.patch(devices: all, keeping: kept))
    }

    // MARK: Devices

    /// Adds a device, or gives it another name or other addresses.
    func addDevice(_ request: SharingInterface.AddDevice.Request) async throws -> SharingInterface.AddDevice.Reply {
        let run = try await running()
        guard let identifier = try await run.client.deviceID(request.device), identifier != run.status.device else {
            throw SharingError.invalidDevice(device: request.device)
        }
        let isKnown = run.devices[identifier] != nil
        let pending = isKnown ? nil : try await run.client.pendingDevices()[identifier]
        let name = request.name ?? pending?.name
        let body = JSONBytes { writer in
            writer.beginObject()
            if !isKnown { writer.field("deviceID", identifier) }
            if let name, !name.isEmpty { writer.field("name", name) }
            if let addresses = request.addresses ?? (isKnown ? nil : ["dynamic"]) {
                writer.field("addresses", addresses)
            }
            writer.endObject()
        }
        if isKnown {
            try await run.client.patchDevice(identifier, body)
        } else {
            try await run.client.putDevice(identifier, body)
        }
        _ = try await core.readSettings()
        return SharingInterface.AddDevice.Reply()
    }

    func removeDevice(
        _ request: SharingInterface.RemoveDevice.Request
    ) async throws -> SharingInterface.RemoveDevice.Reply {
        let run = try await running()
        try await run.client.deleteDevice(try await device(request.device, run))
        _ = try await core.readSettings()
        return SharingInterface.RemoveDevice.Reply()
    }

    /// Finds another device by its identifier or its name.
    private func device(_ text: String, _ run: SyncthingRun) async throws -> String {
        let others = run.devices.values.filter { $0.device != run.status.device }
        if others.contains(where: { $0.device == text }) { return text }
        let named = others.filter { $0.name == text }
        if named.count == 1, let device = named.first { return device.device }
        if let identifier = try await run.client.deviceID(text), others.contains(where: { $0.device == identifier }) {
            return identifier
        }
        throw SharingError.noSuchDevice(device: text)
    }

    private func container(_ identifier: String) async throws -> ContainerDescription {
        guard let containers = await core.containers else {
            throw SharingError.failed(message: "gatherd does not answer at \(core.gatherd.path)")
        }
        if let container = containers.first(where: { $0.identifier == identifier }), container.sync != nil {
            return container
        }
        // The monitor may not have told of a change of this moment.
        if let container = try await core.readContainer(identifier) { return container }
        throw SharingError.noSuchContainer(identifier: identifier)
    }
}

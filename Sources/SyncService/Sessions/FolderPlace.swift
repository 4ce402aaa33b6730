// A folder of Syncthing inside a container.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Syncthing

/// A folder of Syncthing whose directory is that of a container, or lies inside.
struct FolderPlace: Sendable, Hashable {
    /// Syncthing's identifier of the folder.
    let folder: String
    /// The path below the container's directory; empty for that directory itself.
    let prefix: String
    /// The absolute path.
    let directory: String
    let isPaused: Bool
    /// Whether changes here go to other devices.
    let isSending: Bool
    /// The other devices of the folder by identifier, with their names.
    let devices: [String: String]

    /// Returns the folders of a container, the deepest first.
    static func all(in run: SyncthingRun, container directory: String) -> [FolderPlace] {
        let directory = ResolvedPath.of(directory)
        ContainerRoots.add(directory)
        return run.folders.compactMap { settings -> FolderPlace? in
            let place = run.directory(of: settings)
            guard let prefix = ResolvedPath.below(directory, place) else { return nil }
            let others = settings.devices.map(\.device).filter { $0 != run.status.device }
            return FolderPlace(
                folder: settings.folder, prefix: prefix, directory: place, isPaused: settings.isPaused,
                isSending: settings.type.hasPrefix("send"),
                devices: Dictionary(others.map { ($0, run.name(of: $0)) }) { first, _ in first })
        }
        .sorted { ($1.prefix.utf8.count, $0.folder) < ($0.prefix.utf8.count, $1.folder) }
    }

    /// Returns the path below the folder of an item below the container; nil if the folder does not hold it.
    func part(of path: String) -> String? {
        if prefix.isEmpty { return path }
        guard path.hasPrefix(prefix + "/") else { return nil }
        return String(path.dropFirst(prefix.count + 1))
    }

    /// Returns the path below the container of an item below the folder.
    func path(of part: String) -> String { prefix.isEmpty ? part : prefix + "/" + part }
}

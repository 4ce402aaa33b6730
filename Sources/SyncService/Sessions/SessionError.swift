// The reason why a session ended.
// SPDX-License-Identifier: Apache-2.0

/// The reason why the states of a container are not told.
enum SessionError: Error, CustomStringConvertible {
    /// No folder of Syncthing lies in the container.
    case noFolder(container: String)
    case paused(folder: String)
    /// Syncthing has stopped a folder, for example since its marker is missing.
    case stopped(folder: String)
    /// gatherd ended the session.
    case ended

    var description: String {
        switch self {
        case .noFolder(let container):
            "Syncthing has no folder in this container. Make one with: gather share \(container)"
        case .paused(let folder): "Syncthing's folder \(folder) is paused"
        case .stopped(let folder): "Syncthing has stopped the folder \(folder)"
        case .ended: "gatherd ended the session"
        }
    }
}

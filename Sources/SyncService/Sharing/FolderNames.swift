// The identifiers of the folders that the helper makes.
// SPDX-License-Identifier: Apache-2.0

/// The identifiers of the folders that the helper makes for containers.
enum FolderNames {
    /// Returns the folder of a container's directory.
    static func whole(_ container: String) -> String { "gather-" + container }

    /// Returns the folder of the documents of a container.
    static func documents(_ container: String) -> String { "gather-" + container + "-documents" }

    /// Returns the container that a folder stands for.
    static func container(of folder: String) -> String {
        let name = folder.hasPrefix("gather-") ? folder.dropFirst(7) : folder[...]
        return String(name.hasSuffix("-documents") ? name.dropLast(10) : name)
    }
}

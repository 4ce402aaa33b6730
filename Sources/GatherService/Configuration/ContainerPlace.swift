// Where a container lies, looked up once: to follow symlinks takes system calls, which are not for each pair of containers.
// SPDX-License-Identifier: Apache-2.0

/// A container with the path to which the symlinks in its own lead.
struct ContainerPlace: Sendable, Equatable {
    let container: ContainerConfiguration
    let resolvedPath: String

    /// Follows the symlinks now.
    init(_ container: ContainerConfiguration) { self.init(container, resolvedPath: container.resolvedPath) }

    init(_ container: ContainerConfiguration, resolvedPath: String) {
        self.container = container
        self.resolvedPath = resolvedPath
    }

    /// Whether one of the two directories is or lies inside the other, wherever symlinks in their paths lead. A mount
    /// point between them keeps them apart: what is mounted within a container is no part of it.
    func overlaps(_ other: ContainerPlace) -> Bool {
        let (own, others) = (resolvedPath, other.resolvedPath)
        if own == others { return true }
        for way in [
            ContainerConfiguration.way(from: own, to: others), ContainerConfiguration.way(from: others, to: own),
        ] {
            if let way { return !way.contains(where: ContainerConfiguration.isMountPoint) }
        }
        let (path, otherPath) = (container.path, other.container.path)
        return ContainerConfiguration.holds(path, otherPath) || ContainerConfiguration.holds(otherPath, path)
    }
}

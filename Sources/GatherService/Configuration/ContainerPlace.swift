// The place of a container. It is looked up once, since resolving symbolic links takes system calls.
// SPDX-License-Identifier: Apache-2.0

/// A container with its path, symbolic links resolved.
struct ContainerPlace: Sendable, Equatable {
    let container: ContainerConfiguration
    let resolvedPath: String

    /// Resolves the symbolic links now.
    init(_ container: ContainerConfiguration) { self.init(container, resolvedPath: container.resolvedPath) }

    init(_ container: ContainerConfiguration, resolvedPath: String) {
        self.container = container
        self.resolvedPath = resolvedPath
    }

    /// Returns whether one of the two directories is or lies inside the other, with symlinks in their paths resolved. A
    /// mount point between them separates them, since a container does not extend into other file systems.
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

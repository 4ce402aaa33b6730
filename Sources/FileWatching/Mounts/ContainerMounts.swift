// The mounts of a container that do not answer.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The mounts in a container that do not answer, or the one that it lies on.
struct ContainerMounts {
    private var unreachable: [UnreachableMount] = []
    /// Those of them that a notice has named.
    private(set) var published: Set<Mount> = []
    /// Whether the container lies on the mount that does not answer.
    private(set) var holdsContainer = false

    /// Takes the mounts that do not answer, in order. Returns those that a notice has named and that answer now.
    mutating func set(_ mounts: [UnreachableMount], holdsContainer: Bool) -> Set<Mount> {
        (unreachable, self.holdsContainer) = (mounts, holdsContainer)
        let answering = published.subtracting(mounts.map(\.mount))
        published.subtract(answering)
        return answering
    }

    /// Takes the mounts that no notice has named yet.
    mutating func takeUnpublished() -> [UnreachableMount] { unreachable.filter { published.insert($0.mount).inserted } }

    /// The reason of the container's state while a mount in it, or its own, does not answer; nil while all do.
    var reason: String? {
        guard let first = unreachable.first else { return nil }
        let others = unreachable.count > 1 ? ", and \(unreachable.count - 1) more mounts," : ""
        return "\(first)\(others); asked again from time to time. Mend its server, or unmount it (umount -l)"
    }
}

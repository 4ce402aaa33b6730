// Who may pass the directories above a container.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension TreeWatcher {
    /// What decides who may pass the directories above a container, each of which takes search permission; nil while that
    /// is not known. Kept right by their watches, where access control lists are read.
    package func directoriesAbove(_ number: UInt32) -> [FileAccess]? { containers[number]?.above }

    /// The path of a container's directory without symbolic links, as of its last reading; nil before that. A link in the
    /// path may lead elsewhere later, and the container with it.
    package func resolvedPath(of number: UInt32) -> String? { containers[number]?.resolvedPath }

    /// Takes the containers of which ``directoriesAbove(_:)`` has changed.
    package func takePassageChanges() -> Set<UInt32> {
        defer { if !passageChanges.isEmpty { passageChanges = [] } }
        return passageChanges
    }

    func setAbove(of container: WatchedContainer, to above: [FileAccess]?) {
        guard container.above != above else { return }
        container.above = above
        passageChanges.insert(container.number)
    }
}

// Mounts that do not answer: the state of containers with them, and when they are asked again.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension TreeWatcher {
    /// Updates the list of mounts that do not answer. Looks again at those that answer now, and at all when it is time.
    func followMounts() {
        let now = kernel.now()
        if kernel.takeLateAnswers() {
            askAgain()
            if !unreachable.isEmpty { asksMountsAgain = min(asksMountsAgain ?? .max, now &+ WatchLimits.mountRetry) }
        } else if let time = asksMountsAgain, now >= time {
            mountPause = min(mountPause * 2, WatchLimits.mountRetryLimit)
            asksMountsAgain = now &+ mountPause
            for container in containers.values { tellUnreachable(in: container) }
            askAgain()
        }
        guard kernel.reachabilityVersion != reachabilityVersion else { return }
        reachabilityVersion = kernel.reachabilityVersion
        let before = Set(unreachable.map(\.mount))
        unreachable = kernel.unreachableMounts()
        let after = Set(unreachable.map(\.mount))
        let told = containers.values.reduce(into: Set<Mount>()) { $0.formUnion($1.toldUnreachable) }
        for container in containers.values { noteUnreachable(in: container) }
        let answering = before.subtracting(after).intersection(knownMounts ?? [])
        if !answering.isEmpty { resume(answering, told: told) }
        if before != after { mountPause = WatchLimits.mountRetry }
        asksMountsAgain = unreachable.isEmpty ? nil : min(asksMountsAgain ?? .max, now &+ mountPause)
    }

    /// Looks at the mount points that do not answer, and at the containers on them.
    private func askAgain() {
        look(at: Set(unreachable.map(\.mount)))
        for container in containers.values where container.isOnUnreachableMount {
            suspect(container.number, cause: causeNow)
        }
    }

    /// Mounts answer again. Containers on those that were told are compared: others were silent for less than a second, and a
    /// directory that could not be read meanwhile is polled.
    private func resume(_ mounts: Set<Mount>, told: Set<Mount>) {
        look(at: mounts)
        for container in containers.values {
            guard let path = kernel.resolvedPath(container.path),
                let mount = MountPaths.innermost(of: mounts, holding: path), mount.path.count > 1
            else { continue }
            suspect(container.number, cause: causeNow)
            guard told.contains(mount) else { continue }
            container.nextPoll = kernel.now()
            container.comparison?.notBefore = nil
        }
    }

    /// Notes the mounts that do not answer in a container, or the one that it lies on.
    func noteUnreachable(in container: WatchedContainer) {
        container.unreachable = []
        container.isOnUnreachableMount = false
        if !unreachable.isEmpty, let path = kernel.resolvedPath(container.path) {
            container.unreachable = unreachable.filter {
                MountPaths.holds(path, $0.mount.path) && path != $0.mount.path
            }
            .sorted { $0.mount.path.lexicographicallyPrecedes($1.mount.path) }
            if let own = MountPaths.innermost(of: unreachable.map(\.mount), holding: path) {
                container.unreachable = unreachable.filter { $0.mount == own }
                container.isOnUnreachableMount = true
            }
        }
        for mount in container.toldUnreachable.subtracting(container.unreachable.map(\.mount)) {
            container.toldUnreachable.remove(mount)
            notices.append(.reachableMount(container: container.number, mount))
        }
    }

    /// Tells of mounts that are silent for some time. A slow server is silent for a moment again and again.
    private func tellUnreachable(in container: WatchedContainer) {
        for mount in container.unreachable where container.toldUnreachable.insert(mount.mount).inserted {
            notices.append(.unreachableMount(container: container.number, mount))
        }
    }
}

extension WatchedContainer {
    /// The reason of the container's state while a mount in it, or its own, does not answer; nil while all do.
    var unreachableReason: String? {
        guard let first = unreachable.first else { return nil }
        let others = unreachable.count > 1 ? ", and \(unreachable.count - 1) more mounts," : ""
        return "\(first)\(others); asked again from time to time. Mend its server, or unmount it (umount -l)"
    }
}

extension UnreachableMount: CustomStringConvertible {
    package var description: String {
        let path = mount.text
        let why = error == .timedOut ? "does not answer" : "is unreachable: \(error)"
        return "the file system at \(path) (\(mount.type)) \(why)"
    }
}

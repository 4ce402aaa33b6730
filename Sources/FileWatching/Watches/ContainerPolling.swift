// Why and when directories of a container are polled.
// SPDX-License-Identifier: Apache-2.0

/// Why directories of a container are polled, and when that is due next.
struct ContainerPolling {
    /// Why directories are without a watch.
    private(set) var reason: PollReason?
    /// The name of its file system, where that does not report all changes: every directory is polled then, and watched
    /// too for the changes it does report.
    private(set) var fileSystem: String?
    /// When it is due, in nanoseconds of ``WatchKernel/now()``; nil for never.
    private(set) var next: UInt64?

    mutating func setFileSystem(_ name: String?) { fileSystem = name }

    /// A directory has no watch. A reason from the kernel also stands for directories that are not asked for after
    /// that.
    mutating func note(_ reason: PollReason) {
        if reason != .watchShare || self.reason == nil { self.reason = reason }
    }

    /// All directories have a watch, or the container is gone.
    mutating func forgetReason() { reason = nil }

    /// Sets when it is due, or that it is not.
    mutating func schedule(_ time: UInt64?) { next = time }

    /// The reason of the container's state, by the directories that there are; nil where all are watched.
    func degradation(_ counts: DirectoryCounts) -> String? {
        if let fileSystem {
            let all = counts.directories == 1 ? "its directory is" : "all \(counts.directories) directories are"
            return "\(all) polled: \(PollReason.fileSystem(name: fileSystem))"
        }
        guard counts.unwatched > 0 else { return nil }
        let part =
            counts.directories == 1
            ? "its directory is" : "\(counts.unwatched) of \(counts.directories) directories are"
        return "\(part) polled: \(reason ?? .watchLimit)"
    }
}

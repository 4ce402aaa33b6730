// Whether the directory of a container is there.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Whether the directory of a container is there and is the container's own, and the reason where it is not.
struct RootPlace {
    /// Why the container is unavailable; nil while it is not.
    private(set) var failure: SystemError? = .noEntry
    /// Why the directory, which is there, cannot be read.
    private(set) var readError: SystemError?
    /// Whether a file system is mounted on the directory, which stands for nothing without that.
    private(set) var isMountPoint: Bool
    /// Whether that file system is not there any more.
    private(set) var isUnmounted = false
    /// Where it lies in another container.
    private(set) var enclosure: Enclosure?
    /// Whether it is no container of its own for that.
    private(set) var isEnclosed = false

    init(isMountPoint: Bool = false, enclosure: Enclosure? = nil) {
        (self.isMountPoint, self.enclosure) = (isMountPoint, enclosure)
    }

    /// Whether the directory is there and can be read.
    var isReadable: Bool { failure == nil && readError == nil && !isEnclosed && !isUnmounted }

    /// Returns whether another container, or none, is around it from now on.
    mutating func setEnclosure(_ enclosure: Enclosure?) -> Bool {
        defer { self.enclosure = enclosure }
        return self.enclosure != enclosure
    }

    // MARK: Looking

    /// Begins a look at the directory. Returns its former value of `isEnclosed`, for ``endLook(after:_:)``.
    mutating func beginLook() -> Bool {
        defer { isEnclosed = false }
        return isEnclosed
    }

    /// The directory was found. If its file system is gone, an empty one is left, which says nothing about the entries
    /// of that.
    mutating func foundDirectory(isMountRoot: Bool) { isUnmounted = isMountPoint && !isMountRoot }

    /// Whether it belongs to the container around it. Returns whether it is the container's own.
    mutating func found(isEnclosed: Bool) -> Bool {
        self.isEnclosed = isEnclosed
        return !isUnmounted && !isEnclosed
    }

    /// A file system is mounted on the directory, and has the container's entries.
    mutating func foundMount() { isMountPoint = true }

    /// The look has failed. Where that is for want of something, it says nothing of the container around.
    mutating func endLook(after error: SystemError, _ wasEnclosed: Bool) {
        if error.isShortage { isEnclosed = wasEnclosed }
    }

    // MARK: Loss

    /// The container is available.
    mutating func found() { failure = nil }

    /// The container is unavailable, or is so for another reason.
    mutating func failed(_ error: SystemError) { failure = error }

    /// The directory is gone.
    mutating func lost(_ error: SystemError) { (failure, readError) = (error, nil) }

    /// The directory is there, and cannot be read, or can again.
    mutating func setReadError(_ error: SystemError?) { readError = error }

    /// The reason of the container's state; nil while it is available.
    func reason(_ mounts: ContainerMounts) -> String? {
        if isEnclosed, let enclosure { return enclosure.reason }
        if isUnmounted { return "its file system is not mounted" }
        if failure?.isOfMount == true, mounts.holdsContainer, let reason = mounts.reason { return reason }
        return (failure ?? readError)?.description
    }
}

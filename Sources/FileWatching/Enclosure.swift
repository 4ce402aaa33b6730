// A container within another one.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A container's directory lies in another container. It is one of its own only while a file system is mounted on it, or
/// on a directory on the way to it from the other: else all that is in it is the other's.
package struct Enclosure: Sendable, Hashable {
    /// The absolute paths of the directories below the other container's own, down to this one's; symlinks followed.
    package var directories: [String]
    /// The reason given for the container while nothing is mounted there.
    package var reason: String
    /// The reason for callers that may not know of the other container.
    package static let reasonForOthers =
        "it lies in another container, and is one of its own once a file system is mounted on it"

    package init(directories: [String], reason: String) {
        self.directories = directories
        self.reason = reason
    }
}

extension TreeWatcher {
    /// A container came to lie in another one, or does no longer.
    package func setEnclosure(_ number: UInt32, to enclosure: Enclosure?) {
        guard let container = containers[number], container.place.setEnclosure(enclosure) else { return }
        suspect(number, position: positionNow)
    }

    /// Returns whether a container's directory belongs to the container that it lies in. Throws the error of a directory that
    /// could not be looked at for want of something, or since its mount does not answer, unless another one is a mount point.
    func isEnclosed(_ container: WatchedContainer, isMountRoot: Bool) throws(SystemError) -> Bool {
        guard let enclosure = container.place.enclosure, !isMountRoot else { return false }
        var failure: SystemError?
        for path in enclosure.directories {
            do throws(SystemError) {
                let number = try kernel.openDirectory(at: path.utf8CString.map { $0 }, access: .path)
                defer { kernel.close(number) }
                if try kernel.status(of: "", in: number).isMountRoot { return false }
            } catch {
                if error.isShortage || error.isOfMount { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        return true
    }
}

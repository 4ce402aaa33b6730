// Why directories are polled.
// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Why directories are looked at from time to time, instead of being watched.
package enum PollReason: Sendable, Hashable, CustomStringConvertible {
    /// The kernel gives no more watches.
    case watchLimit
    /// Gather's own share of the watches is used up.
    case watchShare
    /// The file system does not tell of changes that are made elsewhere.
    case fileSystem(name: String)
    /// Another container has the same directories, and their watches.
    case shared
    /// A directory is another each time it is to be read.
    case unstable
    /// The system is short of something else.
    case shortage(SystemError)

    /// Why the kernel gave no watch; without an error it was not asked for one.
    init(ofWatch error: SystemError?) {
        switch error {
        case nil: self = .watchShare
        case .some(.noSpace): self = .watchLimit
        case .some(let error): self = .shortage(error)
        }
    }

    /// The reason, and a remedy.
    package var description: String {
        switch self {
        case .watchLimit:
            "no inotify watches are left (fs.inotify.max_user_watches, or user.max_inotify_watches of the user "
                + "namespace); 'gather doctor' names the limit to raise"
        case .watchShare:
            "gatherd's share of the inotify watches is used up (watch-share); 'gather doctor' names the limit to raise"
        case .fileSystem(let name): "\(name) does not report changes that are made elsewhere"
        case .shared: "another container has them too, by another path, and watches them"
        case .unstable:
            "directories have another inode number at each look; their file system may have no stable inode numbers"
        case .shortage(let error): "\(error)"
        }
    }
}

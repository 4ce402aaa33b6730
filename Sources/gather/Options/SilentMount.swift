// Paths on a mount whose server does not answer: a command that looks at one could not be ended.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import LinuxSystem

enum SilentMount {
    /// Fails where the mount on which a path lies does not answer.
    static func check(_ path: String) throws(Failure) {
        guard let (mount, error) = MountPaths.failure(at: path) else { return }
        let place = DisplayText.escaped(mount.text)
        let why = error == .timedOut ? "does not answer" : "is unreachable: \(error)"
        throw Failure("the file system at \(place) (\(mount.type)) \(why); mend its server, or: umount -l \(place)")
    }
}

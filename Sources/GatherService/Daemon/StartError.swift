// The error for a resource that the start lacks.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The start failed because the machine lacks a resource. A later attempt may succeed, so a service manager should
/// retry.
package struct StartError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// Explains an error of inotify_init1(2). `EMFILE` has two causes, and its text names neither.
    init(startingToWatch error: SystemError) {
        guard error == .tooManyDescriptors else {
            self.init("inotify cannot be used: \(error)")
            return
        }
        guard (try? Entry.openForReading("/proc/self/stat")) != nil else {
            self.init(descriptors: nil)
            return
        }
        let limit = Entry.number(in: "/proc/sys/fs/inotify/max_user_instances").map { " = \($0)" } ?? ""
        self.init(
            "no inotify instance is left for this user (EMFILE): fs.inotify.max_user_instances\(limit), or "
                + "user.max_inotify_instances of the user namespace, is used up; raise it: "
                + "sysctl -w fs.inotify.max_user_instances=1024")
    }

    /// Explains a lack of descriptors: a limit that is too low, or all in use for nil.
    init(descriptors limit: Int?) {
        let failed =
            limit.map { "the limit of open files is \($0), and gatherd needs at least \(Limits.leastDescriptors)" }
            ?? "all file descriptors that gatherd may open are in use (EMFILE)"
        self.init(failed + "; raise it with 'ulimit -n 1024', or LimitNOFILE= in the unit")
    }
}

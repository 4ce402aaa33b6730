// The time of the last change of a file's contents.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Metadata

/// The time of the last change of a file's contents.
enum FileTime {
    /// Sets the time (utimensat(2)), and not that of the last access. A file that may not be changed keeps its time.
    static func set(_ time: Timestamp, _ path: String) {
        // UTIME_OMIT, which the Glibc module lacks.
        let omit = (1 << 30) - 2
        let (seconds, nanoseconds) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isBefore = nanoseconds < 0
        let modified = timespec(
            tv_sec: Int(isBefore ? seconds - 1 : seconds),
            tv_nsec: Int(isBefore ? nanoseconds + 1_000_000_000 : nanoseconds))
        guard let entry = try? ContainerRoots.openParent(of: path) else { return }
        _ = utimensat(
            entry.directory.number, entry.name, [timespec(tv_sec: 0, tv_nsec: omit), modified], AT_SYMLINK_NOFOLLOW)
    }
}

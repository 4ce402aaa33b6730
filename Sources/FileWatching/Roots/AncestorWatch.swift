// A watch on a directory above containers.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// A watch on a directory above containers. It may be a directory's own watch as well: a directory has only one.
struct AncestorWatch {
    /// Those that lie below it.
    var containers: Set<UInt32> = []
    /// The kernel's mask for it, if no directory has it.
    var mask: InotifyMask = []
}

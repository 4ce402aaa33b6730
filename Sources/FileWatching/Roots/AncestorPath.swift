// The directories above a container.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The directories above a container, as they were found last.
struct AncestorPath {
    /// The watches on them, and the events needed of each.
    var watches: [Int32: InotifyMask] = [:]
    /// The names on the way down to the container, those that symbolic links add too.
    var names: Set<[UInt8]> = []
    /// The access to them, from `/` on and through symbolic links; nil while that is not known.
    var access: [FileAccess]?
    /// Whether one of them may be searched, but not read, and so not be watched: nothing tells when that becomes inaccessible,
    /// or when the next one on the way gets another name.
    var hasUnwatched = false
    /// Whether a watch tells more than is needed, and could not be changed while directories are being read.
    var hasWideWatches = false
    /// Where the symbolic links in the path led when the root was opened last; nil before that.
    var resolvedPath: String?
}

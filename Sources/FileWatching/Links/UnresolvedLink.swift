// Files that have lost one of several names and may have got another that no look-up has seen yet.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// An unresolved hard link: a file lost one of its names while events or directories were still to be read.
///
/// A name that came from elsewhere may have gone on before its look-up. It was never in the tree, so later changes of
/// its file are reported of no known file, and the other names of the file show an old status. After the queued events
/// and the readings under way, its other names are looked at again, as long as the file has more names than are known.
struct UnresolvedLink {
    var status: FileStatus
    /// The position of the event that it was lost by; the largest, for which no barrier waits, where only other containers' tasks
    /// are waited for.
    var position: UInt64
    /// The containers of its names: questions about others do not wait for it.
    var containers: Set<UInt32>
    /// When the stream has been read up to here, and these tasks are done, the name that it had got by then was come by.
    var end: UInt64
    var tasks: Set<UInt32>
    /// Tasks of other containers, which may find the name too.
    var otherTasks: Set<UInt32>
    /// The earliest position to look once more, of those that came while this waited.
    var again: UInt64?
    /// The look-ups that waited when that had been heard, those that are made at once and patient ones: one of them may have a
    /// directory read in which the name is.
    var lookUps: (prompt: UInt64, patient: UInt64)?
    /// How often its names were looked at again.
    var attempts: UInt8
}

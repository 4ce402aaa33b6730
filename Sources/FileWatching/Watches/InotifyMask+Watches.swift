// The event masks of watches.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension InotifyMask {
    /// The events of a directory's watch. Always the same, since another mask for the same directory would replace it.
    ///
    /// Without `IN_EXCL_UNLINK`: a descriptor's events carry the name that the file was opened by, also after that name is
    /// unlinked, and the file may live on under another (see ``UnlinkedNames``). `O_TMPFILE` has no other events.
    static let directory: InotifyMask = [
        .create, .delete, .movedFrom, .movedTo, .modify, .closeWrite, .attributes, .deleteSelf, .moveSelf,
        .onlyDirectories,
    ]

    /// The events for the directories above a container: their own moves. Added to the mask they have already, and
    /// never more than ``directory``, which may replace it.
    static let ancestor: InotifyMask = [.deleteSelf, .moveSelf, .onlyDirectories, .addToMask]

    /// The same for a directory that holds the container, or a symlink on the way to it: a file that takes its name
    /// matters. The container reports its own removal only when no process has it open any more, and a symlink reports
    /// nothing.
    static let ancestorOfName: InotifyMask = ancestor.union([.create, .delete, .movedFrom, .movedTo])

    /// The same while the container is missing or cannot be read: every file that appears matters, and modes.
    static let ancestorOfMissing: InotifyMask = ancestorOfName.union(.attributes)

    /// The events whose entry is changed and not its name. A number: sets made for each event were a twentieth of the
    /// time beside a million files that are touched in a loop.
    static let contentChanges: UInt32 = InotifyMask([.modify, .closeWrite, .attributes, .isDirectory]).rawValue

    /// Events that change the directory itself too: its times and its links.
    static let changesDirectory: InotifyMask = [.create, .delete, .movedFrom, .movedTo]
}

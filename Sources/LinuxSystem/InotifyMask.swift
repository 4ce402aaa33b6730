// The bits of inotify masks and events.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The bits of an inotify mask, of a watch or of an event (inotify(7)).
package struct InotifyMask: OptionSet, Sendable, Hashable {
    package var rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let modify = InotifyMask(rawValue: 0x2)
    package static let attributes = InotifyMask(rawValue: 0x4)
    package static let closeWrite = InotifyMask(rawValue: 0x8)
    package static let movedFrom = InotifyMask(rawValue: 0x40)
    package static let movedTo = InotifyMask(rawValue: 0x80)
    package static let create = InotifyMask(rawValue: 0x100)
    package static let delete = InotifyMask(rawValue: 0x200)
    package static let deleteSelf = InotifyMask(rawValue: 0x400)
    package static let moveSelf = InotifyMask(rawValue: 0x800)
    package static let unmount = InotifyMask(rawValue: 0x2000)
    package static let overflow = InotifyMask(rawValue: 0x4000)
    package static let ignored = InotifyMask(rawValue: 0x8000)
    package static let onlyDirectories = InotifyMask(rawValue: 0x0100_0000)
    package static let excludeUnlinked = InotifyMask(rawValue: 0x0400_0000)
    package static let addToMask = InotifyMask(rawValue: 0x2000_0000)
    package static let isDirectory = InotifyMask(rawValue: 0x4000_0000)
}

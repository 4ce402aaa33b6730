// The bits of inotify masks and events.
// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The bits of an inotify mask, of a watch or of an event (inotify(7)).
package struct InotifyMask: OptionSet, Sendable, Hashable {
    package var rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable package static var modify: InotifyMask { InotifyMask(rawValue: 0x2) }
    @inlinable package static var attributes: InotifyMask { InotifyMask(rawValue: 0x4) }
    @inlinable package static var closeWrite: InotifyMask { InotifyMask(rawValue: 0x8) }
    @inlinable package static var movedFrom: InotifyMask { InotifyMask(rawValue: 0x40) }
    @inlinable package static var movedTo: InotifyMask { InotifyMask(rawValue: 0x80) }
    @inlinable package static var create: InotifyMask { InotifyMask(rawValue: 0x100) }
    @inlinable package static var delete: InotifyMask { InotifyMask(rawValue: 0x200) }
    @inlinable package static var deleteSelf: InotifyMask { InotifyMask(rawValue: 0x400) }
    @inlinable package static var moveSelf: InotifyMask { InotifyMask(rawValue: 0x800) }
    @inlinable package static var unmount: InotifyMask { InotifyMask(rawValue: 0x2000) }
    @inlinable package static var overflow: InotifyMask { InotifyMask(rawValue: 0x4000) }
    @inlinable package static var ignored: InotifyMask { InotifyMask(rawValue: 0x8000) }
    @inlinable package static var onlyDirectories: InotifyMask { InotifyMask(rawValue: 0x0100_0000) }
    @inlinable package static var excludeUnlinked: InotifyMask { InotifyMask(rawValue: 0x0400_0000) }
    @inlinable package static var addToMask: InotifyMask { InotifyMask(rawValue: 0x2000_0000) }
    @inlinable package static var isDirectory: InotifyMask { InotifyMask(rawValue: 0x4000_0000) }
}

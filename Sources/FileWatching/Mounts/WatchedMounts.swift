// The mounts that the watcher knows: which came or went, which do not answer, and when it looks at them again.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The mounts of this machine, as the watcher has read them from the kernel's table.
///
/// The kernel reports that the table has changed, and never how. This type finds the differences and decides when the
/// watcher looks at which mount. It makes no system calls. Times are nanoseconds of ``WatchKernel/now()``.
struct WatchedMounts {
    /// The mounts that ``takeUnsure(isReading:now:)`` gives out.
    struct Unsure: Equatable {
        /// Mount points to look at once more.
        var mounts: Set<Mount>
        /// Whether the table could not be read, and is to be read before.
        var isTableUnread: Bool
    }

    /// The table; empty before the first reading.
    private(set) var all: Set<Mount> = []
    /// Whether there was a reading.
    private(set) var isKnown = false
    /// The names of the directories above mounts that may hang. If such a directory is renamed, paths in the table change, but
    /// `poll(2)` on the table reports nothing.
    private var namesAbove: Set<[UInt8]> = []
    /// Whether a directory above a mount that may hang was perhaps renamed.
    private(set) var mayHaveMoved = false

    /// Mounts that changed while directories were being read, and those for which there was no descriptor.
    private var unsure: Set<Mount> = []
    /// Whether one of those, or the table itself, could not be read for want of something.
    private(set) var isLacking = false
    private var nextLook: UInt64?

    /// Mounts that do not answer, and the version of that list.
    private(set) var unreachable: [UnreachableMount] = []
    private(set) var unreachableVersion: UInt64 = 0
    private var nextQuestion: UInt64?
    private var pause = WatchLimits.mountRetry

    /// When the watcher has to look at a mount at the latest; nil for never.
    var nextDeadline: UInt64? {
        guard let nextLook, let nextQuestion else { return nextLook ?? nextQuestion }
        return min(nextLook, nextQuestion)
    }

    // MARK: The table

    /// Takes a table that was just read. Returns the mounts that came or went since the reading before; all, at the first.
    mutating func replace(with mounts: Set<Mount>) -> Set<Mount> {
        let differing = all.symmetricDifference(mounts)
        (all, isKnown) = (mounts, true)
        guard !differing.isEmpty else { return [] }
        namesAbove = mounts.reduce(into: []) { names, mount in
            guard mount.mayHang else { return }
            names.formUnion(mount.path.split(separator: UInt8(ascii: "/")).dropLast().map(Array.init))
        }
        return differing
    }

    /// A directory of this name, anywhere, has got another name.
    mutating func directoryRenamed(from name: UnsafeRawBufferPointer) {
        if !namesAbove.isEmpty, namesAbove.contains(Array(name)) { mayHaveMoved = true }
    }

    /// The table is about to be read.
    mutating func willRead() { mayHaveMoved = false }

    // MARK: Looking again

    /// Has mounts looked at again. With `isLacking` something was wanting, for which time alone helps; without mounts, to read
    /// the table.
    mutating func lookAgain(at mounts: Set<Mount>, isLacking: Bool, now: UInt64) {
        unsure.formUnion(mounts)
        if isLacking { self.isLacking = true }
        nextLook = nextLook ?? now &+ WatchLimits.mountLookInterval
    }

    /// Takes the mounts to be looked at again; nil if it is not time. That is when nothing is being read any more, and
    /// now and then before, since where directories come and go all the time there is no such moment.
    mutating func takeUnsure(isReading: Bool, now: @autoclosure () -> UInt64) -> Unsure? {
        guard let time = nextLook, now() >= time || !(isReading || isLacking) else { return nil }
        defer { (unsure, nextLook, isLacking) = ([], nil, false) }
        return Unsure(mounts: unsure, isTableUnread: isLacking)
    }

    // MARK: Mounts that do not answer

    /// A call that was given up has returned: mounts that still do not answer are asked again soon.
    mutating func answeredLate(now: UInt64) {
        if !unreachable.isEmpty { nextQuestion = min(nextQuestion ?? .max, now &+ WatchLimits.mountRetry) }
    }

    /// Returns whether it is time to ask the mounts that do not answer, and doubles the pause to the next time.
    mutating func takeQuestion(now: UInt64) -> Bool {
        guard let time = nextQuestion, now >= time else { return false }
        pause = min(pause * 2, WatchLimits.mountRetryLimit)
        nextQuestion = now &+ pause
        return true
    }

    /// Takes the list of mounts that do not answer. Returns those of before that answer now and are still mounted.
    mutating func setUnreachable(_ mounts: [UnreachableMount], version: UInt64, now: UInt64) -> Set<Mount> {
        let before = Set(unreachable.map(\.mount))
        let after = Set(mounts.map(\.mount))
        (unreachable, unreachableVersion) = (mounts, version)
        if before != after { pause = WatchLimits.mountRetry }
        nextQuestion = mounts.isEmpty ? nil : min(nextQuestion ?? .max, now &+ pause)
        return before.subtracting(after).intersection(all)
    }

    /// Returns the mount that does not answer and on which a resolved path lies, alone; else all of them below the path, by their
    /// paths.
    func unreachable(at path: [UInt8]) -> (mounts: [UnreachableMount], holdsPath: Bool) {
        if let own = MountPaths.innermost(of: unreachable.map(\.mount), holding: path) {
            return (unreachable.filter { $0.mount == own }, true)
        }
        let below = unreachable.filter { MountPaths.holds(path, $0.mount.path) && path != $0.mount.path }
        return (below.sorted { $0.mount.path.lexicographicallyPrecedes($1.mount.path) }, false)
    }
}

// The words of the process before that this one has not taken over yet.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The words of the process before, from the start until all are taken over.
///
/// First containers take their parts while no event is read; then the events that were queued meanwhile are read at
/// once; then the kernel's list of watches is compared with the handover.
struct Resumption {
    /// The kernel's list of its watches, and the end of the events that were queued then.
    struct WatchCheck {
        var found: [Int32: UInt64]
        var restored: [Int32]
        var position: UInt64
    }

    /// The `IN_MOVED_FROM` of a rename that another process has heard.
    struct ReplayedRename {
        var directory: DirectoryID
        var event: InotifyEvent
        var name: [UInt8]
        var origin: Origin
    }

    /// Whether containers are added that may go on with the handover. Nothing is heard until all are.
    private(set) var isAwaitingContainers = false
    private var start: HandoverStart?
    /// Renames before this position of the stream were heard by another process, which has moved their rows.
    private(set) var received: UInt64 = 0
    /// Renames among them, by cookie, while they are heard again.
    private var renames: [UInt32: ReplayedRename] = [:]
    /// The rows of renames that were pending by the state of the process before, by cookie.
    private var rows: [UInt32: TreeNode] = [:]
    private var check: WatchCheck?
    /// Watches that were there when this process began, and that no directory may have.
    private var orphans: Set<Int32> = []

    // MARK: Containers

    mutating func begin(with start: HandoverStart) {
        self.start = start
        isAwaitingContainers = true
    }

    /// Takes the handover of a container; nil for nothing, or if it was taken.
    mutating func takeContainer(_ key: UInt64) -> HandoverContainer? { start?.containers.removeValue(forKey: key) }

    /// Returns the handover of a directory; nil for nothing.
    func entry(of directory: InodeNumber, in container: UInt64) -> HandoverEntry? {
        start?.entries.entry(of: directory, in: container)
    }

    /// Takes the handover of a directory, which is no other's from then on; nil for nothing.
    mutating func takeEntry(of directory: InodeNumber, in container: UInt64) -> HandoverEntry? {
        start?.entries.take(directory, in: container)
    }

    /// Whether a directory had this watch in the process before, and may get it again.
    func mayRestore(watch: Int32) -> Bool { start?.entries.contains(watch: watch) == true }

    /// All containers were added: returns the handover beside their directories; nil if there is none.
    mutating func takeStart() -> HandoverStart? {
        guard isAwaitingContainers, let start else { return nil }
        (isAwaitingContainers, self.start) = (false, nil)
        return start
    }

    // MARK: Events that were heard before

    /// Renames before this position are heard once more, and have moved their rows; 0 when that is over.
    mutating func replay(to position: UInt64) { received = position }

    /// The row of a pending rename waited for its `IN_MOVED_TO`.
    mutating func noteWaiting(_ row: TreeNode?, for cookie: UInt32) { rows[cookie] = row }

    /// Returns the row of a pending rename that waited for its `IN_MOVED_TO`.
    func row(waitingFor cookie: UInt32) -> TreeNode? { rows[cookie] }

    /// Notes a rename that is heard again, or forgets it.
    mutating func setRename(_ rename: ReplayedRename?, of cookie: UInt32) { renames[cookie] = rename }

    func rename(of cookie: UInt32) -> ReplayedRename? { renames[cookie] }

    /// Takes the renames whose second event did not come, in the order of the events, with the rows that waited.
    mutating func takeRenames() -> [(rename: ReplayedRename, row: TreeNode?)] {
        defer { (renames, rows) = ([:], [:]) }
        return renames.values.sorted { $0.origin.position < $1.origin.position }.map { ($0, rows[$0.event.cookie]) }
    }

    // MARK: The check of the watches

    mutating func setCheck(_ check: WatchCheck) { self.check = check }

    /// Takes the check as soon as the stream was read to where it was; nil before that.
    mutating func takeCheck(at position: UInt64) -> WatchCheck? {
        guard let check, position >= check.position else { return nil }
        self.check = nil
        orphans = Set(check.found.keys)
        return check
    }

    var hasOrphans: Bool { !orphans.isEmpty }

    mutating func takeOrphans() -> Set<Int32> {
        defer { orphans = [] }
        return orphans
    }
}

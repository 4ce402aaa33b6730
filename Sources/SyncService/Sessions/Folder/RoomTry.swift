// The tries of files for which a disk had no room.
// SPDX-License-Identifier: Apache-2.0

/// The tries of a folder's files for which the disk had no room. A try has Syncthing read the folder as a whole, so those that
/// bring nothing have longer and longer pauses, as Syncthing's own have.
struct RoomTry {
    /// Whether a task waits for room.
    var isAwaited = false
    /// The earliest time of the next try.
    private(set) var earliest = ContinuousClock.now
    private var pause = SyncLimits.roomPause
    private var tried: Set<String> = []

    /// Notes that files are tried.
    mutating func begin(_ paths: Set<String>, at now: ContinuousClock.Instant) {
        tried = paths
        earliest = now + pause
        pause = min(pause * 2, SyncLimits.longestRoomPause)
    }

    /// Notes that a file has come.
    mutating func note(came path: String, at now: ContinuousClock.Instant) {
        if tried.isEmpty || tried.remove(path) == nil { return }
        pause = SyncLimits.roomPause
        earliest = now
    }
}
